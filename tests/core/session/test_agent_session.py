"""Runs, queues, retries and settling of a session."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.agent.events import AgentEnd
from core.ai.errors import ErrorInfo
from core.ai.messages import AssistantMessage, UserMessage
from core.ai.model import ModelRequest
from core.ai.script import Call, Fault, Reply, Text
from core.session.agent_session import text_of
from core.session.events import AgentSettled, AutoRetryEnd, QueueUpdate, SessionNotice
from core.session.retry import RetryPolicy
from core.session.store import SessionStore
from tests.core.session.rig import GateTool, Rig, lines, user

OVERLOADED = Reply(steps=(Fault(kind="error", error=ErrorInfo(kind="overloaded", message="529: busy", status=529)),))


def say(text: str) -> Reply:
    return Reply(steps=(Text(text=text),))


GATE = Reply(steps=(Call(name="gate"),))


async def test_first_run_records_settings_system_and_messages_in_order(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    rig = Rig([say("hi")], path=path, sections=lambda: {"preamble": "Be brief."})
    await rig.session.prompt(user("hello"))
    kinds = [(r["type"], r.get("message", {}).get("role")) for r in lines(path)]
    assert kinds == [
        ("session", None),
        ("model_change", None),
        ("thinking_level_change", None),
        ("message", "system"),
        ("message", "user"),
        ("message", "assistant"),
    ]
    parents = [record["parentId"] for record in lines(path)[1:]]
    assert parents == [None, *[record["id"] for record in lines(path)[1:-1]]]
    assert rig.types()[-2:] == ["agent_end", "agent_settled"]


async def test_nothing_is_written_before_something_was_said(tmp_path: Path) -> None:
    rig = Rig([say("hi")], path=tmp_path / "s.jsonl")
    await rig.session.close()
    assert not (tmp_path / "s.jsonl").exists()


async def test_system_message_is_not_repeated_but_patched(tmp_path: Path) -> None:
    sections = {"preamble": "A", "cwd": "/x"}
    rig = Rig([say("1"), say("2"), say("3")], sections=lambda: dict(sections))
    await rig.session.prompt(user("a"))
    await rig.session.prompt(user("b"))
    sections["cwd"] = "/y"
    await rig.session.prompt(user("c"))
    found = [m.to_wire() for m in rig.session.messages if m.role == "system"]
    assert [m["sections"] for m in found] == [{"preamble": "A", "cwd": "/x"}, {"cwd": "/y"}]


async def test_message_is_on_disk_before_listeners_see_it(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    rig = Rig([say("hi")], path=path)
    seen: list[int] = []

    def look(event: object) -> None:
        if getattr(event, "type", "") == "message_end":
            seen.append(len([r for r in lines(path) if r["type"] == "message"]) if path.exists() else 0)

    rig.session.subscribe(look)
    await rig.session.prompt(user("hello"))
    assert seen == [1, 2]


async def test_steer_while_a_tool_runs_goes_into_the_next_request() -> None:
    tool = GateTool()
    rig = Rig([GATE, say("ok")], tools=[tool])
    rig.session.follow_up(user("go"))
    await tool.running.wait()
    rig.session.steer(user("also this"))
    tool.go.set()
    await rig.session.wait_for_idle()
    assert rig.asked(1) == ["go", "also this"]
    assert [m.role for m in rig.provider.requests[1].messages][-2:] == ["toolResult", "user"]


async def test_follow_up_waits_for_the_end() -> None:
    tool = GateTool()
    rig = Rig([GATE, say("ok"), say("ok 2")], tools=[tool])
    rig.session.follow_up(user("go"))
    await tool.running.wait()
    rig.session.follow_up(user("then this"))
    tool.go.set()
    await rig.session.wait_for_idle()
    assert [rig.asked(i) for i in range(3)] == [["go"], ["go"], ["go", "then this"]]
    assert rig.types().count("agent_start") == 1


async def test_what_is_sent_in_one_breath_keeps_its_order() -> None:
    rig = Rig([say("1"), say("2"), say("3")])
    rig.session.follow_up(user("a"))
    rig.session.steer(user("b"))
    rig.session.steer(user("c"))
    await rig.session.wait_for_idle()
    assert rig.asked() == ["a", "b", "c"]


async def test_a_follow_up_in_the_same_breath_waits_for_the_end_of_the_first() -> None:
    rig = Rig([say("1"), say("2")])
    rig.session.follow_up(user("a"))
    rig.session.follow_up(user("b"))
    await rig.session.wait_for_idle()
    assert [rig.asked(i) for i in range(2)] == [["a"], ["a", "b"]]


@pytest.mark.parametrize("stop", ["interrupt", "take_back"])
async def test_what_no_run_has_begun_with_comes_back_first(stop: str) -> None:
    rig = Rig([say("ok")])
    rig.session.follow_up(user("a"))
    rig.session.steer(user("b"))
    assert getattr(rig.session, stop)() == ("a", "b")
    rig.session.steer(user("c"))
    await rig.session.wait_for_idle()
    assert rig.asked() == ["c"]


async def test_closing_at_once_begins_no_run() -> None:
    rig = Rig([say("never")])
    rig.session.follow_up(user("a"))
    await rig.session.close()
    assert rig.provider.requests == []


async def test_queue_updates_tell_what_waits() -> None:
    tool = GateTool()
    rig = Rig([GATE, say("ok"), say("ok 2")], tools=[tool])
    rig.session.follow_up(user("go"))
    await tool.running.wait()
    rig.session.steer(user("s"))
    rig.session.follow_up(user("f"))
    tool.go.set()
    await rig.session.wait_for_idle()
    shown = [(e.steering, e.follow_up) for e in rig.events if isinstance(e, QueueUpdate)]
    assert shown == [(("s",), ()), (("s",), ("f",)), ((), ("f",)), ((), ())]


async def test_interrupt_returns_the_queue_and_ends_the_run_without_a_request() -> None:
    tool = GateTool()
    rig = Rig([GATE, say("never")], tools=[tool])
    rig.session.follow_up(user("go"))
    await tool.running.wait()
    rig.session.steer(user("s1"))
    rig.session.follow_up(user("f1"))
    assert rig.session.interrupt() == ("s1", "f1")
    await rig.session.wait_for_idle()
    assert len(rig.provider.requests) == 1
    assert rig.session.queued() == ((), ())
    last = rig.session.messages[-1]
    assert isinstance(last, AssistantMessage)
    assert last.stop_reason == "aborted"
    settled = rig.events[-1]
    assert isinstance(settled, AgentSettled)
    assert settled.aborted


async def test_text_after_an_abort_is_answered() -> None:
    tool = GateTool()
    rig = Rig([GATE, say("ok")], tools=[tool])
    rig.session.follow_up(user("go"))
    await tool.running.wait()
    rig.session.interrupt()
    rig.session.steer(user("do that instead"))
    await rig.session.wait_for_idle()
    assert rig.asked() == ["go", "do that instead"]


async def test_queue_stays_after_a_failed_run_and_goes_first_next_time() -> None:
    refused = Reply(steps=(Fault(kind="error", error=ErrorInfo(kind="auth", message="401: no key", status=401)),))
    rig = Rig([refused, say("ok")])

    def steer_once(event: object) -> None:
        if getattr(event, "type", "") == "turn_end" and len(rig.provider.requests) == 1:
            rig.session.steer(user("late"))

    rig.session.subscribe(steer_once)
    await rig.session.prompt(user("go"))
    assert rig.session.queued() == (("late",), ())
    await rig.session.prompt(user("again"))
    assert rig.asked() == ["go", "late", "again"]


class TestRetry:
    async def test_failed_request_is_sent_again_and_hidden_from_the_model(self, tmp_path: Path) -> None:
        path = tmp_path / "s.jsonl"
        rig = Rig([OVERLOADED, say("ok")], path=path)
        await rig.session.prompt(user("go"))
        kept = [t for t in rig.types() if t.startswith(("agent", "auto", "entry"))]
        assert kept == [
            "agent_start",
            "agent_end",
            "auto_retry_start",
            "entry_appended",
            "agent_start",
            "auto_retry_end",
            "agent_end",
            "agent_settled",
        ]
        assert [m.role for m in rig.provider.requests[1].messages] == ["user"]
        edits = [r for r in lines(path) if r["type"] == "context_edit"]
        assert len(edits) == 1
        loaded = SessionStore.load(path)
        assert loaded is not None
        assert Rig([], store=loaded).session.messages == rig.session.messages

    async def test_agent_end_tells_whether_it_is_tried_again(self) -> None:
        rig = Rig([OVERLOADED, say("ok")])
        told: list[object] = []

        def look(event: object) -> None:
            if isinstance(event, AgentEnd):
                told.append(rig.session.to_wire(event)["willRetry"])

        rig.session.subscribe(look)
        await rig.session.prompt(user("go"))
        assert told == [True, False]

    async def test_gives_up_after_the_last_attempt_without_another_wait(self) -> None:
        rig = Rig([OVERLOADED] * 4)
        await rig.session.prompt(user("go"))
        assert len(rig.provider.requests) == 4
        ends = [e for e in rig.events if isinstance(e, AutoRetryEnd)]
        assert [(e.success, e.attempt, e.final_error) for e in ends] == [(False, 3, "529: busy")]

    async def test_no_retry_for_what_waiting_does_not_cure(self) -> None:
        refused = Reply(steps=(Fault(kind="error", error=ErrorInfo(kind="auth", message="401", status=401)),))
        rig = Rig([refused, say("no")])
        await rig.session.prompt(user("go"))
        assert len(rig.provider.requests) == 1

    async def test_abort_ends_the_wait_at_once(self) -> None:
        rig = Rig([OVERLOADED, say("no")], retry=RetryPolicy(base_delay=1_000.0, max_delay=2_000.0))
        rig.session.follow_up(user("go"))
        await rig.until(lambda: "auto_retry_start" in rig.types())
        rig.session.interrupt()
        await rig.session.wait_for_idle()
        assert len(rig.provider.requests) == 1

    async def test_steering_during_the_wait_is_in_the_next_attempt(self) -> None:
        rig = Rig([OVERLOADED, say("ok")], retry=RetryPolicy(base_delay=0.02))
        rig.session.follow_up(user("go"))
        await rig.until(lambda: "auto_retry_start" in rig.types())
        rig.session.steer(user("hurry"))
        await rig.session.wait_for_idle()
        assert rig.asked() == ["go", "hurry"]


async def test_unsaved_messages_are_said_once_kept_and_written_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s.jsonl"
    rig = Rig([say("1"), say("2")], path=path)

    async def full(self: SessionStore, *_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(SessionStore, "_write", full)
        await rig.session.prompt(user("a"))
    notices = [e for e in rig.events if isinstance(e, SessionNotice)]
    assert [n.level for n in notices] == ["error"]
    await rig.session.prompt(user("b"))
    roles = [r["message"]["role"] for r in lines(path) if r["type"] == "message"]
    assert roles == ["user", "assistant", "user", "assistant"]


def _answer(request: ModelRequest) -> Reply:
    """Call the tool once for each user message, then answer."""
    calls = sum(isinstance(m, AssistantMessage) and bool(m.tool_calls) for m in request.messages)
    texts = sum(isinstance(m, UserMessage) for m in request.messages)
    return Reply(steps=(Call(name="gate", id=f"c{len(request.messages)}"),)) if calls < texts else say("done")


ACTIONS = st.sampled_from(["steer", "follow", "submit", "interrupt", "take_back"])


@given(st.lists(st.tuples(st.integers(0, 60), ACTIONS), max_size=6), st.sampled_from(["", "fail-first"]))
@settings(max_examples=60, deadline=None)
async def test_text_submitted_at_any_moment_reaches_the_model_once_or_comes_back(
    plan: list[tuple[int, str]], fault: str
) -> None:
    """Whatever the step of the event loop at which a person acts: no text is lost, none is doubled."""
    tool = GateTool()
    tool.go.set()
    failed: list[bool] = []

    def reply(request: ModelRequest) -> Reply:
        if fault and not failed:
            failed.append(True)
            return OVERLOADED
        return _answer(request)

    rig = Rig(reply, tools=[tool])
    back: list[str] = []
    sent = ["t0"]
    rig.session.follow_up(user("t0"))
    for steps, action in plan:
        for _ in range(steps):
            await asyncio.sleep(0)
        if action == "interrupt":
            back.extend(rig.session.interrupt())
            continue
        if action == "take_back":
            back.extend(rig.session.take_back())
            continue
        text = f"t{len(sent)}"
        sent.append(text)
        steering = action == "steer" or (action == "submit" and rig.session.busy)
        (rig.session.steer if steering else rig.session.follow_up)(user(text))
    await rig.session.wait_for_idle()
    await rig.session.prompt(user("last"))
    in_request = rig.asked()
    assert sorted(in_request + back) == sorted([*sent, "last"])
    assert rig.session.queued() == ((), ())
    transcript = [text_of(m) for m in rig.session.messages if isinstance(m, UserMessage)]
    assert transcript == in_request
