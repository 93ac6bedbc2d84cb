"""Encode a `Reply` as the bytes of a Server-Sent Events stream, in either wire format.

A stream is cut into head (before the first delta), one piece of bytes per delta, and tail (the end markers), so that
the server can pace, gate and break it at a delta without knowing the format.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from tests.support.script import Api, Framing, JsonObject, Pace, Reply, StreamFault, Text, Thinking, ToolCall, Usage

_ANTHROPIC_STOPS = {"stop": "end_turn", "length": "max_tokens", "tool_use": "tool_use"}
_OPENAI_STOPS = {"stop": "stop", "length": "length", "tool_use": "tool_calls", "refusal": "content_filter"}
_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """A stream's bytes: everything before the first delta, each delta, everything after the last."""

    head: bytes
    deltas: tuple[bytes, ...]
    tail: bytes


def dump(value: JsonValue | Mapping[str, JsonValue]) -> str:
    """Compact JSON, as the providers send it."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def cut(text: str, chars: int) -> list[str]:
    """Split `text` in pieces of `chars` characters; an empty text has no piece."""
    step = max(1, chars)
    return [text[i : i + step] for i in range(0, len(text), step)]


class _Events:
    """Collects events: those before the first delta, one group per delta, and the rest."""

    def __init__(self, framing: Framing, *, named: bool) -> None:
        self._newline = framing.newline
        self._named = named
        self._before = framing.newline.join((": keep-alive", "", "")) if framing.comments else ""
        if framing.comments and named:
            self._before += framing.newline.join(("event: ping", 'data: {"type":"ping"}', "", ""))
        self._pending: list[str] = []
        self._head: bytes | None = None
        self._deltas: list[bytes] = []

    def frame(self, data: str, name: str = "") -> str:
        nl = self._newline
        event = f"event: {name}{nl}" if self._named else ""
        return f"{self._before}{event}data: {data}{nl}{nl}"

    def add(self, event: JsonObject) -> None:
        """An event that belongs to what comes next."""
        self._pending.append(self.frame(dump(event), str(event.get("type", ""))))

    def raw(self, data: str) -> None:
        """A data line that is no JSON."""
        self._pending.append(self.frame(data))

    def end_head(self) -> None:
        self._head = "".join(self._pending).encode()
        self._pending.clear()

    def delta(self, event: JsonObject) -> None:
        """A content delta: it takes with it whatever was added since the last one."""
        self.add(event)
        self._deltas.append("".join(self._pending).encode())
        self._pending.clear()

    def plan(self) -> Plan:
        return Plan(self._head or b"", tuple(self._deltas), "".join(self._pending).encode())


def encode(reply: Reply, api: Api, model: str, serial: int) -> Plan:
    """The stream of `reply`. `serial` (the request's number) makes ids unique; `model` is the requested one."""
    encoder = _anthropic if api == "anthropic-messages" else _openai
    return encoder(reply, reply.model or model, serial)


def _stop(reply: Reply) -> str:
    return reply.stop or ("tool_use" if any(isinstance(block, ToolCall) for block in reply.content) else "stop")


def _arguments(block: ToolCall) -> str:
    if isinstance(block.arguments, str):
        return block.arguments
    return json.dumps(block.arguments, ensure_ascii=False)


def _pieces(block: Text | Thinking | ToolCall, pace: Pace) -> list[str]:
    match block:
        case Text():
            return list(block.deltas) or cut(block.text, pace.chars)
        case Thinking():
            return [] if block.redacted else cut(block.thinking, pace.chars)
        case ToolCall():
            return cut(_arguments(block), pace.chars)


def _anthropic(reply: Reply, model: str, serial: int) -> Plan:
    events = _Events(reply.framing, named=True)
    usage = reply.usage or Usage(input=0, output=0)
    counts: JsonObject = {
        "input_tokens": usage.input,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cache_read,
    }
    message: JsonObject = {
        "id": f"msg_{serial:06d}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {**counts, "output_tokens": 1},
    }
    events.add({"type": "message_start", "message": message})
    events.end_head()
    for index, block in enumerate(reply.content):
        start: JsonObject
        match block:
            case Text():
                kind, key = "text_delta", "text"
                start = {"type": "text", "text": ""}
            case Thinking():
                kind, key = "thinking_delta", "thinking"
                start = {"type": "thinking", "thinking": "", "signature": ""}
                if block.redacted:
                    start = {"type": "redacted_thinking", "data": block.signature}
            case ToolCall():
                kind, key = "input_json_delta", "partial_json"
                call_id = block.id or f"toolu_{serial:04d}_{index:02d}"
                start = {"type": "tool_use", "id": call_id, "name": block.name, "input": {}}
        events.add({"type": "content_block_start", "index": index, "content_block": start})
        for piece in _pieces(block, reply.pace):
            events.delta({"type": "content_block_delta", "index": index, "delta": {"type": kind, key: piece}})
        if isinstance(block, Thinking) and not block.redacted:
            signature: JsonObject = {"type": "signature_delta", "signature": block.signature}
            events.add({"type": "content_block_delta", "index": index, "delta": signature})
        events.add({"type": "content_block_stop", "index": index})
    stop = _stop(reply)
    final: JsonObject = {"stop_reason": _ANTHROPIC_STOPS.get(stop, stop), "stop_sequence": None}
    events.add({"type": "message_delta", "delta": final, "usage": {**counts, "output_tokens": usage.output}})
    events.add({"type": "message_stop"})
    return events.plan()


def _openai(reply: Reply, model: str, serial: int) -> Plan:
    events = _Events(reply.framing, named=False)
    base: JsonObject = {
        "id": f"chatcmpl-{serial:06d}",
        "object": "chat.completion.chunk",
        "created": 1_790_000_000,
        "model": model,
    }

    def chunk(delta: JsonObject, finish: str | None = None) -> JsonObject:
        return {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    events.add(chunk({"role": "assistant", "content": ""}))
    events.end_head()
    for event, is_delta in _openai_content(reply, serial):
        (events.delta if is_delta else events.add)(chunk(event))
    stop = _stop(reply)
    events.add(chunk({}, _OPENAI_STOPS.get(stop, stop)))
    if reply.usage is not None:
        usage = reply.usage
        prompt = usage.input + usage.cache_read + usage.cache_write
        events.add(
            {
                **base,
                "choices": [],
                "usage": {
                    "prompt_tokens": prompt,
                    "completion_tokens": usage.output,
                    "total_tokens": prompt + usage.output,
                    "prompt_tokens_details": {"cached_tokens": usage.cache_read},
                    "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
                },
            }
        )
    events.raw("[DONE]")
    return events.plan()


def _openai_content(reply: Reply, serial: int) -> Iterator[tuple[JsonObject, bool]]:
    """The `delta` objects in order, and whether each counts as a delta; tool fragments may be interleaved by index."""
    calls: list[list[tuple[JsonObject, bool]]] = []
    for index, block in enumerate(reply.content):
        pieces = _pieces(block, reply.pace)
        match block:
            case Text():
                for piece in pieces:
                    yield {"content": piece}, True
            case Thinking():
                for piece in pieces:
                    yield {block.field: piece}, True
            case ToolCall():
                number = len(calls)
                opening: JsonObject = {
                    "index": number,
                    "id": block.id or f"call_{serial:04d}_{index:02d}",
                    "type": "function",
                    "function": {"name": block.name, "arguments": ""},
                }
                parts: list[tuple[JsonObject, bool]] = [({"tool_calls": [opening]}, False)]
                for piece in pieces:
                    parts.append(({"tool_calls": [{"index": number, "function": {"arguments": piece}}]}, True))
                calls.append(parts)
    if not reply.interleave:
        yield from (part for parts in calls for part in parts)
        return
    for row in range(max((len(parts) for parts in calls), default=0)):
        yield from (parts[row] for parts in calls if row < len(parts))


def error_body(api: Api, status: int, message: str, kind: str = "") -> JsonObject:
    """The error object that a provider of this format sends with `status`."""
    kind = kind or _ERROR_TYPES.get(status, "api_error" if status >= 500 else "invalid_request_error")
    if api == "anthropic-messages":
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_000000"}
    code = "invalid_api_key" if status == 401 else kind
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def fault_event(fault: StreamFault, api: Api, framing: Framing) -> bytes:
    """The bytes of a mid-stream error event or of a malformed line."""
    named = api == "anthropic-messages"
    frame = _Events(framing, named=named).frame
    if fault.type == "malformed":
        return frame('{"type": "content_block_delta", "index": ', "content_block_delta").encode()
    return frame(dump(error_body(api, 200, fault.message, fault.error)), "error").encode()
