"""What the events of Anthropic's stream become."""

from collections.abc import Iterable
from typing import Literal

import pytest

from core.ai.builder import MessageBuilder
from core.ai.errors import ProviderError
from core.ai.messages import TextContent, ThinkingContent, ToolCall
from core.ai.stream import StreamDone, StreamEvent, TextDelta, ToolCallDelta
from core.ai.wire import Json, json_line
from tests.core.ai.build import anthropic_model, parse_anthropic
from tests.support.script import Framing, Pace, Reply, Text, Thinking
from tests.support.script import ToolCall as Call
from tests.support.wire import encode

PRICES = {"input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 3.75}
MODEL = anthropic_model(cost=PRICES)


def frames(events: Iterable[dict[str, Json]], named: bool = True) -> bytes:
    return b"".join(
        (f"event: {e['type']}\n".encode() if named else b"") + b"data: " + json_line(e) + b"\n" for e in events
    )


def stream(*blocks: dict[str, Json], stop: str | None = "end_turn", usage: Json = None, start: Json = None) -> bytes:
    """A whole stream around these content events."""
    message = {"id": "msg_1", "model": MODEL.id, "usage": start or {"input_tokens": 10, "output_tokens": 1}}
    return frames(
        [
            {"type": "message_start", "message": message},
            *blocks,
            {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": usage or {"output_tokens": 5}},
            {"type": "message_stop"},
        ]
    )


def block(kind: Json, *deltas: dict[str, Json], index: int = 0) -> list[dict[str, Json]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": kind},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def text_block(*deltas: str, index: int = 0) -> list[dict[str, Json]]:
    return block({"type": "text", "text": ""}, *({"type": "text_delta", "text": d} for d in deltas), index=index)


def done(data: bytes, step: int = 0) -> StreamDone:
    end = events(data, step)[-1]
    assert isinstance(end, StreamDone)
    return end


def events(data: bytes, step: int = 0) -> list[StreamEvent]:
    return parse_anthropic(data, MessageBuilder(MODEL), step)


def failure(data: bytes) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        events(data)
    return caught.value


@pytest.mark.parametrize("newline", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("comments", [False, True])
def test_150_byte_by_byte_in_every_dress(newline: Literal["\n", "\r", "\r\n"], comments: bool) -> None:
    content = (Thinking(thinking="Überlegung 😀"), Text(text="Grüße, 世界 😀"), Call(name="read", arguments={"p": "ü"}))
    reply = Reply(content=content, framing=Framing(newline=newline, comments=comments), pace=Pace(chars=3))
    plan = encode(reply, "anthropic-messages", MODEL.id, 1)
    data = plan.head + b"".join(plan.deltas) + plan.tail
    whole, split = events(data), events(data, 1)
    assert [event.to_wire() | {"message": 0} for event in whole] == [
        event.to_wire() | {"message": 0} for event in split
    ]
    message = done(data, 1).message
    assert message.content == (
        ThinkingContent(thinking="Überlegung 😀", thinking_signature="c2lnbmF0dXJl"),
        TextContent(text="Grüße, 世界 😀"),
        ToolCall(id="toolu_0001_02", name="read", arguments={"p": "ü"}),
    )


def test_155_two_deltas_per_chunk_make_the_same_message() -> None:
    one = events(stream(*text_block("ab", "cd", "ef")))
    two = events(stream(*text_block("abcd", "ef")))
    assert "".join(e.delta for e in one if isinstance(e, TextDelta)) == "abcdef"
    assert "".join(e.delta for e in two if isinstance(e, TextDelta)) == "abcdef"


def test_133_hours_of_cache_have_their_own_price() -> None:
    usage = {
        "input_tokens": 10,
        "output_tokens": 20,
        "cache_read_input_tokens": 5,
        "cache_creation_input_tokens": 7,
        "cache_creation": {"ephemeral_5m_input_tokens": 5, "ephemeral_1h_input_tokens": 2},
    }
    found = done(stream(*text_block("a"), start=usage, usage={"output_tokens": 20})).message.usage
    assert (found.input, found.output, found.cache_read, found.cache_write, found.cache_write_1h) == (10, 20, 5, 7, 2)
    assert found.total_tokens == 42
    assert found.cost.cache_write == pytest.approx(0.00003075)
    assert found.cost.total == pytest.approx((10 * 3 + 20 * 15 + 5 * 0.3) / 1e6 + 0.00003075)
    assert found.cost.total_from_provider is False


def test_134_what_a_later_event_leaves_out_stays() -> None:
    found = done(
        stream(*text_block("a"), start={"input_tokens": 100, "cache_read_input_tokens": 7, "output_tokens": 1})
    )
    assert (found.message.usage.input, found.message.usage.cache_read, found.message.usage.output) == (100, 7, 5)
    null = {"input_tokens": None, "output_tokens": 9}
    assert done(stream(*text_block("a"), start={"input_tokens": 100}, usage=null)).message.usage.input == 100


def test_thinking_tokens_count_as_reasoning() -> None:
    usage = {"output_tokens": 9, "output_tokens_details": {"thinking_tokens": 4}}
    assert done(stream(*text_block("a"), usage=usage)).message.usage.reasoning == 4


@pytest.mark.parametrize(
    ("stop", "reason"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("pause_turn", "stop"),
        ("max_tokens", "length"),
        ("tool_use", "toolUse"),
    ],
)
def test_stop_reasons(stop: str, reason: str) -> None:
    end = done(stream(*text_block("a"), stop=stop))
    assert (end.reason, end.message.stop_reason, end.message.raw_stop_reason) == (reason, reason, stop)


@pytest.mark.parametrize(
    ("stop", "kind"),
    [
        ("refusal", "refusal"),
        ("sensitive", "refusal"),
        ("model_context_window_exceeded", "overflow"),
        ("something_new", "unknown"),
    ],
)
def test_142_stop_reasons_that_are_failures(stop: str, kind: str) -> None:
    assert failure(stream(*text_block("a"), stop=stop)).info.kind == kind


def test_a_refusal_gives_its_explanation() -> None:
    data = frames(
        [
            {"type": "message_start", "message": {}},
            {
                "type": "message_delta",
                "delta": {"stop_reason": "refusal", "stop_details": {"explanation": "No, because."}},
            },
            {"type": "message_stop"},
        ]
    )
    assert failure(data).info.message == "No, because."


def test_142_each_defect_has_its_own_text() -> None:
    whole = stream(*text_block("a"))
    texts = {
        failure(b"").info.message,
        failure(stream(*text_block("a"), stop=None)).info.message,
        failure(whole.replace(b'"text":"a"', b'"text":"a')).info.message,
        failure(stream(*text_block("a"), stop="odd")).info.message,
    }
    assert len(texts) == 4
    assert failure(whole.partition(b"event: message_stop")[0]).info.message == "The stream ended before message_stop"
    assert failure(b"").info.kind == "malformed"


def test_an_error_event_is_told_with_its_data() -> None:
    data = b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
    error = failure(stream(*text_block("a")).partition(b"event: message_delta")[0] + data).info
    assert (error.kind, error.code) == ("overloaded", "overloaded_error")
    assert "Overloaded" in error.message


def test_an_error_event_that_is_no_json() -> None:
    error = failure(b"event: error\ndata: upstream went away: 503\n\n").info
    assert error.message == "upstream went away: 503"


def test_pings_unknown_events_and_unknown_blocks_are_skipped() -> None:
    odd = block({"type": "server_tool_use", "id": "x", "name": "y"}, {"type": "input_json_delta", "partial_json": "{}"})
    data = stream({"type": "ping"}, {"type": "brand_new", "x": 1}, *odd, *text_block("a", index=1))
    assert done(data).message.content == (TextContent(text="a"),)


def test_text_that_a_block_begins_with_is_kept() -> None:
    given = block({"type": "text", "text": "Hel"}, {"type": "text_delta", "text": "lo"})
    assert done(stream(*given)).message.content == (TextContent(text="Hello"),)
    thought = block(
        {"type": "thinking", "thinking": "a", "signature": "s1"}, {"type": "thinking_delta", "thinking": "b"}
    )
    assert done(stream(*thought)).message.content == (ThinkingContent(thinking="ab", thinking_signature="s1"),)


def test_signatures_come_in_pieces() -> None:
    pieces = block(
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "signature_delta", "signature": "ab"},
        {"type": "signature_delta", "signature": "cd"},
    )
    assert done(stream(*pieces)).message.content == (ThinkingContent(thinking="", thinking_signature="abcd"),)


def test_redacted_thinking() -> None:
    (found,) = done(stream(*block({"type": "redacted_thinking", "data": "opaque"}))).message.content
    assert isinstance(found, ThinkingContent)
    assert (found.redacted, found.thinking_signature) == (True, "opaque")


def test_arguments_that_come_whole_with_the_start() -> None:
    data = stream(*block({"type": "tool_use", "id": "t", "name": "read", "input": {"path": "a"}}), stop="tool_use")
    assert done(data).message.tool_calls[0].arguments == {"path": "a"}
    assert [e.delta for e in events(data) if isinstance(e, ToolCallDelta)] == ['{"path": "a"}']


def test_arguments_in_deltas_beat_those_of_the_start() -> None:
    kind = {"type": "tool_use", "id": "t", "name": "read", "input": {"path": "start"}}
    data = stream(*block(kind, {"type": "input_json_delta", "partial_json": '{"path":"delta"}'}), stop="tool_use")
    assert done(data).message.tool_calls[0].arguments == {"path": "delta"}


@pytest.mark.parametrize("raw", ['{"path": "a', "[]", "null", '"str"', "{'a': 1}"])
def test_bad_final_arguments_are_told_and_the_reply_still_ends_well(raw: str) -> None:
    kind = {"type": "tool_use", "id": "t", "name": "read", "input": {}}
    made = done(stream(*block(kind, {"type": "input_json_delta", "partial_json": raw}), stop="tool_use")).message
    assert made.tool_calls[0].arguments == {}
    assert made.tool_calls[0].arguments_error


def test_identity_of_the_reply() -> None:
    message = done(stream(*text_block("a"))).message
    assert (message.response_id, message.response_model, message.model) == ("msg_1", None, MODEL.id)
    other = stream(*text_block("a")).replace(MODEL.id.encode(), b"claude-other")
    assert done(other).message.response_model == "claude-other"


def test_raw_control_characters_in_strings_are_accepted() -> None:
    data = stream(*text_block("a\\tb")).replace(b"a\\\\tb", b"a\tb")
    assert done(data).message.text == "a\tb"
