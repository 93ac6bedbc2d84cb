"""What the chunks of a Chat Completions stream mean."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from core.ai.builder import MessageBuilder
from core.ai.errors import ErrorInfo, ProviderError
from core.ai.http_stream import ended_early, error_event, event_data
from core.ai.messages import Cost, Usage
from core.ai.openai_chat_messages import REASONING_FIELDS
from core.ai.sse import SseEvent
from core.ai.stream import StreamEvent
from core.ai.usage import priced
from core.ai.wire import Json

END = "[DONE]"

_STOPS: dict[str, Literal["stop", "length", "toolUse"]] = {
    "stop": "stop",
    "end": "stop",
    "length": "length",
    "tool_calls": "toolUse",
    "function_call": "toolUse",
}


@dataclass(slots=True)
class _Call:
    """A tool call that arrives in pieces. `position` is the provider's index, None when it gives none."""

    index: int
    position: Json
    id: str
    name: str


class ChatParser:
    """Feeds one reply's builder from its chunks: at most one thinking and one text block, any number of calls."""

    def __init__(self, reply: MessageBuilder, *, finish_reason_required: bool, secrets: Sequence[str] = ()) -> None:
        reply.closes_blocks_on_failure = True
        self.ended = False
        self._reply = reply
        self._finish_reason_required = finish_reason_required
        self._secrets = secrets
        self._text: int | None = None
        self._thinking: int | None = None
        self._calls: list[_Call] = []
        self._details: list[dict[str, Json]] = []
        self._finish: str | None = None
        self._began = False

    def feed(self, event: SseEvent) -> Sequence[StreamEvent]:
        """Return what a chunk means. Raises ProviderError for an error chunk or data that is not JSON."""
        if event.data.startswith(END):
            self.ended = True
            return ()
        chunk = event_data(event, self._secrets)
        if chunk.get("error") or event.event == "error":
            raise error_event(chunk.get("error", chunk), event.data, self._secrets)
        if not self._began:
            self._identify(chunk)
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else {}
        usage = chunk.get("usage") or choice.get("usage")
        if usage:
            self._count(usage)
        out: list[StreamEvent] = []
        delta = choice.get("delta")
        if delta:
            self._delta(delta, out)
        if finish := choice.get("finish_reason"):
            self._finish = finish
        return out

    def finish(self) -> Iterable[StreamEvent]:
        """Yield the ends of all blocks, then the terminal event. Raises ProviderError for a reply that ended badly."""
        if self._thinking is not None and self._details:
            self._reply.sign(self._thinking, json.dumps(self._details, ensure_ascii=False, separators=(",", ":")))
        for call in self._calls:
            if not call.id:
                self._reply.name_tool_call(call.index, call_id=f"call_{os.urandom(12).hex()}")
        yield from self._reply.close_all()
        reason = self._finish
        if reason is None and self._began and not self._finish_reason_required:
            yield self._reply.done("toolUse" if self._reply.has_tool_calls else "stop")
            return
        if reason is None:
            raise ended_early("a finish_reason came")
        self._reply.raw_stop_reason = reason
        if reason not in _STOPS:
            raise ProviderError(_refused(reason))
        yield self._reply.done(_STOPS[reason])

    def _identify(self, chunk: dict[str, Json]) -> None:
        self._began = True
        self._reply.response_id = chunk.get("id") or None
        model = chunk.get("model")
        if model and model != self._reply.model.id:
            self._reply.response_model = model

    def _delta(self, delta: dict[str, Json], out: list[StreamEvent]) -> None:
        if "reasoning_details" in delta:
            self._collect_details(delta)
        for name in REASONING_FIELDS:
            if thought := delta.get(name):
                self._think(thought, name, out)
                break
        if text := delta.get("content") or delta.get("refusal"):
            self._say(text, out)
        for piece in delta.get("tool_calls") or ():
            self._call_piece(piece, out)

    def _think(self, thought: Json, field: str, out: list[StreamEvent]) -> None:
        if not isinstance(thought, str):
            return
        if self._thinking is None:
            self._thinking, opened = self._reply.open_thinking()
            self._reply.sign(self._thinking, field)
            out.append(opened)
        out.append(self._reply.append(self._thinking, thought))

    def _say(self, text: Json, out: list[StreamEvent]) -> None:
        if isinstance(text, list):
            text = "".join(part.get("text") or "" for part in text if isinstance(part, dict))
        if not isinstance(text, str) or not text:
            return
        if self._text is None:
            self._text, opened = self._reply.open_text()
            out.append(opened)
        out.append(self._reply.append(self._text, text))

    def _collect_details(self, delta: dict[str, Json]) -> None:
        """OpenRouter's reasoning details: pieces of one are joined; their text shows where no other field has it."""
        spoken = any(delta.get(name) for name in REASONING_FIELDS)
        shown: list[str] = []
        for piece in delta["reasoning_details"] or ():
            if not isinstance(piece, dict):
                continue
            last = self._details[-1] if self._details else None
            keys = ("type", "index", "id", "format")
            if last is not None and all(piece.get(key) in (None, last.get(key)) for key in keys):
                for key, value in piece.items():
                    joins = key in ("text", "summary", "data") and isinstance(last.get(key), str)
                    if value is not None:
                        last[key] = last[key] + value if joins and isinstance(value, str) else value
            else:
                self._details.append(dict(piece))
            shown.append(piece.get("text") or piece.get("summary") or "")
        if not spoken and any(shown):
            delta["reasoning"] = "".join(shown)

    def _call_piece(self, piece: dict[str, Json], out: list[StreamEvent]) -> None:
        function = piece.get("function") or {}
        call_id, name = piece.get("id") or "", function.get("name") or ""
        call = self._find_call(piece.get("index"), call_id, name)
        if call is None:
            index, opened = self._reply.open_tool_call(call_id, name)
            call = _Call(index, piece.get("index"), call_id, name)
            self._calls.append(call)
            out.append(opened)
        elif (call_id and not call.id) or (name and not call.name):
            call.id, call.name = call.id or call_id, call.name or name
            self._reply.name_tool_call(call.index, call_id=call.id, name=call.name)
        arguments = function.get("arguments")
        if isinstance(arguments, dict):
            arguments = json.dumps(arguments, ensure_ascii=False)
        if arguments:
            out.append(self._reply.append(call.index, arguments))

    def _find_call(self, position: Json, call_id: str, name: str) -> _Call | None:
        """The call that a piece belongs to: by index, else by id, else the one before.

        Some endpoints give every parallel call the index 0: a piece that has both another id and a name begins a call.
        """
        for call in reversed(self._calls):
            if position is not None and call.position == position:
                begins = bool(call_id and name and call.id and call.id != call_id)
                return self._by_id(call_id) if begins else call
        if position is None and call_id:
            return self._by_id(call_id)
        return self._calls[-1] if position is None and self._calls and not name else None

    def _by_id(self, call_id: str) -> _Call | None:
        return next((call for call in self._calls if call.id == call_id), None)

    def _count(self, usage: dict[str, Json]) -> None:
        prompt = int(usage.get("prompt_tokens") or 0)
        output = int(usage.get("completion_tokens") or 0)
        details = usage.get("prompt_tokens_details") or {}
        candidates = (
            details.get("cached_tokens"),
            usage.get("prompt_cache_hit_tokens"),
            usage.get("cached_tokens"),
        )
        read = next((int(count) for count in candidates if count is not None), 0)
        write = int(details.get("cache_write_tokens") or 0)
        fresh = max(0, prompt - read - write)
        counted = Usage(
            input=fresh,
            output=output,
            cache_read=read,
            cache_write=write,
            reasoning=int((usage.get("completion_tokens_details") or {}).get("reasoning_tokens") or 0),
            total_tokens=fresh + output + read + write,
            cost=Cost(total_from_provider=False),
        )
        billed = usage.get("cost")
        if isinstance(billed, int | float):
            cost = priced(counted, self._reply.model.cost).cost
            billed_cost = cost.model_copy(update={"total": billed, "total_from_provider": True})
            counted = counted.model_copy(update={"cost": billed_cost})
        self._reply.set_usage(counted)


def _refused(reason: str) -> ErrorInfo:
    if reason == "content_filter":
        return ErrorInfo(kind="refusal", message="The provider's content filter ended the reply", code=reason)
    if reason == "network_error":
        return ErrorInfo(kind="network", message="The provider reported a network error", code=reason)
    if reason == "error":
        return ErrorInfo(kind="server", message="The provider returned an error as finish reason", code=reason)
    return ErrorInfo(kind="unknown", message=f"The reply ended with the unknown finish reason {reason}", code=reason)
