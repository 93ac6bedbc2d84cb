"""Reduce records to their shape: what must be equal between the reference and ours, and nothing of what may differ.

Kept: the order of records, the order of keys, JSON types, and the values of keys that name a kind (`LITERAL`). Masked:
texts, numbers, times, ids (calls are numbered in the order they appear, so that results still point at their calls),
tool schemas and prompt sections. Runs of equal deltas and of equal tool updates become one; the ends of parallel tools
are put in call order.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from pydantic import JsonValue

from tests.support.script import JsonObject

LITERAL = {
    "api",
    "contentIndex",
    "attempt",
    "maxAttempts",
    "model",
    "modelId",
    "name",
    "provider",
    "rawStopReason",
    "reason",
    "role",
    "stopReason",
    "thinkingLevel",
    "toolName",
    "type",
    "version",
}
_CALL_IDS = {"toolCallId", "tool_use_id", "tool_call_id"}
_CALL_TYPES = {"toolCall", "tool_use", "function"}
_COUNTS = {"input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "reasoning", "totalTokens"}
_SCHEMAS = {"parameters", "input_schema"}
_FREE = {"diagnostics"}
"""Keys that a message may carry or not: they are for people who look for the cause of a failure."""
_FINAL = {"message_end", "turn_end", "agent_end", "message"}
"""Records whose usage is complete, so that its token counts are compared."""


class _Mask:
    """Masks one run's records; remembers the calls it has seen."""

    def __init__(self) -> None:
        self._calls: dict[str, str] = {}

    def call(self, call_id: str) -> str:
        return self._calls.setdefault(call_id, f"call {len(self._calls) + 1}")

    def value(self, value: JsonValue, key: str = "", *, counts: bool = False) -> JsonValue:
        if isinstance(value, dict):
            return self._object(value, key, counts)
        if isinstance(value, list):
            return [self.value(item, key, counts=counts) for item in value]
        if key in LITERAL or value is None or isinstance(value, bool):
            return value
        if key in _CALL_IDS and isinstance(value, str):
            return self.call(value)
        return "string" if isinstance(value, str) else "number"

    def _object(self, value: JsonObject, key: str, counts: bool) -> JsonValue:
        if key in _SCHEMAS:
            return "schema"
        if key == "sections":
            return "sections"
        masked: JsonObject = {}
        for name, item in value.items():
            if name in _FREE:
                continue
            is_call = value.get("type") in _CALL_TYPES or value.get("type") == "toolcall_start"
            if name == "id" and is_call and isinstance(item, str):
                masked[name] = self.call(item)
            elif key == "usage" and counts and name in _COUNTS:
                masked[name] = item
            else:
                masked[name] = self.value(item, name, counts=counts)
        return masked


def _collapses(before: JsonObject, record: JsonObject) -> bool:
    """Whether `record` adds nothing to the equal one before it."""
    if before != record:
        return False
    event = record.get("assistantMessageEvent")
    is_delta = isinstance(event, dict) and str(event.get("type")).endswith("_delta")
    return is_delta or record.get("type") == "tool_execution_update"


def shapes(records: Iterable[JsonObject]) -> list[JsonObject]:
    """The shapes of a run's JSON records, or of a session file's lines."""
    mask = _Mask()
    result: list[JsonObject] = []
    ends: list[JsonObject] = []

    def flush() -> None:
        result.extend(sorted(ends, key=lambda end: str(end.get("toolCallId"))))
        ends.clear()

    for record in records:
        shape = mask.value(record, counts=record.get("type") in _FINAL)
        assert isinstance(shape, dict)
        if shape.get("type") == "tool_execution_end":
            ends.append(shape)
            continue
        flush()
        if not (result and _collapses(result[-1], shape)):
            result.append(shape)
    flush()
    return result


def request_shapes(bodies: Iterable[JsonObject]) -> list[JsonObject]:
    """The shapes of a run's request bodies."""
    mask = _Mask()
    result: list[JsonObject] = []
    for body in bodies:
        shape = mask.value(body)
        assert isinstance(shape, dict)
        result.append(shape)
    return result


def conversation(body_shape: JsonObject) -> list[str]:
    """What a request body says in what order: one line per message, its role and the kinds of its parts."""
    lines: list[str] = []
    messages = body_shape.get("messages")
    for message in messages if isinstance(messages, list) else []:
        if not isinstance(message, dict) or message.get("role") in ("system", "developer"):
            continue
        parts = message.get("content")
        kinds = [_kind(part) for part in parts] if isinstance(parts, list) else [] if parts is None else ["text"]
        calls = message.get("tool_calls")
        kinds += [f"call {part['id']}" for part in calls if isinstance(part, dict)] if isinstance(calls, list) else []
        answered = f" {message['tool_call_id']}" if "tool_call_id" in message else ""
        lines.append(f"{message.get('role')}{answered}: {', '.join(kinds)}")
    return lines


def _kind(part: JsonValue) -> str:
    if not isinstance(part, dict):
        return "text"
    return " ".join(str(part[key]) for key in ("type", "id", "tool_use_id") if key in part)


def lines(records: Iterable[JsonObject]) -> list[str]:
    """One line of JSON per record, for comparing and for the files."""
    return [json.dumps(record, ensure_ascii=False) for record in records]
