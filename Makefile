# Everything a person does here. Each target makes the environment it needs first; the second time that takes no time.
# Needs GNU make and Python 3.11 or newer with venv and pip. Paths may hold spaces: they are always quoted.

VENV ?= .venv
PREFIX ?= $(HOME)/.local
DIR ?= .
ARGS ?=
export PYTHON DIR PREFIX
unexport PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE

py := "$(VENV)/bin/python"

.DEFAULT_GOAL := help
.PHONY: help setup run install test soak perf check snap screenshots build lock setup-run

help:
	@echo 'make run          start pi here; in another directory: make run DIR=/my/project; with options: ARGS="-c"'
	@echo 'make install      pi for every directory, linked into PREFIX/bin (PREFIX=$(PREFIX))'
	@echo 'make setup        only make the environment ($(VENV)); PYTHON=/path/to/python chooses a Python'
	@echo 'make test         all tests but the long ones; one file: ARGS=tests/core/ai'
	@echo 'make check        lint, format, types, import contracts, hygiene'
	@echo 'make soak         the long tests: thousands of random cases, hundreds of kills'
	@echo 'make perf         speed and memory against their bounds'
	@echo 'make snap         tell which pictures in screenshots/ are out of date'
	@echo 'make screenshots  draw the pictures in screenshots/ anew'
	@echo 'make build        wheel and source archive in dist/'
	@echo 'make lock         choose the newest versions anew (needs uv)'

setup:
	@.ci/environment "$(VENV)" dev

setup-run:
	@.ci/environment "$(VENV)" run

run: setup-run
	@bin=$$(cd "$(VENV)/bin" && pwd) && cd "$$DIR" && exec "$$bin/pi" $(ARGS)

install:
	@.ci/install "$$PREFIX"

test: setup
	$(py) -m pytest -n 2 --dist=loadgroup --durations=10 $(ARGS)

soak: setup
	$(py) -m pytest -n 2 --dist=loadgroup -m "not perf" --hypothesis-profile=soak $(ARGS)

perf: setup
	$(py) -m pytest -m perf -s $(ARGS)

check: setup
	$(py) -m ruff check
	$(py) -m ruff format --check
	$(py) -m pyrefly check --python-interpreter-path $(py)
	"$(VENV)/bin/lint-imports" --no-logo
	$(py) -m pytest -q tests/hygiene

snap: setup
	$(py) -m tests.screenshots --check $(ARGS)

screenshots: setup
	$(py) -m tests.screenshots $(ARGS)

build: setup-run
	$(py) -m hatchling build

lock:
	uv pip compile pyproject.toml --group build --universal --python-version 3.11 --generate-hashes --no-header --upgrade -q -o requirements.lock
	uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes --no-header --upgrade -q -c requirements.lock -o requirements-dev.lock
