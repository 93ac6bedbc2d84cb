"""What the chunks of a Chat Completions stream become."""

import json
from typing import Literal

import pytest

from core.ai.builder import MessageBuilder
from core.ai.errors import ProviderError
from core.ai.messages import TextContent, ThinkingContent, ToolCall
from core.ai.stream import StreamDone, StreamEvent, TextDelta, ThinkingDelta
from core.ai.wire import Json, json_line
from tests.core.ai.build import chat_model, parse_chat
from tests.support.script import Framing, Pace, Reply, Text, Thinking
from tests.support.script import ToolCall as Call
from tests.support.wire import encode

MODEL = chat_model(cost={"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 1.5})


def chunk(delta: Json = None, finish: str | None = None, **fields: Json) -> dict[str, Json]:
    choice = {"index": 0, "delta": delta or {}, "finish_reason": finish}
    return {"id": "c1", "model": MODEL.id, "choices": [choice], **fields}


def stream(*chunks: dict[str, Json], finish: str | None = "stop", done: bool = True) -> bytes:
    every = [*chunks, chunk(finish=finish)] if finish else [*chunks]
    return b"".join(b"data: " + json_line(each) + b"\n" for each in every) + (b"data: [DONE]\n\n" if done else b"")


def events(data: bytes, step: int = 0, **options: bool) -> list[StreamEvent]:
    return parse_chat(data, MessageBuilder(MODEL), step, **options)


def done(data: bytes, step: int = 0, **options: bool) -> StreamDone:
    end = events(data, step, **options)[-1]
    assert isinstance(end, StreamDone)
    return end


def failure(data: bytes) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        events(data)
    return caught.value


def piece(index: int | None, arguments: str = "", call_id: str = "", name: str = "") -> dict[str, Json]:
    """A chunk with one fragment of one tool call."""
    function: dict[str, Json] = {"arguments": arguments}
    if name:
        function["name"] = name
    fragment: dict[str, Json] = {"function": function}
    if index is not None:
        fragment["index"] = index
    if call_id:
        fragment["id"] = call_id
    return chunk({"tool_calls": [fragment]})


@pytest.mark.parametrize("newline", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("comments", [False, True])
def test_150_byte_by_byte_in_every_dress(newline: Literal["\n", "\r", "\r\n"], comments: bool) -> None:
    content = (
        Thinking(thinking="Überlegung 😀"),
        Text(text="Grüße \u2028 世界"),
        Call(name="read", arguments={"p": "ü"}),
    )
    reply = Reply(content=content, framing=Framing(newline=newline, comments=comments), pace=Pace(chars=3))
    plan = encode(reply, "openai-completions", MODEL.id, 1)
    data = plan.head + b"".join(plan.deltas) + plan.tail
    whole, split = events(data), events(data, 1)
    assert [event.to_wire() | {"message": 0} for event in whole] == [
        event.to_wire() | {"message": 0} for event in split
    ]
    assert done(data, 1).message.content == (
        ThinkingContent(thinking="Überlegung 😀", thinking_signature="reasoning_content"),
        TextContent(text="Grüße \u2028 世界"),
        ToolCall(id="call_0001_02", name="read", arguments={"p": "ü"}),
    )


def test_135_interleaved_calls_are_put_together_by_index_and_end_last() -> None:
    data = stream(
        piece(0, call_id="a", name="read"),
        piece(1, call_id="b", name="bash"),
        piece(0, '{"path":'),
        piece(1, '{"command":'),
        piece(0, '"x"}'),
        piece(1, '"ls"}'),
        chunk({"content": "and text"}),
        finish="tool_calls",
    )
    kinds = [event.type for event in events(data)]
    assert kinds == [
        "toolcall_start",
        "toolcall_start",
        *["toolcall_delta"] * 4,
        "text_start",
        "text_delta",
        "toolcall_end",
        "toolcall_end",
        "text_end",
        "done",
    ]
    message = done(data).message
    assert [(c.id, c.name, c.arguments) for c in message.tool_calls] == [
        ("a", "read", {"path": "x"}),
        ("b", "bash", {"command": "ls"}),
    ]


def test_calls_without_index_are_told_apart_by_id() -> None:
    data = stream(
        piece(None, '{"n":1}', "a", "read"), piece(None, '{"n":', "b", "read"), piece(None, "2}"), finish="tool_calls"
    )
    assert [c.arguments for c in done(data).message.tool_calls] == [{"n": 1}, {"n": 2}]


def test_whole_calls_without_index_and_id_are_two_calls() -> None:
    data = stream(piece(None, '{"n":1}', name="read"), piece(None, '{"n":2}', name="read"), finish="tool_calls")
    made = done(data).message.tool_calls
    assert [c.arguments for c in made] == [{"n": 1}, {"n": 2}]
    assert all(c.id.startswith("call_") for c in made)
    assert made[0].id != made[1].id


def test_parallel_calls_that_all_have_index_0_are_told_apart() -> None:
    data = stream(piece(0, '{"n":1}', "a", "read"), piece(0, '{"n":2}', "b", "read"), finish="tool_calls")
    assert [(c.id, c.arguments) for c in done(data).message.tool_calls] == [("a", {"n": 1}), ("b", {"n": 2})]


def test_id_and_name_may_come_late_and_again() -> None:
    data = stream(
        piece(0, "{"), piece(0, "", "a"), piece(0, "}", name="read"), piece(0, "", "a", "read"), finish="tool_calls"
    )
    assert [(c.id, c.name, c.arguments) for c in done(data).message.tool_calls] == [("a", "read", {})]


def test_arguments_as_an_object() -> None:
    fragment = {"index": 0, "id": "a", "function": {"name": "read", "arguments": {"path": "x"}}}
    data = stream(chunk({"tool_calls": [fragment]}), finish="tool_calls")
    assert done(data).message.tool_calls[0].arguments == {"path": "x"}


def test_136_cached_tokens_are_taken_out_of_the_input() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 40}}
    found = done(stream(chunk({"content": "a"}), {"id": "c1", "choices": [], "usage": usage})).message.usage
    assert (found.input, found.cache_read, found.output, found.total_tokens, found.reasoning) == (60, 40, 20, 120, 0)
    assert found.cost.total == pytest.approx((60 * 1 + 20 * 2 + 40 * 0.1) / 1e6)
    assert found.cost.total_from_provider is False


@pytest.mark.parametrize(
    ("usage", "read", "write"),
    [
        ({"prompt_cache_hit_tokens": 30}, 30, 0),
        ({"cached_tokens": 20}, 20, 0),
        ({"prompt_tokens_details": {"cached_tokens": 10, "cache_write_tokens": 5}, "cached_tokens": 99}, 10, 5),
        ({"prompt_tokens_details": None}, 0, 0),
    ],
)
def test_other_names_of_cached_tokens(usage: dict[str, Json], read: int, write: int) -> None:
    counts = {"prompt_tokens": 100, "completion_tokens": 1, **usage}
    found = done(stream(chunk({"content": "a"}, usage=counts))).message.usage
    assert (found.input, found.cache_read, found.cache_write) == (100 - read - write, read, write)


def test_usage_inside_the_choice() -> None:
    inner = {"index": 0, "delta": {"content": "a"}, "usage": {"prompt_tokens": 7, "completion_tokens": 1}}
    assert done(stream({"id": "c", "choices": [inner]})).message.usage.input == 7


def test_a_billed_total_beats_the_estimate() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 10, "cost": 0.5}
    cost = done(stream(chunk({"content": "a"}, usage=usage))).message.usage.cost
    assert (cost.total, cost.total_from_provider) == (0.5, True)
    assert cost.input == pytest.approx(10 / 1e6)


def test_137_one_of_two_reasoning_fields_counts() -> None:
    data = stream(chunk({"reasoning_content": "deep", "reasoning": "deep"}), chunk({"content": "a"}))
    assert done(data).message.content[0] == ThinkingContent(thinking="deep", thinking_signature="reasoning_content")


def test_reasoning_comes_before_the_text_of_the_same_chunk() -> None:
    found = events(stream(chunk({"content": "answer", "reasoning": "thought"})))
    assert [type(e) for e in found if isinstance(e, TextDelta | ThinkingDelta)] == [ThinkingDelta, TextDelta]


def test_reasoning_details_are_kept_to_be_sent_back() -> None:
    def details(**fields: Json) -> dict[str, Json]:
        return chunk({"reasoning_details": [{"index": 0, **fields}]})

    data = stream(
        details(type="reasoning.text", text="Let me ", format="f"),
        details(type="reasoning.text", text="see", signature="sig", format="f"),
        details(type="reasoning.encrypted", data="xyz"),
        chunk({"content": "a"}),
    )
    thought = done(data).message.content[0]
    assert isinstance(thought, ThinkingContent)
    assert thought.thinking == "Let me see"
    assert json.loads(thought.thinking_signature or "") == [
        {"index": 0, "type": "reasoning.text", "text": "Let me see", "format": "f", "signature": "sig"},
        {"index": 0, "type": "reasoning.encrypted", "data": "xyz"},
    ]


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        ("stop", "stop"),
        ("end", "stop"),
        ("length", "length"),
        ("tool_calls", "toolUse"),
        ("function_call", "toolUse"),
    ],
)
def test_finish_reasons(finish: str, reason: str) -> None:
    end = done(stream(chunk({"content": "a"}), finish=finish))
    assert (end.reason, end.message.raw_stop_reason) == (reason, finish)


@pytest.mark.parametrize(
    ("finish", "kind"),
    [("content_filter", "refusal"), ("network_error", "network"), ("error", "server"), ("odd", "unknown")],
)
def test_142_finish_reasons_that_are_failures(finish: str, kind: str) -> None:
    assert failure(stream(chunk({"content": "a"}), finish=finish)).info.kind == kind


def test_142_a_stream_without_finish_reason_failed_even_with_its_marker() -> None:
    assert (
        failure(stream(chunk({"content": "a"}), finish=None)).info.message
        == "The stream ended before a finish_reason came"
    )
    assert failure(stream(finish=None, done=False)).info.kind == "malformed"
    assert failure(b"data: [DONE]\n\n").info.kind == "malformed"


def test_endpoints_that_give_no_finish_reason() -> None:
    text = stream(chunk({"content": "a"}), finish=None)
    assert done(text, finish_reason_required=False).reason == "stop"
    calls = stream(piece(0, "{}", "a", "read"), finish=None)
    assert done(calls, finish_reason_required=False).reason == "toolUse"
    with pytest.raises(ProviderError):
        events(b"", finish_reason_required=False)


def test_the_end_marker_is_not_needed() -> None:
    assert done(stream(chunk({"content": "a"}), done=False)).reason == "stop"


def test_an_error_chunk() -> None:
    error = failure(stream(chunk({"content": "a"}), {"error": {"message": "Upstream busy", "code": 502}})).info
    assert (error.kind, error.status) == ("server", 502)
    assert "Upstream busy" in error.message


def test_an_error_event() -> None:
    assert failure(b'event: error\ndata: {"message": "Too many requests"}\n\n').info.kind == "rate_limit"


def test_broken_json() -> None:
    error = failure(b'data: {"choices": [\n\n').info
    assert error.kind == "malformed"
    assert '{"choices": [' in error.message


def test_blocks_are_open_until_the_stream_ends_and_closed_on_failure() -> None:
    reply = MessageBuilder(MODEL)
    with pytest.raises(ProviderError):
        parse_chat(stream(chunk({"content": "a"}), finish="content_filter"), reply)
    assert reply.closes_blocks_on_failure
    assert reply.close_all() == []


def test_refusal_text_and_lists_of_text() -> None:
    assert done(stream(chunk({"refusal": "No."}))).message.text == "No."
    assert done(stream(chunk({"content": [{"type": "text", "text": "listed"}]}))).message.text == "listed"


def test_only_the_first_choice_counts() -> None:
    second = {"index": 1, "delta": {"content": "second"}}
    first = {"index": 0, "delta": {"content": "first"}}
    assert done(stream({"id": "c", "choices": [first, second]})).message.text == "first"


def test_identity_of_the_reply() -> None:
    message = done(stream(chunk({"content": "a"}))).message
    assert (message.response_id, message.response_model) == ("c1", None)
    other = stream(chunk({"content": "a"})).replace(MODEL.id.encode(), b"gpt-other")
    assert done(other).message.response_model == "gpt-other"


@pytest.mark.parametrize("raw", ['{"path": "a', "[]", "null"])
def test_bad_final_arguments_are_told_and_the_reply_still_ends_well(raw: str) -> None:
    made = done(stream(piece(0, raw, "a", "read"), finish="tool_calls")).message.tool_calls[0]
    assert made.arguments == {}
    assert made.arguments_error
