"""`pi` runs in folders that hold anything: modules of the same names there must never run instead of ours."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGES = ("core", "tools", "pi_tui", "textual", "rich", "pydantic", "anthropic", "openai")
MODULES = ("typer", "sitecustomize", "usercustomize", "typing", "gc", "warnings", "jiter", "yaml", "readline")
ENVIRONMENTS = {
    "plain": {},
    "PYTHONPATH=.": {"PYTHONPATH": "."},
    "PYTHONPATH=:": {"PYTHONPATH": ":"},
    "PYTHONSTARTUP": {"PYTHONSTARTUP": "sitecustomize.py", "PYTHONINSPECT": "1"},
    "PYTHONHOME": {"PYTHONHOME": "."},
}


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder where every module leaves a line in `ran` when it is run, and where `python` is not Python."""
    folder = tmp_path / "hostile"
    for package in PACKAGES:
        (folder / package).mkdir(parents=True)
    files = [folder / package / "__init__.py" for package in PACKAGES]
    files += [folder / "pi_tui" / f"{name}.py" for name in ("boot", "cli", "flags")]
    files += [folder / f"{name}.py" for name in MODULES]
    for file in files:
        file.write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write(__name__ + '\\n')\n")
    for name in ("python", "python3"):
        (folder / name).write_text(f"#!/bin/sh\necho {name} >>'{tmp_path / 'ran'}'\n")
        (folder / name).chmod(0o755)
    return folder


def run_there(folder: Path, command: list[str | Path], env: dict[str, str]) -> tuple[str, str]:
    """stdout of the command run in `folder`, and what was run from there."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        timeout=60,
        check=False,
    )
    ran = folder.parent / "ran"
    return done.stdout, ran.read_text() if ran.exists() else ""


@pytest.mark.parametrize("env", ENVIRONMENTS)
@pytest.mark.parametrize(
    "args", [["--version"], ["--help"], ["-p", "hello"], ["--mode", "json", "hello"]], ids=" ".join
)
def test_nothing_of_the_folder_runs(args: list[str], env: str, hostile: Path, pi_shim: Path) -> None:
    stdout, ran = run_there(hostile, [pi_shim, *args], ENVIRONMENTS[env])
    assert ran == ""
    if len(args) == 1:
        assert stdout


def test_the_folder_is_hostile(hostile: Path) -> None:
    _, ran = run_there(hostile, [sys.executable, "-c", "import core, textual"], {"PYTHONPATH": "."})
    assert {"sitecustomize", "core", "textual"} <= set(ran.split())
