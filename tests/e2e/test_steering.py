"""Typing while a run is active: steering, follow-ups, and taking it all back with Esc."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.e2e.start import Running, processes, running_pi, wait_until
from tests.support.script import Pace, Reply, call, say

WAIT = "until [ -e go ]; do sleep 0.05; done; echo went"


def release(pi: Running) -> None:
    """Let the waiting command end."""
    (pi.project / "go").touch()


def texts(messages: list[dict[str, Any]], role: str) -> list[str]:
    """The texts of the messages of `role`, in order."""
    found = []
    for message in messages:
        if message["role"] == role:
            content = message["content"]
            found.append(content if isinstance(content, str) else "".join(part["text"] for part in content))
    return found


def waiting_replies(*after: Reply) -> list[Reply]:
    return [say("Waiting.", call("bash", {"command": WAIT})), *after]


def test_enter_during_a_tool_goes_into_the_next_request_after_the_results(tmp_path: Path) -> None:
    with running_pi(tmp_path, waiting_replies(say("All done."))) as pi:
        pi.say("start it")
        pi.term.wait_for("until [ -e go ]")
        pi.say("first steer")
        pi.term.wait_for("Steering: first steer")
        release(pi)
        pi.term.wait_for("All done.")
        roles = [message["role"] for message in pi.messages(2)]
        assert roles[-4:] == ["user", "assistant", "tool", "user"]
        assert texts(pi.messages(2), "user") == ["start it", "first steer"]


def test_two_steers_come_one_a_turn_in_order(tmp_path: Path) -> None:
    with running_pi(tmp_path, waiting_replies(say("One."), say("Two."))) as pi:
        pi.say("start it")
        pi.term.wait_for("until [ -e go ]")
        pi.say("steer A")
        pi.say("steer B")
        pi.term.wait_for("Steering: steer B")
        release(pi)
        pi.term.wait_for("Two.")
        assert texts(pi.messages(2), "user") == ["start it", "steer A"]
        assert texts(pi.messages(3), "user") == ["start it", "steer A", "steer B"]


def test_alt_enter_waits_until_the_agent_would_have_stopped(tmp_path: Path) -> None:
    with running_pi(tmp_path, waiting_replies(say("Finished first."), say("Then this."))) as pi:
        pi.say("start it")
        pi.term.wait_for("until [ -e go ]")
        pi.term.send("later please")
        pi.term.press("alt+enter")
        pi.term.wait_for("Follow-up: later please")
        release(pi)
        pi.term.wait_for("Then this.")
        assert texts(pi.messages(2), "user") == ["start it"]
        assert texts(pi.messages(3), "user") == ["start it", "later please"]


def test_esc_ends_the_whole_tree_within_a_second_and_the_prompt_is_usable(tmp_path: Path) -> None:
    replies = [say("", call("bash", {"command": "sleep 298 & sleep 299"})), say("Back.")]
    with running_pi(tmp_path, replies) as pi:
        pi.say("start it")
        wait_until(lambda: len(processes("sleep 298")) >= 1 and len(processes("sleep 299")) >= 1)
        pi.term.press("escape")
        assert wait_until(lambda: not processes("sleep 298") and not processes("sleep 299")) < 1.0
        pi.say("go on")
        pi.term.wait_for("Back.")
        assert texts(pi.messages(2), "user") == ["start it", "go on"]
        assert [m["role"] for m in pi.messages(2)].count("tool") == 1


def test_esc_while_streaming_keeps_the_partial_text_and_returns_the_queue(tmp_path: Path) -> None:
    slow = say("The beginning is here. " + "word " * 400, pace=Pace(chars=5, delay=0.02))
    with running_pi(tmp_path, [slow, say("Next.")]) as pi:
        pi.say("tell me")
        pi.term.wait_for("The beginning is here.")
        pi.say("one more thing")
        pi.term.wait_for("Steering: one more thing")
        pi.term.press("escape")
        pi.term.wait_gone("Steering:")
        pi.term.wait_for("The beginning is here.")
        pi.term.wait_for("one more thing")
        pi.term.press("enter")
        pi.term.wait_for("Next.")
        assert texts(pi.messages(2), "user") == ["tell me", "one more thing"]


def test_alt_up_brings_the_queue_back_without_stopping(tmp_path: Path) -> None:
    with running_pi(tmp_path, waiting_replies(say("All done."))) as pi:
        pi.say("start it")
        pi.term.wait_for("until [ -e go ]")
        pi.say("changed my mind")
        pi.term.wait_for("Steering: changed my mind")
        pi.term.press("alt+up")
        pi.term.wait_gone("Steering:")
        release(pi)
        pi.term.wait_for("All done.")
        assert texts(pi.messages(2), "user") == ["start it"]
        pi.term.wait_for("changed my mind")
