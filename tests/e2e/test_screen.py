"""The screen: starting, leaving, commands, odd sizes."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.e2e.start import READY, app_has_keys, running_pi
from tests.support.script import Pace, say


def test_first_reply_and_resume_line_on_leaving(tmp_path: Path) -> None:
    with running_pi(tmp_path, [say("Hello **there**.")]) as pi:
        pi.say("hi")
        pi.term.wait_for("Hello there.")
        pi.term.press("ctrl+d")
        assert pi.term.wait_exit() == 0
        session_id = pi.session_files()[0].stem.partition("_")[2]
        assert session_id in "\n".join(pi.term.main_lines)
        assert pi.term.screen.unrestored() == []


def test_ctrl_c_clears_first_and_quits_when_pressed_twice(tmp_path: Path) -> None:
    with running_pi(tmp_path) as pi:
        pi.term.send("half a thought")
        pi.term.wait_for("half a thought")
        pi.term.press("ctrl+c")
        pi.term.wait_gone("half a thought")
        pi.term.press("up")
        pi.term.wait_for("half a thought")
        pi.term.press("ctrl+c")
        pi.term.wait_gone("half a thought")
        pi.term.press("ctrl+c", "ctrl+c")
        assert pi.term.wait_exit() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_restore_the_terminal(tmp_path: Path, number: signal.Signals) -> None:
    with running_pi(tmp_path) as pi:
        pi.term.send_signal(number)
        assert pi.term.wait_exit() == 128 + number
        assert pi.term.screen.unrestored() == []


def test_commands(tmp_path: Path) -> None:
    with running_pi(tmp_path, [say("First answer."), say("Second answer."), say("Sent anyway.")]) as pi:
        pi.say("/help")
        pi.term.wait_for("Select with the mouse")
        pi.say("one")
        pi.term.wait_for("First answer.")
        pi.say("/new")
        pi.term.wait_gone("First answer.")
        pi.say("two")
        pi.term.wait_for("Second answer.")
        assert [m["content"] for m in pi.messages(2) if m["role"] == "user"] != []
        assert len([m for m in pi.messages(2) if m["role"] == "user"]) == 1
        pi.say("/frobnicate now")
        pi.term.wait_for("/frobnicate is not a command")
        assert len(pi.server.requests) == 2
        pi.term.press("enter")
        pi.term.wait_for("Sent anyway.")
        pi.say("/quit")
        assert pi.term.wait_exit() == 0
        assert len(pi.session_files()) == 2


def test_model_can_be_changed_by_name_and_from_the_list(tmp_path: Path) -> None:
    with running_pi(tmp_path, [say("By the other.")]) as pi:
        pi.say("/model fake-anthropic/scripted-1")
        pi.term.wait_for("fake-anthropic/scripted-1")
        pi.say("hi")
        pi.term.wait_for("By the other.")
        assert pi.server.requests[0].path.startswith("/v1/messages")
        pi.say("/model")
        pi.term.wait_for("type to search")
        pi.term.send("openai")
        pi.term.press("enter")
        pi.term.wait_for("fake-openai/scripted-1")


@pytest.mark.parametrize(("columns", "rows"), [(20, 6), (80, 24), (200, 60), (10, 5)])
def test_sizes(tmp_path: Path, columns: int, rows: int) -> None:
    with running_pi(tmp_path, [say("Answer 中文 🎉 done.")], columns=columns, rows=rows, ready=app_has_keys) as pi:
        pi.term.send("hi")
        pi.term.wait_for("hi")
        pi.term.press("enter")
        pi.server.wait_finished(1)
        pi.term.wait_for("done")
        pi.term.press("ctrl+d")
        assert pi.term.wait_exit() == 0


def test_resizing_while_streaming_shows_each_line_once(tmp_path: Path) -> None:
    lines = "\n\n".join(f"Line number {index} of the answer." for index in range(12))
    with running_pi(tmp_path, [say(lines, pace=Pace(chars=10, delay=0.02))], columns=100, rows=50) as pi:
        pi.say("go")
        pi.term.wait_for("Line number 1 ")
        for size in ((60, 40), (120, 50), (45, 48), (100, 50)):
            pi.term.resize(*size)
            pi.term.wait_for(READY)
        pi.term.wait_for("Line number 11 of the answer.")
        pi.term.wait_quiet()
        for index in range(12):
            assert pi.term.text.count(f"Line number {index} of the answer.") == 1, pi.term.dump()


def test_without_credentials_the_guide_answers_and_says_what_it_is(tmp_path: Path) -> None:
    from tests.support.commands import pi_command
    from tests.support.terminal import Terminal

    (tmp_path / "note.txt").write_text("the secret of the note\n")
    with Terminal(pi_command(), cwd=tmp_path, env={"PI_CODING_AGENT_DIR": str(tmp_path / "agent")}) as term:
        term.wait_for("demo/guide")
        term.wait_for("not a language model")
        term.send("read note.txt\r")
        term.wait_for("the secret of the note", timeout=20)


def test_session_goes_on_after_leaving(tmp_path: Path) -> None:
    with running_pi(tmp_path, [say("Remember 42.")]) as pi:
        pi.say("a number please")
        pi.term.wait_for("Remember 42.")
        pi.term.press("ctrl+d")
        pi.term.wait_exit()
    with running_pi(tmp_path, [say("It was 42.")], args=["-c"]) as pi:
        pi.term.wait_for("Remember 42.")
        pi.say("which one?")
        pi.term.wait_for("It was 42.")
        assert [m["role"] for m in pi.messages(1)][-3:] == ["user", "assistant", "user"]
        assert len(pi.session_files()) == 1


def test_a_prompt_entered_while_pi_loads_is_sent_once_and_the_rest_is_kept(tmp_path: Path) -> None:
    with running_pi(tmp_path, [say("Here already.")], ready="") as pi:
        pi.term.wait_for(lambda term: term.screen.on_alternate)
        pi.term.send("early bird\rand then")
        pi.term.wait_for("Here already.", timeout=30)
        pi.term.wait_for("and then")
        assert [m["role"] for m in pi.messages(1)].count("user") == 1
        assert "early bird" in str(pi.messages(1)[-1])
        assert "and then" not in str(pi.messages(1))
