"""The loop, one test for each numbered behaviour that no sequence test shows: 2 to 48, 106, 154 and the limits."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from core.agent.events import MessageUpdate
from core.agent.hooks import (
    AgentHooks,
    FinishedTurn,
    RunView,
    TurnChange,
    TurnDecision,
    should_stop_after_turn,
)
from core.agent.limits import RunLimits
from core.agent.tools import ToolInvocation, ToolResult
from core.ai.abort import AbortSignal
from core.ai.errors import ErrorInfo
from core.ai.messages import AgentMessage, CustomMessage, LlmMessage, SystemMessage, Usage, UserMessage
from core.ai.model import Model, RequestHooks, RequestOptions
from core.ai.script import Reply, Text, Tokens, call, fail, say
from tests.core.agent.rig import Doors, FakeTool, Rig, asks, hooks, label, text_of

DONE = say("done")


async def test_002_the_first_turn_starts_once() -> None:
    rig = Rig(asks("1"), DONE, tools=[FakeTool()])
    await rig.agent.prompt("user")
    kinds = [event.to_wire()["type"] for event in rig.events]
    assert kinds[:2] == ["agent_start", "turn_start"]
    assert kinds[: kinds.index("message_update")].count("turn_start") == 1
    assert kinds.count("turn_start") == kinds.count("turn_end") == 2


async def test_003_the_end_of_a_run_tells_its_own_messages_only() -> None:
    history = [UserMessage.of(text) for text in "abcd"]
    rig = Rig(DONE, messages=history)
    await rig.agent.prompt("user")
    assert [label(message) for message in rig.end.messages] == ["user", "A(stop)"]
    assert rig.requests() == [["a", "b", "c", "d", "user"]]


async def test_004_results_go_into_the_next_request() -> None:
    rig = Rig(asks("1"), DONE, tools=[FakeTool()])
    await rig.agent.prompt("user")
    assert rig.requests() == [["user"], ["user", "A(toolUse)", "r1"]]


async def test_006_calls_of_a_batch_really_run_together() -> None:
    met = asyncio.Event()

    async def meet(invocation: ToolInvocation) -> ToolResult:
        if invocation.call_id == "1":
            await met.wait()
        met.set()
        return ToolResult.text("met")

    rig = Rig(asks("1", "2"), DONE, tools=[FakeTool(behaviour=meet)])
    await asyncio.wait_for(rig.agent.prompt("user"), 5)
    assert [label(result) for result in rig.results()] == ["r1", "r2"]


async def test_009_a_sequential_tool_that_is_not_called_changes_nothing() -> None:
    tools = [FakeTool(), FakeTool("careful", execution_mode="sequential")]
    rig = Rig(asks("1", "2"), DONE, tools=tools)
    await rig.agent.prompt("user")
    assert "XS1 XS2 XE1 XE2" in rig.sequence


async def test_010_an_unknown_call_ends_before_the_next_one_starts() -> None:
    tool = FakeTool()
    rig = Rig(asks("1", call("nope", id="2"), "3"), DONE, tools=[tool])
    await rig.agent.prompt("user")
    assert "XS1 XS2 XE2! XS3 XE1 XE3 M(r1) M(r2!) M(r3) TE" in rig.sequence
    assert tool.ids == ["1", "3"]


@pytest.mark.parametrize(
    ("error", "after"), [("before", ""), ("partial", "half")], ids=["018 before the start", "019 after partial text"]
)
async def test_018_019_a_failed_reply_is_announced_and_keeps_its_text(error: str, after: str) -> None:
    rig = Rig(fail(ErrorInfo(kind="server", message=error), after=after))
    await rig.agent.prompt("user")
    kinds = [event.to_wire()["type"] for event in rig.events]
    assert kinds.count("message_start") == kinds.count("message_end") == 2
    assert text_of(rig.last) == after


NOTE = CustomMessage(custom_type="note", content="a note")


async def test_026_other_roles_are_left_out_and_the_log_says_so(caplog: pytest.LogCaptureFixture) -> None:
    rig = Rig(asks("1"), DONE, tools=[FakeTool()], messages=[NOTE, NOTE])
    with caplog.at_level(logging.WARNING):
        await rig.agent.prompt("user")
    assert rig.requests() == [["user"], ["user", "A(toolUse)", "r1"]]
    assert len(caplog.records) == 1
    assert "custom" in caplog.text


async def test_026_a_converter_decides_for_itself() -> None:
    def convert(messages: Sequence[AgentMessage]) -> list[LlmMessage]:
        return [UserMessage.of(text_of(message)) for message in messages]

    rig = Rig(DONE, messages=[NOTE], hooks=AgentHooks(convert_to_llm=convert))
    await rig.agent.prompt("user")
    assert rig.requests() == [["a note", "user"]]


async def test_027_a_transformed_context_is_for_one_request_only() -> None:
    async def last_two(messages: Sequence[AgentMessage], signal: AbortSignal) -> Sequence[AgentMessage]:
        return messages[-2:]

    history = [UserMessage.of(text) for text in "abcd"]
    rig = Rig(DONE, messages=history, hooks=AgentHooks(transform_context=last_two))
    await rig.agent.prompt("user")
    assert rig.requests() == [["d", "user"]]
    assert [label(message) for message in rig.agent.state.messages] == ["a", "b", "c", "d", "user", "A(stop)"]


async def test_028_hooks_are_asked_in_order_for_each_request() -> None:
    asked: list[str] = []

    async def prepare(view: RunView) -> TurnChange | None:
        asked.append("prepare")
        return None

    async def transform(messages: Sequence[AgentMessage], signal: AbortSignal) -> Sequence[AgentMessage]:
        asked.append("transform")
        return messages

    def convert(messages: Sequence[AgentMessage]) -> Any:
        asked.append("convert")
        return messages

    async def key(model: Model) -> str | None:
        asked.append("key")
        return None

    async def next_turn(view: RunView) -> TurnChange | None:
        asked.append("next")
        return None

    async def finish(turn: FinishedTurn) -> TurnDecision | None:
        asked.append("finish")
        return None

    def reply(answer: Any) -> Any:
        def make(request: Any) -> Any:
            asked.append("stream")
            return answer

        return make

    all_hooks = AgentHooks(
        transform_context=transform,
        convert_to_llm=convert,
        get_api_key=key,
        prepare_request=prepare,
        prepare_next_turn=next_turn,
        finish_turn=finish,
    )
    rig = Rig(reply(asks("1")), reply(DONE), tools=[FakeTool()], hooks=all_hooks)
    rig.on("turn_end", lambda _: asked.append("TE"), times=9)
    await rig.agent.prompt("user")
    turn = ["prepare", "transform", "convert", "key", "stream", "finish", "TE"]
    assert asked == [*turn, "next", *turn]


async def test_029_the_key_is_resolved_for_each_request() -> None:
    keys = ["k1", "", "k3"]

    async def key(model: Model) -> str | None:
        return keys.pop(0)

    rig = Rig(
        asks("1"),
        asks("2"),
        DONE,
        tools=[FakeTool()],
        options=RequestOptions(api_key="static"),
        hooks=AgentHooks(get_api_key=key),
    )
    await rig.agent.prompt("user")
    assert [request.options.api_key for request in rig.provider.requests] == ["k1", "static", "k3"]


async def test_hooks_for_payload_and_response_go_with_each_request() -> None:
    async def on_payload(payload: dict[str, Any]) -> dict[str, Any] | None:
        return None

    hooks_of_request = RequestHooks(on_payload=on_payload)
    rig = Rig(asks("1"), DONE, tools=[FakeTool()], hooks=AgentHooks(request=hooks_of_request))
    await rig.agent.prompt("user")
    assert [request.options.hooks for request in rig.provider.requests] == [hooks_of_request] * 2


async def test_converted_messages_are_converted_once() -> None:
    seen: list[list[str]] = []

    def convert(messages: Sequence[AgentMessage]) -> Any:
        seen.append([label(message) for message in messages])
        return messages

    rig = Rig(asks("1"), DONE, tools=[FakeTool()], hooks=AgentHooks(convert_to_llm=convert))
    await rig.agent.prompt("user")
    assert seen == [["user"], ["A(toolUse)", "r1"]]
    assert rig.requests()[1] == ["user", "A(toolUse)", "r1"]


async def test_a_request_hook_changes_the_very_next_request() -> None:
    async def prepare(view: RunView) -> TurnChange | None:
        if view.tools:
            return None
        return TurnChange(tools=[FakeTool()], messages=(UserMessage.of("by the hook"),))

    rig = Rig(DONE, hooks=AgentHooks(prepare_request=prepare))
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) M(system) M(by the hook) A(stop) TE AE"
    assert rig.requests() == [["user", "system", "by the hook"]]
    assert [tool.name for tool in rig.provider.requests[0].tools] == ["work"]


async def test_updates_carry_the_usage_so_far() -> None:
    rig = Rig(Reply(steps=(Text(text="a"), Tokens(usage=Usage(output=7)), Text(text="b"))))
    await rig.agent.prompt("user")
    usages = [event.usage.output for event in rig.events if isinstance(event, MessageUpdate)]
    assert usages == [0, 0, 0, 7, 7, 7]


async def test_042_the_hook_can_switch_thinking_off() -> None:
    async def off(view: RunView) -> TurnChange | None:
        return TurnChange(thinking_level="off")

    rig = Rig(asks("1"), DONE, tools=[FakeTool()], hooks=AgentHooks(prepare_next_turn=off))
    rig.agent.state.thinking_level = "high"
    await rig.agent.prompt("user")
    assert [request.options.thinking_level for request in rig.provider.requests] == ["high", "off"]
    assert rig.last.to_wire()["thinkingLevel"] == "off"


async def test_043_a_hook_that_returns_nothing_changes_nothing() -> None:
    async def nothing(view: RunView) -> TurnChange | None:
        return None

    rig = Rig(asks("1"), DONE, tools=[FakeTool()], hooks=AgentHooks(prepare_next_turn=nothing))
    await rig.agent.prompt("user")
    first, second = rig.provider.requests
    assert (first.model, first.tools, first.options) == (second.model, second.tools, second.options)


async def test_044_stop_after_turn_in_its_thin_form() -> None:
    stops = should_stop_after_turn(lambda turn: bool(turn.tool_results))
    rig = Rig(asks("1"), tools=[FakeTool()], hooks=AgentHooks(finish_turn=stops))
    rig.agent.follow_up("FU")
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(toolUse) XS1 XE1 M(r1) TE AE"
    assert len(rig.agent.follow_ups) == 1


async def test_045_a_continue_decision_with_results_to_answer_gives_no_extra_turn() -> None:
    decisions = [TurnDecision(continue_with=(UserMessage.of("and"),))]

    async def finish(turn: FinishedTurn) -> TurnDecision | None:
        return decisions.pop() if decisions else None

    rig = Rig(asks("1"), DONE, tools=[FakeTool()], hooks=AgentHooks(finish_turn=finish))
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(toolUse) XS1 XE1 M(r1) TE TS M(and) A(stop) TE AE"


async def test_046_a_continue_decision_on_a_failed_reply_is_too_late() -> None:
    turns: list[FinishedTurn] = []

    async def finish(turn: FinishedTurn) -> TurnDecision | None:
        turns.append(turn)
        return TurnDecision(continue_with=(UserMessage.of("go on"),))

    rig = Rig(fail(ErrorInfo(kind="server", message="no")), hooks=AgentHooks(finish_turn=finish))
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(error) TE AE"
    assert [turn.message.stop_reason for turn in turns] == ["error"]


@pytest.mark.parametrize("earlier", [(), ("S1",)], ids=["nothing waited", "one waited"])
async def test_047_steering_while_the_next_turn_is_prepared(earlier: tuple[str, ...]) -> None:
    async def prepare(view: RunView) -> TurnChange | None:
        if "late" not in map(text_of, rig.agent.state.messages) and not any(
            text_of(message) == "late" for message in rig.agent.steering.items()
        ):
            rig.agent.steer("late")
        return None

    rig = Rig(asks("1"), DONE, DONE, tools=[FakeTool()], hooks=AgentHooks(prepare_next_turn=prepare))
    rig.on("tool_execution_start", lambda _: [rig.agent.steer(text) for text in earlier])
    await rig.agent.prompt("user")
    tail = "TS M(S1) A(stop) TE TS M(late) A(stop) TE AE" if earlier else "TS M(late) A(stop) TE AE"
    assert rig.sequence == f"AS TS M(user) A(toolUse) XS1 XE1 M(r1) TE {tail}"


async def test_047_messages_of_the_hook_go_before_what_was_steered() -> None:
    async def prepare(view: RunView) -> TurnChange | None:
        return TurnChange(messages=(SystemMessage(content="note"),))

    rig = Rig(asks("1"), DONE, tools=[FakeTool()], hooks=AgentHooks(prepare_next_turn=prepare))
    rig.on("tool_execution_start", lambda _: rig.agent.steer("steer"))
    await rig.agent.prompt("user")
    assert rig.sequence.endswith("TE TS M(system) M(steer) A(stop) TE AE")


async def test_a_tool_with_another_description_is_declared_anew() -> None:
    async def change(view: RunView) -> TurnChange | None:
        return TurnChange(tools=[FakeTool(description="Works harder"), *view.tools[1:]])

    rig = Rig(asks("1"), DONE, tools=[FakeTool(), FakeTool("other")], hooks=AgentHooks(prepare_next_turn=change))
    await rig.agent.prompt("user")
    system = next(message for message in rig.agent.state.messages if isinstance(message, SystemMessage))
    assert [tool.description for tool in system.tools_added or ()] == ["Works harder"]
    assert system.tools_removed is None


async def test_106_model_level_and_tools_of_a_run_are_those_of_its_start() -> None:
    doors = Doors()
    rig = Rig(asks("1"), asks("2"), DONE, DONE, tools=[FakeTool(behaviour=doors.behaviour)])
    running = asyncio.create_task(rig.agent.prompt("user"))
    await doors.begun("1")
    state = rig.agent.state
    first = state.model
    state.model, state.thinking_level, state.tools = first.model_copy(update={"id": "b"}), "high", []
    doors.open("1", "2")
    await running
    await rig.agent.prompt("again")
    ids = [(request.model.id, request.options.thinking_level, len(request.tools)) for request in rig.provider.requests]
    assert ids == [("model-a", "off", 1)] * 3 + [("b", "high", 0)]


async def test_107_options_of_each_prompt_are_the_current_ones() -> None:
    rig = Rig(DONE, DONE, options=RequestOptions(session_id="a"))
    await rig.agent.prompt("user")
    rig.agent.options = replace(rig.agent.options, session_id="b")
    await rig.agent.prompt("user")
    assert [request.options.session_id for request in rig.provider.requests] == ["a", "b"]


async def test_a_hook_that_is_cancelled_from_inside_counts_as_failed() -> None:
    async def cancelled(view: RunView) -> TurnChange | None:
        raise asyncio.CancelledError

    rig = Rig(asks("1"), DONE, tools=[FakeTool()], hooks=AgentHooks(prepare_next_turn=cancelled))
    await rig.agent.prompt("user")
    assert rig.sequence.endswith("TE F(hook prepare_next_turn) AE")
    rig = Rig(DONE, hooks=AgentHooks(prepare_request=cancelled))
    await rig.agent.prompt("user")
    assert rig.sequence == "AS TS M(user) A(error) TE AE"


@pytest.mark.parametrize("name", ["prepare_request", "finish_turn", "prepare_next_turn"])
async def test_an_abort_does_not_wait_for_a_deaf_hook(name: str) -> None:
    begun = asyncio.Event()

    async def deaf(view: Any) -> Any:
        begun.set()
        await asyncio.Event().wait()

    limits = RunLimits(abort_grace=0.01)
    rig = Rig(asks("1"), tools=[FakeTool()], hooks=hooks(**{name: deaf}), limits=limits)
    running = asyncio.create_task(rig.agent.prompt("user"))
    await begun.wait()
    rig.agent.abort()
    await asyncio.wait_for(running, 5)
    assert rig.sequence.endswith("A(aborted) TE AE")
    assert "F(" not in rig.sequence
    assert rig.end.cause == "aborted"
