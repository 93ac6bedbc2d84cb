"""Names, sizes and words that hold for every file."""

import ast
import re
from pathlib import Path

import pytest

from tests.hygiene.repository import PACKAGES, ROOT, files, python_files, texts, tree

LONGEST = 400
TOP_LEVEL = {
    *("pyproject.toml", "README.md", "Makefile", "LICENSE", "CHANGELOG.md", "AGENTS.md"),
    *("requirements.lock", "requirements-dev.lock"),
    *("core", "tools", "pi_tui", "tests", "screenshots", "docs"),
}
SILENCERS = re.compile(r"#\s*(?:noqa|type:\s*ignore|pyrefly:\s*ignore|pyright:\s*ignore|ruff:\s*noqa|pragma:\s*no\s)")
GIVEN_UP = re.compile(r"mark\.(?:xfail|skip)\b")
MACHINE = re.compile(r"(?<![\w.~])/(?:work|root)/|\bfarm-\w|\bissues show\b")
ADDRESS = re.compile(r"\w+://|\bfile:|--(?:extra-)?index-url|--find-links|--trusted-host|^\s*-[ef]\b", re.MULTILINE)


def test_only_the_agreed_names_at_the_top() -> None:
    assert {name.parts[0] for name in files() if not name.parts[0].startswith(".")} <= TOP_LEVEL


@pytest.mark.parametrize("file", python_files(), ids=str)
def test_no_file_is_two_rooms(file: Path) -> None:
    assert len((ROOT / file).read_text("utf-8").splitlines()) <= LONGEST


def test_no_check_is_silenced_and_no_test_given_up() -> None:
    found = [
        name for name, text in texts() if name.suffix == ".py" and (SILENCERS.search(text) or GIVEN_UP.search(text))
    ]
    assert found == []


def test_nothing_names_the_machine_it_was_written_on() -> None:
    assert {str(name): hit.group() for name, text in texts() if (hit := MACHINE.search(text))} == {}


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_locks_name_no_host(lock: str) -> None:
    assert ADDRESS.search((ROOT / lock).read_text()) is None


def test_every_module_says_what_it_is_for() -> None:
    assert [str(file) for file in python_files(*PACKAGES) if not ast.get_docstring(tree(file))] == []


def test_test_folders_are_packages() -> None:
    # Without tests/__init__.py and its kind, `import tools` would mean the folder tests/tools.
    folders = {file.parent for file in python_files("tests") if "fixtures" not in file.parts}
    assert [str(folder) for folder in folders if not (ROOT / folder / "__init__.py").exists()] == []


def test_patterns_find_what_they_are_for() -> None:
    marks = ["# no" + "qa: E501", "# type" + ": ignore[x]", "#pragma" + ": no cover"]
    assert all(SILENCERS.search(mark) for mark in marks)
    assert MACHINE.search("see /" + "work/notes")
    assert MACHINE.search("in /" + "root/.cache")
    assert not MACHINE.search("the network/root/tree, ~/root/x")
    assert GIVEN_UP.search("@pytest.mark." + "xfail")
    assert not GIVEN_UP.search("pytest.mark.skipif")
    for line in ("x @ https://example.invalid/x.whl", "--index-url x", "-e ../other", "x @ file:/tmp/x"):
        assert ADDRESS.search(line)
    assert not ADDRESS.search("anyio==4.16.0 \\\n    --hash=sha256:00ff\n    # via -r x")
