"""What happens to a call before it runs, one test for each numbered behaviour: 062 to 071 and 083 to 086."""

from __future__ import annotations

from typing import Any

import pytest

from core.agent.hooks import AfterToolCall, BeforeToolCall, ToolCallVerdict
from core.agent.tools import ToolInvocation, ToolResult
from core.ai.script import call
from core.ai.wire import Json
from tests.core.agent.calls import NUMBER, first_call, first_reply, rig_with
from tests.core.agent.rig import FakeTool, label, says_ok, text_of


async def test_062_missing_arguments_are_named_and_nothing_runs() -> None:
    asked: list[str] = []

    async def before(look: BeforeToolCall) -> None:
        asked.append(look.call.id)

    tool = FakeTool(parameters=NUMBER)
    rig = rig_with(tool, call("work", {"list": [1]}, id="1"), before=before)
    await rig.agent.prompt("user")
    text = text_of(rig.results()[0])
    assert "'n' is a required property" in text
    assert '{"list": [1]}' in text
    assert not asked
    assert not tool.seen


async def test_063_coerced_arguments_run_and_the_transcript_keeps_what_was_sent() -> None:
    tool = FakeTool(parameters=NUMBER)
    rig = rig_with(tool, call("work", {"n": "42"}, id="1"))
    await rig.agent.prompt("user")
    assert tool.seen[0].arguments == {"n": 42}
    assert first_call(rig).arguments == {"n": "42"}


async def test_064_null_for_an_optional_number_is_no_argument() -> None:
    parameters: dict[str, Json] = {"type": "object", "properties": {"n": {"type": "number"}}}
    tool = FakeTool(parameters=parameters)
    await rig_with(tool, call("work", {"n": None}, id="1")).agent.prompt("user")
    assert tool.seen[0].arguments == {}


async def test_065_a_tool_that_changes_its_arguments_changes_nothing_else() -> None:
    seen: list[Any] = []

    async def spoil(invocation: ToolInvocation) -> ToolResult:
        arguments: Any = invocation.arguments
        arguments["list"].append("spoiled")
        arguments["n"] = "spoiled"
        return await says_ok(invocation)

    async def after(look: AfterToolCall) -> None:
        seen.append((look.call.arguments, dict(look.arguments)))

    rig = rig_with(FakeTool(behaviour=spoil), call("work", {"n": 1, "list": [1]}, id="1"), after=after)
    await rig.agent.prompt("user")
    assert first_call(rig).arguments == {"n": 1, "list": [1]}
    assert seen == [({"n": 1, "list": [1]}, {"n": 1, "list": [1]})]


async def test_066_prepared_arguments_run_and_the_start_event_shows_the_raw_ones() -> None:
    def prepare(raw: dict[str, Json]) -> dict[str, Json]:
        raw["list"].append(2)  # a tool that breaks the rule of not changing `raw` harms nobody
        return {"n": raw.pop("number")}

    tool = FakeTool(parameters=NUMBER, prepare=prepare)
    rig = rig_with(tool, call("work", {"number": 1, "list": [1]}, id="1"))
    await rig.agent.prompt("user")
    assert tool.seen[0].arguments == {"n": 1}
    start = next(event.to_wire() for event in rig.events if event.to_wire()["type"] == "tool_execution_start")
    assert start["args"] == {"number": 1, "list": [1]}
    assert first_call(rig).arguments == {"number": 1, "list": [1]}


@pytest.mark.parametrize("error", [RuntimeError("cannot read that"), RuntimeError()], ids=["text", "no text"])
@pytest.mark.parametrize("part", ["prepare", "reserving"])
async def test_067_a_tool_that_raises_before_it_runs(part: str, error: Exception) -> None:
    def breaks(arguments: Any) -> Any:
        raise error

    fields: dict[str, Any] = {part: breaks}
    tool = FakeTool(**fields)
    rig = rig_with(tool, "1")
    await rig.agent.prompt("user")
    assert label(rig.results()[0]) == "r1!"
    assert text_of(rig.results()[0]) == (str(error) or "RuntimeError")
    assert rig.results()[0].duration_ms is None
    assert not tool.seen


@pytest.mark.parametrize(("reason", "text"), [("too risky", "too risky"), ("", "The call of work was not allowed.")])
async def test_068_a_block_tells_its_reason(reason: str, text: str) -> None:
    async def before(look: BeforeToolCall) -> ToolCallVerdict | None:
        return ToolCallVerdict(block=True, reason=reason)

    rig = rig_with(FakeTool(), "1", before=before)
    await rig.agent.prompt("user")
    assert text_of(rig.results()[0]) == text


async def test_069_a_before_hook_that_raises_leaves_siblings_alone() -> None:
    async def before(look: BeforeToolCall) -> ToolCallVerdict | None:
        if look.call.id == "1":
            raise RuntimeError("hook broke")
        return None

    rig = rig_with(FakeTool(), "1", "2", before=before)
    await rig.agent.prompt("user")
    assert [label(result) for result in rig.results()] == ["r1!", "r2"]


async def test_070_arguments_are_frozen_for_the_before_hook() -> None:
    async def before(look: BeforeToolCall) -> ToolCallVerdict | None:
        arguments: Any = look.arguments
        arguments["list"].append("no effect")
        if look.call.id == "2":
            arguments["n"] = 2
        return None

    tool = FakeTool(parameters=NUMBER)
    sent = {"n": 1, "list": [1]}
    rig = rig_with(tool, call("work", sent, id="1"), call("work", sent, id="2"), before=before)
    await rig.agent.prompt("user")
    assert tool.seen[0].arguments == sent
    assert tool.ids == ["1"]
    assert "does not support item assignment" in text_of(rig.results()[1])


@pytest.mark.parametrize(("value", "runs"), [("7", True), ("many", False)])
async def test_070_arguments_that_the_before_hook_returns_are_validated_again(value: str, runs: bool) -> None:
    async def before(look: BeforeToolCall) -> ToolCallVerdict | None:
        return ToolCallVerdict(arguments={**look.arguments, "n": value})

    tool = FakeTool(parameters=NUMBER)
    rig = rig_with(tool, call("work", {"n": 1}, id="1"), before=before)
    await rig.agent.prompt("user")
    assert [seen.arguments for seen in tool.seen] == ([{"n": 7}] if runs else [])
    assert rig.results()[0].is_error is not runs
    assert first_call(rig).arguments == {"n": 1}


async def test_071_the_before_hook_sees_the_reply_that_asks() -> None:
    looks: list[BeforeToolCall] = []

    async def before(look: BeforeToolCall) -> None:
        assert look.view.messages[-1] is look.reply
        looks.append(look)

    rig = rig_with(FakeTool(), "1", before=before)
    await rig.agent.prompt("user")
    assert [look.call for look in looks] == [looks[0].reply.tool_calls[0]]
    assert looks[0].view.model == rig.agent.state.model


@pytest.mark.parametrize(
    ("number", "text", "said"),
    [
        ("083", '{"path":"a", tru', '{"path":"a", tru'),
        ("085", '["a"]', "must be a JSON object, not an array"),
    ],
    ids=["083", "085"],
)
async def test_083_085_malformed_arguments_do_not_run(number: str, text: str, said: str) -> None:
    tool = FakeTool()
    rig = rig_with(tool, call("work", text, id="1"))
    await rig.agent.prompt("user")
    assert not tool.seen
    assert said in text_of(rig.results()[0])
    assert first_call(rig).arguments == {}


async def test_084_no_argument_text_is_no_arguments() -> None:
    tool = FakeTool()
    await rig_with(tool, call("work", "", id="1")).agent.prompt("user")
    assert tool.seen[0].arguments == {}


async def test_086_calls_with_one_id_are_told_apart_and_both_answered() -> None:
    tool = FakeTool()
    rig = rig_with(tool, "same", "same")
    await rig.agent.prompt("user")
    assert tool.ids == ["same", "same_2"]
    assert [block.id for block in first_reply(rig).tool_calls] == ["same", "same_2"]
    assert [label(result) for result in rig.results()] == ["rsame", "rsame_2"]
