"""Request bodies that the providers refuse are refused, well-formed ones are not."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from tests.support.pairing import find_problem

USER: dict[str, JsonValue] = {"role": "user", "content": "hi"}


def use(*ids: str) -> JsonValue:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": i, "name": "read", "input": {}} for i in ids]}


def result(*ids: str) -> JsonValue:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": i, "content": "x"} for i in ids]}


def calls(*ids: str) -> JsonValue:
    made: list[JsonValue] = [{"id": i, "type": "function", "function": {"name": "r", "arguments": "{}"}} for i in ids]
    return {"role": "assistant", "content": None, "tool_calls": made}


def tool(call_id: str) -> JsonValue:
    return {"role": "tool", "tool_call_id": call_id, "content": "x"}


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        ([USER], None),
        ([USER, use("a", "b"), result("a", "b"), {"role": "assistant", "content": "ok"}], None),
        ([], "at least one"),
        ([use("a")], "first message"),
        ([USER, use("a", "b"), result("a")], "messages.2: no tool_result .*: b"),
        ([USER, use("a")], "no tool_result follows"),
        ([USER, result("a")], "without a tool_use"),
        ([USER, use("a"), result("a", "a")], "more than one"),
        ([USER, use("a"), result("a"), use("a"), result("a")], "unique"),
        ([USER, use("a b"), result("a b")], "not allowed"),
        ([{"role": "tool", "content": "x"}], "role 'tool'"),
        ([{"role": "user", "content": " "}], "blank"),
        ([USER, {"role": "assistant", "content": []}, USER], "must not be empty"),
    ],
)
def test_anthropic(messages: list[JsonValue], problem: str | None) -> None:
    check("anthropic-messages", {"model": "m", "max_tokens": 5, "messages": messages}, problem)


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        ([{"role": "system", "content": "s"}, USER], None),
        ([USER, calls("a", "b"), tool("b"), tool("a"), USER], None),
        ([USER, calls("a", "b"), tool("a"), USER], "tool message for each of: b"),
        ([USER, calls("a")], "no tool message follows"),
        ([USER, tool("a")], "'a' does not"),
        ([USER, {"role": "assistant", "content": None}], "needs content"),
        ([USER, calls("a" * 41), tool("a" * 41)], "at most 40"),
        ([{"role": "bot", "content": "x"}], "role 'bot'"),
    ],
)
def test_openai(messages: list[JsonValue], problem: str | None) -> None:
    check("openai-completions", {"model": "m", "messages": messages}, problem)


def check(api: str, body: dict[str, JsonValue], problem: str | None) -> None:
    assert api in ("anthropic-messages", "openai-completions")
    found = find_problem("anthropic-messages" if api == "anthropic-messages" else "openai-completions", body)
    if problem is None:
        assert found is None
    else:
        assert found is not None
        with pytest.raises(ValueError, match=problem):
            raise ValueError(found)
