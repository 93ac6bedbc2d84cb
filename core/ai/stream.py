"""Assistant stream events: what a provider yields while one reply arrives.

Order: `start`, then block events, then exactly one terminal event (`done` or `error`). A failure before the response
headers is a lone `error`. Deltas are the truth; no event repeats the message so far.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from core.ai.messages import AssistantMessage, ToolCall, Usage
from core.ai.wire import WireModel


class StreamStart(WireModel):
    """The response headers arrived. `message` has no content yet and stop reason `pending`."""

    type: Literal["start"] = "start"
    message: AssistantMessage


class TextStart(WireModel):
    """A text block opened at `content_index` of the message."""

    type: Literal["text_start"] = "text_start"
    content_index: int


class TextDelta(WireModel):
    """Text appended to the block."""

    type: Literal["text_delta"] = "text_delta"
    content_index: int
    delta: str


class TextEnd(WireModel):
    """The block is complete; `content` is its whole text."""

    type: Literal["text_end"] = "text_end"
    content_index: int
    content: str


class ThinkingStart(WireModel):
    """A thinking block opened."""

    type: Literal["thinking_start"] = "thinking_start"
    content_index: int


class ThinkingDelta(WireModel):
    """Reasoning appended to the block."""

    type: Literal["thinking_delta"] = "thinking_delta"
    content_index: int
    delta: str


class ThinkingEnd(WireModel):
    """The thinking block is complete."""

    type: Literal["thinking_end"] = "thinking_end"
    content_index: int
    content: str


class ToolCallStart(WireModel):
    """A tool call opened. `id` and `tool_name` may still be empty where the provider sends them late."""

    type: Literal["toolcall_start"] = "toolcall_start"
    content_index: int
    id: str
    tool_name: str


class ToolCallDelta(WireModel):
    """Raw JSON text appended to the arguments; may be empty."""

    type: Literal["toolcall_delta"] = "toolcall_delta"
    content_index: int
    delta: str


class ToolCallEnd(WireModel):
    """The call is complete."""

    type: Literal["toolcall_end"] = "toolcall_end"
    content_index: int
    tool_call: ToolCall


class StreamUsage(WireModel):
    """The usage known so far changed. Made by the provider boundary, not by adapters."""

    type: Literal["usage"] = "usage"
    usage: Usage


class StreamDone(WireModel):
    """Terminal: the reply ended as the provider wanted."""

    type: Literal["done"] = "done"
    reason: Literal["stop", "length", "toolUse", "deferred"]
    message: AssistantMessage


class StreamError(WireModel):
    """Terminal: the reply failed or was aborted; `error` carries what had arrived."""

    type: Literal["error"] = "error"
    reason: Literal["error", "aborted"]
    error: AssistantMessage


BlockEvent: TypeAlias = (
    TextStart
    | TextDelta
    | TextEnd
    | ThinkingStart
    | ThinkingDelta
    | ThinkingEnd
    | ToolCallStart
    | ToolCallDelta
    | ToolCallEnd
)
"""Events between start and terminal."""

StreamEvent: TypeAlias = StreamStart | BlockEvent | StreamUsage | StreamDone | StreamError
