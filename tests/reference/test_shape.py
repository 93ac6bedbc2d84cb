"""What masking keeps and what it takes away."""

from __future__ import annotations

import pytest

from tests.reference.shape import conversation, lines, request_shapes, shapes
from tests.support.script import JsonObject


def update(kind: str, index: int = 0, **fields: str) -> JsonObject:
    return {"type": "message_update", "assistantMessageEvent": {"type": kind, "contentIndex": index, **fields}}


def start(call_id: str) -> JsonObject:
    return {"type": "tool_execution_start", "toolCallId": call_id}


def end(call_id: str, text: str = "x") -> JsonObject:
    return {"type": "tool_execution_end", "toolCallId": call_id, "result": {"content": [text]}, "isError": False}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([update("text_delta", delta="a"), update("text_delta", delta="b")], [update("text_delta", delta="ab")]),
        ([{"type": "session", "id": "x", "timestamp": 1}], [{"type": "session", "id": "y", "timestamp": 2.5}]),
        (
            [start("p"), start("q"), end("p"), end("q")],
            [start("1"), start("2"), end("2"), end("1", "longer")],
        ),
        (
            [{"type": "message_end", "message": {"role": "assistant", "errorMessage": "no"}}],
            [{"type": "message_end", "message": {"role": "assistant", "errorMessage": "", "diagnostics": [1]}}],
        ),
    ],
)
def test_what_may_differ_does_not_show(one: list[JsonObject], other: list[JsonObject]) -> None:
    assert lines(shapes(one)) == lines(shapes(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([update("text_start"), update("text_delta")], [update("text_delta"), update("text_start")]),
        ([update("text_delta", 0)], [update("text_delta", 1)]),
        ([update("text_end"), update("text_end")], [update("text_end")]),
        ([{"type": "a", "x": 1, "y": 1}], [{"type": "a", "y": 1, "x": 1}]),
        ([{"type": "a", "x": 1}], [{"type": "a", "x": "1"}]),
        ([{"type": "a", "x": None}], [{"type": "a"}]),
        ([end("a"), end("a")], [end("a"), end("b")]),
        ([{"type": "a", "isError": True}], [{"type": "a", "isError": False}]),
        ([{"type": "turn_end", "usage": {"input": 1}}], [{"type": "turn_end", "usage": {"input": 2}}]),
        ([{"type": "a", "content": [{"type": "text"}]}], [{"type": "a", "content": []}]),
    ],
)
def test_what_must_be_equal_shows(one: list[JsonObject], other: list[JsonObject]) -> None:
    assert lines(shapes(one)) != lines(shapes(other))


def test_a_request_is_told_as_a_conversation() -> None:
    anthropic: JsonObject = {
        "messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": [{"type": "text"}, {"type": "tool_use", "id": "t9", "name": "read"}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t9", "content": "secret"}]},
        ]
    }
    openai: JsonObject = {
        "messages": [
            {"role": "system", "content": "s"},
            {"role": "user", "content": [{"type": "text", "text": "hi"}]},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function"}]},
            {"role": "tool", "tool_call_id": "c1", "content": "x"},
        ]
    }
    told = [conversation(body) for body in request_shapes([anthropic, openai])]
    assert told == [
        ["user: text", "assistant: text, tool_use call 1", "user: tool_result call 1"],
        ["user: text", "assistant: call call 2", "tool call 2: text"],
    ]
