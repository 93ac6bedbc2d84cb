"""One assistant message, built from what an adapter receives."""

from __future__ import annotations

import pytest

from core.ai.builder import MessageBuilder
from core.ai.errors import ErrorInfo, error_of
from core.ai.messages import Cost, TextContent, ThinkingContent, ToolCall, Usage
from core.ai.model import Model, Prices
from core.ai.stream import ToolCallEnd, ToolCallStart

MODEL = Model(id="m", name="M", api="fake", provider="p", cost=Prices(input=1, output=2))


def builder() -> MessageBuilder:
    return MessageBuilder(MODEL, "high")


def test_blocks_become_content_in_the_order_in_which_they_were_opened() -> None:
    reply = builder()
    thinking, _ = reply.open_thinking()
    text, _ = reply.open_text()
    call, _ = reply.open_tool_call("c", "work")
    assert (thinking, text, call) == (0, 1, 2)
    reply.append(call, '{"a":')
    reply.append(text, "hel")
    reply.append(thinking, "hm")
    reply.append(text, "lo")
    reply.append(call, "1}")
    reply.sign(thinking, "sig")
    reply.sign(thinking, "nature", extend=True)
    ends = [event.to_wire() for event in reply.close_all()]
    assert [end["type"] for end in ends] == ["thinking_end", "text_end", "toolcall_end"]
    assert [end.get("content") for end in ends] == ["hm", "hello", None]
    assert reply.close_all() == []
    assert reply.done("toolUse").message.content == (
        ThinkingContent(thinking="hm", thinking_signature="signature"),
        TextContent(text="hello"),
        ToolCall(id="c", name="work", arguments={"a": 1}),
    )


def test_events_carry_index_and_delta() -> None:
    reply = builder()
    _, opened = reply.open_text()
    assert opened.to_wire() == {"type": "text_start", "contentIndex": 0}
    assert reply.append(0, "x").to_wire() == {"type": "text_delta", "contentIndex": 0, "delta": "x"}
    reply.open_thinking()
    assert reply.append(1, "y").to_wire() == {"type": "thinking_delta", "contentIndex": 1, "delta": "y"}
    reply.open_tool_call("c", "work")
    assert reply.append(2, "").to_wire() == {"type": "toolcall_delta", "contentIndex": 2, "delta": ""}


def test_a_redacted_thought_is_whole_from_the_start() -> None:
    reply = builder()
    reply.open_thinking(redacted_data="opaque")
    content = reply.done("stop").message.content[0]
    assert isinstance(content, ThinkingContent)
    assert (content.redacted, content.thinking_signature) == (True, "opaque")
    assert content.thinking


def test_the_text_of_an_end_event_can_replace_the_deltas() -> None:
    reply = builder()
    index, _ = reply.open_text()
    reply.append(index, "draft")
    reply.replace(index, "final")
    assert reply.close(index).to_wire()["content"] == "final"
    call, _ = reply.open_tool_call("c", "work")
    reply.close(call)
    reply.replace(call, '{"a": 2}')
    assert reply.done("toolUse").message.tool_calls[0].arguments == {"a": 2}


def test_id_and_name_may_come_late() -> None:
    reply = builder()
    index, opened = reply.open_tool_call()
    assert isinstance(opened, ToolCallStart)
    assert (opened.id, opened.tool_name) == ("", "")
    reply.name_tool_call(index, call_id="c")
    reply.name_tool_call(index, name="work")
    reply.name_tool_call(index)
    end = reply.close(index)
    assert isinstance(end, ToolCallEnd)
    assert (end.tool_call.id, end.tool_call.name, end.tool_call.arguments) == ("c", "work", {})
    assert reply.done("toolUse").message.tool_calls == (end.tool_call,)
    reply.name_tool_call(index, name="later")
    assert reply.done("toolUse").message.tool_calls[0].name == "later"


def test_086_ids_are_unique_within_a_reply() -> None:
    reply = builder()
    for call_id in ("c", "c", "c_2", "c"):
        reply.open_tool_call(call_id, "work")
    late, _ = reply.open_tool_call()
    reply.name_tool_call(late, call_id="c")
    reply.name_tool_call(late, call_id=reply.done("toolUse").message.tool_calls[late].id)
    ids = [call.id for call in reply.done("toolUse").message.tool_calls]
    assert ids[:2] == ["c", "c_2"]
    assert len(set(ids)) == 5


def test_a_call_without_an_id_gets_one() -> None:
    reply = builder()
    for _ in range(2):
        index, _ = reply.open_tool_call("", "work")
        reply.close(index)
    first, second = (call.id for call in reply.done("toolUse").message.tool_calls)
    assert first
    assert second
    assert first != second


def test_a_snapshot_shows_unfinished_arguments() -> None:
    reply = builder()
    index, _ = reply.open_tool_call("c", "work")
    reply.append(index, '{"path": "src/ma')
    message = reply.snapshot()
    assert message.stop_reason == "pending"
    assert message.tool_calls[0].arguments == {"path": "src/ma"}
    assert (message.duration_ms, message.thinking_level) == (None, None)


def test_a_call_that_is_cut_short_is_not_taken_for_whole() -> None:
    reply = builder()
    index, _ = reply.open_tool_call("c", "write")
    reply.append(index, '{"path": "a", "content": "half')
    call = reply.done("toolUse").message.tool_calls[0]
    assert call.arguments == {}
    assert call.arguments_error is not None


@pytest.mark.parametrize("how", ["failed", "aborted"])
def test_what_had_arrived_is_kept(how: str) -> None:
    reply = builder()
    text, _ = reply.open_text()
    reply.append(text, "half")
    call, _ = reply.open_tool_call("c", "work")
    reply.append(call, '{"path": "src')
    reply.response_id = "r"
    info = ErrorInfo(kind="server", message="Gone", status=502)
    end = reply.failed(info) if how == "failed" else reply.aborted("Stopped")
    message = end.error
    assert end.reason == message.stop_reason == ("error" if how == "failed" else "aborted")
    assert message.error_message == ("Gone" if how == "failed" else "Stopped")
    assert message.text == "half"
    assert message.tool_calls[0].arguments == {"path": "src"}
    assert message.response_id == "r"
    assert error_of(message) == (info if how == "failed" else None)


def test_the_message_tells_who_made_it() -> None:
    reply = builder()
    reply.response_model = "m-2"
    reply.raw_stop_reason = "end_turn"
    reply.provider_thinking_level = "4096"
    start = reply.start()
    assert reply.started
    message = reply.done("stop").message
    assert (message.api, message.provider, message.model) == ("fake", "p", "m")
    assert (message.response_model, message.raw_stop_reason) == ("m-2", "end_turn")
    assert (message.thinking_level, message.provider_thinking_level) == ("high", "4096")
    assert message.timestamp == start.message.timestamp
    assert isinstance(message.duration_ms, int)


def test_the_cost_follows_from_usage_and_prices_unless_it_was_billed() -> None:
    reply = builder()
    reply.set_usage(Usage(input=1_000_000, output=500_000))
    assert reply.done("stop").message.usage.cost.total == pytest.approx(2)
    billed = Usage(input=1, cost=Cost(total=5, total_from_provider=True))
    reply.set_usage(billed)
    assert reply.done("stop").message.usage == billed


def test_what_it_holds() -> None:
    reply = builder()
    assert reply.is_empty
    assert not reply.has_tool_calls
    reply.open_text()
    assert not reply.is_empty
    assert not reply.has_tool_calls
    reply.open_tool_call("c", "work")
    assert reply.has_tool_calls


def test_many_deltas_are_joined_once() -> None:
    reply = builder()
    index, _ = reply.open_text()
    for _ in range(1_000):
        reply.append(index, "xy")
    assert reply.done("stop").message.text == "xy" * 1_000
    assert reply.snapshot().text == "xy" * 1_000
