"""`pi` runs in folders that hold anything: modules of the same names there must never run instead of ours."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.start import running_pi
from tests.support.script import say

PACKAGES = ("core", "tools", "pi_tui", "textual", "rich", "pydantic", "anthropic", "openai")
MODULES = ("typer", "sitecustomize", "usercustomize", "typing", "gc", "warnings", "jiter", "yaml", "readline")
ENVIRONMENTS = {
    "plain": {},
    "PYTHONPATH=.": {"PYTHONPATH": "."},
    "PYTHONPATH=:": {"PYTHONPATH": ":"},
    "PYTHONSTARTUP": {"PYTHONSTARTUP": "sitecustomize.py", "PYTHONINSPECT": "1"},
    "PYTHONHOME": {"PYTHONHOME": "."},
}


def plant(folder: Path, ran: Path) -> None:
    """Fill `folder` with modules, and a `python`, that leave a line in the file `ran` when they are run."""
    for package in PACKAGES:
        (folder / package).mkdir(parents=True)
    files = [folder / package / "__init__.py" for package in PACKAGES]
    files += [folder / "pi_tui" / f"{name}.py" for name in ("boot", "cli", "flags")]
    files += [folder / f"{name}.py" for name in MODULES]
    for file in files:
        file.write_text(f"open({str(ran)!r}, 'a').write(__name__ + '\\n')\n")
    for name in ("python", "python3"):
        (folder / name).write_text(f"#!/bin/sh\necho {name} >>'{ran}'\n")
        (folder / name).chmod(0o755)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A hostile folder; what was run in it is in the file `ran` beside it."""
    plant(tmp_path / "hostile", tmp_path / "ran")
    return tmp_path / "hostile"


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


@pytest.mark.parametrize("env", [{}, {"PYTHONPATH": "."}], ids=["plain", "PYTHONPATH=."])
def test_nothing_of_the_folder_runs_on_the_screen(env: dict[str, str], tmp_path: Path) -> None:
    plant(tmp_path / "project", tmp_path / "ran")
    with running_pi(tmp_path, [say("Nothing happened here.")], env=env) as pi:
        pi.say("what is in this folder?")
        pi.term.wait_for("Nothing happened here.")
        pi.term.press("ctrl+d")
        assert pi.term.wait_exit() == 0
    assert not (tmp_path / "ran").exists()
