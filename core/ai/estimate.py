"""How many tokens a request will be, as far as that is known before it is sent."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from core.ai.messages import (
    AssistantMessage,
    ImageContent,
    LlmMessage,
    SystemMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolSpec,
    Usage,
)
from core.ai.model import Model
from core.ai.wire import Json

CHARS_PER_TOKEN = 3.5
IMAGE_CHARS = 4800
"""An image counts as this many characters."""

MIN_MARGIN = 4096
MARGIN_SHARE = 0.15
"""Of the estimated input: room for the error of the estimate."""

FLOOR = 32_768
"""The output cap is not pushed below this as long as the window has that much left."""


def tokens_of(chars: int) -> int:
    """Return the tokens that `chars` characters are estimated to be."""
    return math.ceil(chars / CHARS_PER_TOKEN)


def estimate_message(message: LlmMessage) -> int:
    """Return the estimated tokens of one message."""
    return tokens_of(_chars(message))


def estimate_request(messages: Sequence[LlmMessage], tools: Sequence[ToolSpec] = ()) -> int:
    """Return the estimated input tokens of a request.

    The usage of the last good reply counts for everything up to it; only what came later is estimated from its
    length. Without a usage the whole prompt and the tools are estimated.
    """
    for index in range(len(messages) - 1, -1, -1):
        usage = _usable_usage(messages, index)
        if usage is not None:
            return usage.total_tokens + sum(estimate_message(later) for later in messages[index + 1 :])
    declared = sum(len(tool.name) + len(tool.description) + len(_json(tool.parameters)) for tool in tools)
    return sum(estimate_message(message) for message in messages) + tokens_of(declared)


def clamp_output(model: Model, wanted: int, input_tokens: int) -> int:
    """Return the output cap that fits the window beside `input_tokens`, at least 1; without a window, `wanted`."""
    if model.context_window <= 0:
        return wanted
    room = model.context_window - input_tokens
    left = math.floor(room - max(MIN_MARGIN, MARGIN_SHARE * input_tokens))
    if left < FLOOR:
        left = min(FLOOR, room - MIN_MARGIN)
    return max(1, min(wanted, left))


def _usable_usage(messages: Sequence[LlmMessage], index: int) -> Usage | None:
    """The usage of a reply, unless it failed, is empty, or was made before a message that stands in front of it."""
    message = messages[index]
    if not isinstance(message, AssistantMessage) or message.stop_reason in ("error", "aborted"):
        return None
    if not message.usage.total_tokens:
        return None
    if any(earlier.timestamp > message.timestamp for earlier in messages[:index]):
        return None
    return message.usage


def _chars(message: LlmMessage) -> int:
    if isinstance(message, SystemMessage):
        sections = message.sections or {}
        return _content_chars(message.content) + sum(len(section or "") for section in sections.values())
    return _content_chars(message.content)


def _content_chars(
    content: str | Sequence[TextContent | ImageContent | ThinkingContent | ToolCall] | Sequence[TextContent],
) -> int:
    if isinstance(content, str):
        return len(content)
    total = 0
    for block in content:
        if isinstance(block, TextContent):
            total += len(block.text)
        elif isinstance(block, ThinkingContent):
            total += len(block.thinking)
        elif isinstance(block, ToolCall):
            total += len(block.name) + len(_json(block.arguments))
        else:
            total += IMAGE_CHARS
    return total


def _json(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
