"""Ctrl+G: the prompt in the person's own editor."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.start import running_pi
from tests.support.script import say


def test_the_prompt_comes_back_from_the_editor(tmp_path: Path) -> None:
    editor = tmp_path / "my editor"
    editor.write_text('#!/bin/sh\necho "in the editor"; printf "%s, edited" "$(cat "$1")" > "$1"\n')
    editor.chmod(0o755)
    with running_pi(tmp_path, [say("Got it.")], env={"VISUAL": f"'{editor}'"}) as pi:
        pi.term.send("draft")
        pi.term.wait_for("draft")
        pi.term.press("ctrl+g")
        pi.term.wait_for("draft, edited")
        pi.term.press("enter")
        pi.term.wait_for("Got it.")
        assert "draft, edited" in str(pi.messages(1)[-1])


def test_a_missing_editor_is_said_and_the_draft_stays(tmp_path: Path) -> None:
    with running_pi(tmp_path, env={"VISUAL": "/no/such/editor"}) as pi:
        pi.term.send("draft")
        pi.term.wait_for("draft")
        pi.term.press("ctrl+g")
        pi.term.wait_for("The editor cannot be used")
        pi.term.wait_for("draft")


def test_a_bang_command_is_explained_before_it_is_sent(tmp_path: Path) -> None:
    with running_pi(tmp_path, [say("As text.")]) as pi:
        pi.say("!ls -la")
        pi.term.wait_for("not supported yet")
        assert pi.server.requests == []
        pi.term.press("enter")
        pi.term.wait_for("As text.")


def test_a_draft_survives_a_closed_terminal(tmp_path: Path) -> None:
    import signal

    with running_pi(tmp_path) as pi:
        pi.term.send("half a thought")
        pi.term.wait_for("half a thought")
        pi.term.send_signal(signal.SIGHUP)
        assert pi.term.wait_exit() == 129
    with running_pi(tmp_path) as pi:
        pi.term.press("up")
        pi.term.wait_for("half a thought")
