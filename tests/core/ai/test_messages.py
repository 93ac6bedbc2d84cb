"""Messages on the wire: names, order, unknown keys, and what old sessions hold."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from core.ai.messages import (
    AssistantMessage,
    BranchSummaryMessage,
    ImageContent,
    SystemMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
    now_ms,
    parse_message,
)

COST = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}
USAGE = {"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4, "totalTokens": 10, "cost": COST}

WIRE: list[dict[str, Any]] = [
    {"role": "user", "content": "hi", "timestamp": 1},
    {
        "role": "user",
        "content": [{"type": "text", "text": "look"}, {"type": "image", "data": "aa", "mimeType": "image/png"}],
        "timestamp": 1,
    },
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "thinkingSignature": "sig"},
            {"type": "text", "text": "ok", "textSignature": '{"v":1}'},
            {"type": "toolCall", "id": "c|fc", "name": "read", "arguments": {"path": "a"}, "thoughtSignature": "t"},
            {"type": "toolCall", "id": "d", "name": "read", "arguments": {}, "argumentsError": "cut"},
        ],
        "api": "anthropic-messages",
        "provider": "anthropic",
        "model": "m",
        "usage": USAGE,
        "stopReason": "toolUse",
        "timestamp": 1,
        "responseId": "r",
        "durationMs": 5,
        "thinkingLevel": "off",
    },
    {
        "role": "toolResult",
        "toolCallId": "d",
        "toolName": "read",
        "content": [],
        "details": {"diff": "x"},
        "isError": True,
        "nestedCalls": {"calls": [], "complete": True},
        "timestamp": 1,
    },
    {"role": "system", "content": "be brief", "sections": {"a": "x", "b": None}, "timestamp": 0},
    {
        "role": "bashExecution",
        "command": "ls",
        "output": "a",
        "cancelled": False,
        "truncated": False,
        "timestamp": 1,
        "excludeFromContext": True,
    },
    {"role": "custom", "customType": "x", "content": "note", "display": False, "details": [1], "timestamp": 1},
    {"role": "branchSummary", "summary": "s", "fromId": None, "timestamp": 1},
    {"role": "compactionSummary", "summary": "s", "tokensBefore": 9, "timestamp": 1},
]


@pytest.mark.parametrize("wire", WIRE, ids=[f"{number}-{wire['role']}" for number, wire in enumerate(WIRE)])
def test_every_role_is_read_and_written_unchanged(wire: dict[str, Any]) -> None:
    assert parse_message(wire).to_wire() == wire


@pytest.mark.parametrize("wire", WIRE, ids=[f"{number}-{wire['role']}" for number, wire in enumerate(WIRE)])
def test_unknown_keys_are_kept_at_every_level(wire: dict[str, Any]) -> None:
    newer = {**wire, "endTurn": True, "future": {"a": None}}
    if isinstance(wire.get("content"), list):
        newer["content"] = [{**block, "extra": 1} for block in wire["content"]]
    assert parse_message(newer).to_wire() == newer


@pytest.mark.parametrize("role", ["user", "assistant", "toolResult"])
def test_124_null_content_counts_as_empty(role: str) -> None:
    wire = {"role": role, "content": None, "toolCallId": "c", "toolName": "t", "timestamp": 1}
    assert parse_message(wire).to_wire()["content"] == []
    assert wire["content"] is None


@pytest.mark.parametrize(
    "wire",
    [{}, {"role": "alien", "content": ""}, {"role": "user", "content": [{"type": "alien"}]}, [], None, "text"],
)
def test_what_is_no_message_is_refused(wire: Any) -> None:
    with pytest.raises(ValidationError):
        parse_message(wire)


def test_a_call_without_arguments_has_none() -> None:
    wire = {"role": "assistant", "content": [{"type": "toolCall", "id": "c", "name": "ls"}], "timestamp": 1}
    message = parse_message(wire)
    assert isinstance(message, AssistantMessage)
    assert message.tool_calls[0].arguments == {}


def test_an_assistant_message_always_has_usage() -> None:
    message = AssistantMessage(timestamp=1)
    assert message.to_wire()["usage"] == {
        "input": 0,
        "output": 0,
        "cacheRead": 0,
        "cacheWrite": 0,
        "totalTokens": 0,
        "cost": COST,
    }


def test_usage_details_are_left_out_when_unknown() -> None:
    assert "reasoning" not in Usage().to_wire()
    assert Usage(cache_write_1h=2, reasoning=3).to_wire()["cacheWrite1h"] == 2


def test_what_a_message_says() -> None:
    call = ToolCall(id="c", name="ls", arguments={})
    message = AssistantMessage(
        content=(TextContent(text="a"), ThinkingContent(thinking="x"), call, TextContent(text="b"))
    )
    assert message.text == "a\nb"
    assert message.tool_calls == (call,)


def test_a_prompt_is_text_then_images() -> None:
    image = ImageContent(data="aa", mime_type="image/png")
    before = now_ms()
    message = UserMessage.of("hi", (image,))
    assert message.content == (TextContent(text="hi"), image)
    assert before <= message.timestamp <= now_ms()


def test_only_a_summary_writes_null() -> None:
    assert BranchSummaryMessage(summary="s", timestamp=1).to_wire()["fromId"] is None
    assert "details" not in ToolResultMessage(tool_call_id="c", tool_name="t").to_wire()
    assert "toolsAdded" not in SystemMessage().to_wire()
