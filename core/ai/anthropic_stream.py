"""What the events of Anthropic's Messages stream mean."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Literal

from core.ai.builder import MessageBuilder
from core.ai.errors import ErrorInfo, ProviderError
from core.ai.http_stream import ended_early, error_event, event_data
from core.ai.messages import Cost, Usage
from core.ai.sse import SseEvent
from core.ai.stream import StreamEvent
from core.ai.wire import Json

_STOPS: dict[str, Literal["stop", "length", "toolUse"]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "max_tokens": "length",
    "tool_use": "toolUse",
}
_DELTA_KEYS = {"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "partial_json"}


class AnthropicParser:
    """Feeds one reply's builder from its events. Blocks are found by the provider's index, unknown kinds skipped."""

    def __init__(self, reply: MessageBuilder, secrets: Sequence[str] = ()) -> None:
        self.ended = False
        self._reply = reply
        self._secrets = secrets
        self._blocks: dict[Json, int] = {}
        self._whole_arguments: dict[int, str] = {}
        self._stop_reason: str | None = None
        self._stop_details: dict[str, Json] = {}
        self._counts: dict[str, int] = {}

    def feed(self, event: SseEvent) -> Sequence[StreamEvent]:
        """Return what `event` means. Raises ProviderError for an error event or data that is not JSON."""
        data = event_data(event, self._secrets)
        kind = data.get("type")
        if kind == "content_block_delta":
            return self._delta(data)
        if kind == "content_block_start":
            return self._block_start(data)
        if kind == "content_block_stop":
            return self._block_stop(data)
        if kind == "message_start":
            self._message_start(data.get("message") or {})
        elif kind == "message_delta":
            delta = data.get("delta") or {}
            self._stop_reason = delta.get("stop_reason") or self._stop_reason
            self._stop_details = delta.get("stop_details") or self._stop_details
            self._count(data.get("usage") or {})
        elif kind == "message_stop":
            self.ended = True
        elif kind == "error" or event.event == "error":
            raise error_event(data.get("error", data), event.data, self._secrets)
        return ()

    def finish(self) -> Iterable[StreamEvent]:
        """Yield the terminal event. Raises ProviderError when the end marker or the stop reason is missing."""
        if not self.ended:
            raise ended_early("message_stop")
        reason = self._stop_reason
        if reason is None:
            raise ended_early("a stop reason came")
        self._reply.raw_stop_reason = reason
        if reason not in _STOPS:
            raise ProviderError(self._refused(reason))
        yield self._reply.done(_STOPS[reason])

    def _message_start(self, message: dict[str, Json]) -> None:
        self._reply.response_id = message.get("id")
        model = message.get("model")
        if model and model != self._reply.model.id:
            self._reply.response_model = model
        self._count(message.get("usage") or {})

    def _block_start(self, data: dict[str, Json]) -> Sequence[StreamEvent]:
        block = data.get("content_block") or {}
        kind = block.get("type")
        reply = self._reply
        opened: StreamEvent
        given = ""
        if kind == "text":
            index, opened = reply.open_text()
            given = block.get("text") or ""
        elif kind == "thinking":
            index, opened = reply.open_thinking()
            given = block.get("thinking") or ""
            if signature := block.get("signature"):
                reply.sign(index, signature)
        elif kind == "redacted_thinking":
            index, opened = reply.open_thinking(redacted_data=block.get("data") or "")
        elif kind == "tool_use":
            index, opened = reply.open_tool_call(block.get("id") or "", block.get("name") or "")
            if arguments := block.get("input"):
                self._whole_arguments[index] = json.dumps(arguments, ensure_ascii=False)
        else:
            return ()
        self._blocks[data.get("index")] = index
        return (opened, reply.append(index, given)) if given else (opened,)

    def _delta(self, data: dict[str, Json]) -> Sequence[StreamEvent]:
        index = self._blocks.get(data.get("index"))
        delta = data.get("delta")
        if index is None or not isinstance(delta, dict):
            return ()
        kind = delta.get("type") or ""
        key = _DELTA_KEYS.get(kind)
        if key is not None:
            if kind == "input_json_delta":
                self._whole_arguments.pop(index, None)
            return (self._reply.append(index, delta.get(key) or ""),)
        if kind == "signature_delta":
            self._reply.sign(index, delta.get("signature") or "", extend=True)
        return ()

    def _block_stop(self, data: dict[str, Json]) -> Sequence[StreamEvent]:
        index = self._blocks.pop(data.get("index"), None)
        if index is None:
            return ()
        whole = self._whole_arguments.pop(index, None)
        if whole is not None:
            return (self._reply.append(index, whole), self._reply.close(index))
        return (self._reply.close(index),)

    def _count(self, usage: dict[str, Json]) -> None:
        """Take over the counts that are there; proxies leave some out of later events."""
        counts = self._counts
        found = {
            "input": usage.get("input_tokens"),
            "output": usage.get("output_tokens"),
            "cache_read": usage.get("cache_read_input_tokens"),
            "cache_write": usage.get("cache_creation_input_tokens"),
            "cache_write_1h": (usage.get("cache_creation") or {}).get("ephemeral_1h_input_tokens"),
            "reasoning": (usage.get("output_tokens_details") or {}).get("thinking_tokens"),
        }
        counts.update({name: int(count) for name, count in found.items() if count is not None})
        total = sum(counts.get(name, 0) for name in ("input", "output", "cache_read", "cache_write"))
        known = {"cache_write_1h": 0, **counts}
        self._reply.set_usage(Usage(**known, total_tokens=total, cost=Cost(total_from_provider=False)))

    def _refused(self, reason: str) -> ErrorInfo:
        if reason in ("refusal", "sensitive"):
            explanation = self._stop_details.get("explanation")
            text = str(explanation) if explanation else f"The provider's safety system ended the reply ({reason})"
            return ErrorInfo(kind="refusal", message=text, code=reason)
        if reason == "model_context_window_exceeded":
            return ErrorInfo(kind="overflow", message=f"The reply ended with {reason}", code=reason)
        return ErrorInfo(kind="unknown", message=f"The reply ended with the unknown stop reason {reason}", code=reason)
