"""Without any credentials: the demo model answers on the screen, and other modes use it only when they are told to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

from tests.core.ai.demo.driver import SAMPLE, write_files
from tests.core.ai.demo.projects import GO
from tests.support.commands import pi_command
from tests.support.terminal import Terminal

REQUEST = "List files in the current directory, then tell me what this project is."


def test_the_screen_says_who_answers_and_the_guide_takes_up_what_is_typed_meanwhile(tmp_path: Path) -> None:
    project = write_files(tmp_path / "project", SAMPLE)
    with Terminal(pi_command(), columns=100, rows=60, cwd=project, env={"HOME": str(tmp_path)}) as term:
        term.wait_for("demo/guide answers. It is a scripted guide, not a language model.")
        term.wait_for("?/128k")
        term.send(REQUEST)
        term.press("enter")
        term.wait_for("I am Guide, a script")
        term.send("also run `echo aside`")
        term.press("enter")
        term.wait_for("You added: “also run")
        term.wait_for("aside ended well", timeout=20)
        term.wait_for("hello-sample 1.0.0 is a Node.js program", timeout=20)
        term.wait_for("the command line.”")


def test_print_and_json_modes_use_it_only_when_told(
    tmp_path: Path, run_pi: Callable[..., CompletedProcess[str]]
) -> None:
    project = write_files(tmp_path / "project", GO)
    for mode in ("-p",), ("--mode", "json"):
        refused = run_pi(*mode, REQUEST, cwd=project)
        assert refused.returncode == 1
        assert "--model demo/guide" in refused.stderr
    answered = run_pi("-p", "--model", "demo/guide", "explain the project", cwd=project)
    assert answered.returncode == 0
    assert "ready to sail" in answered.stdout
