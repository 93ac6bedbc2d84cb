"""The parts of Makefile and .ci that can be tried without installing anything."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.hygiene.repository import ROOT

TARGETS = "help setup run install test soak check snap screenshots perf build".split()


def run(*command: str | Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True, check=False)


@pytest.mark.skipif(shutil.which("make") is None, reason="needs the program make")
def test_help_names_every_target_and_all_can_be_planned_from_anywhere(tmp_path: Path) -> None:
    link = tmp_path / "a link"
    link.symlink_to(ROOT)
    text = run("make", "-C", link, "help").stdout
    for target in TARGETS:
        assert target == "help" or re.search(rf"^make {target}\b", text, re.MULTILINE)
        assert run("make", "-n", "-C", link, target).returncode == 0


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (None, "does not start"),
        ('#!/bin/sh\n[ "$1" = --version ] && echo Python 3.8.2\n', "is Python 3.8.2"),
        ('#!/bin/sh\ncase "$2" in *venv*) exit 1;; esac\necho Python 3.12.1\n', "has no venv"),
    ],
)
def test_an_unfit_python_is_explained(script: str | None, words: str, tmp_path: Path) -> None:
    python = tmp_path / "a python"
    if script:
        python.write_text(script)
        python.chmod(0o755)
    done = run(ROOT / ".ci" / "environment", tmp_path / "env", "run", PYTHON=str(python))
    assert done.returncode == 1
    assert "pi needs Python 3.11 or newer with venv and pip; " in done.stderr
    assert words in done.stderr
    assert not (tmp_path / "env").exists()


def test_a_folder_that_is_no_environment_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious").touch()
    done = run(ROOT / ".ci" / "environment", tmp_path, "run")
    assert done.returncode == 1
    assert "is no virtual environment" in done.stderr
    assert (tmp_path / "precious").exists()


@pytest.mark.parametrize("kind", ["file", "link", "broken link"])
def test_install_leaves_a_foreign_pi_alone(kind: str, tmp_path: Path) -> None:
    pi = tmp_path / "bin" / "pi"
    pi.parent.mkdir()
    if kind == "file":
        pi.write_text("other")
    else:
        pi.symlink_to("/bin/sh" if kind == "link" else "/nowhere")
    done = run(ROOT / ".ci" / "install", tmp_path)
    assert done.returncode == 1
    assert f"{pi} is there and is not ours" in done.stderr
    assert not (tmp_path / "share").exists()
    assert pi.is_symlink() or pi.read_text() == "other"
