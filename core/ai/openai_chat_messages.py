"""The `messages` list of the Chat Completions format."""

from __future__ import annotations

import json
from collections.abc import Sequence

from core.ai.messages import (
    AssistantMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserContent,
    UserMessage,
)
from core.ai.model import Model
from core.ai.openai_chat_compat import ChatCompat
from core.ai.transform import ConversationMessage
from core.ai.wire import Json, json_without_surrogates, without_surrogates

REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_text")
"""Delta fields that carry readable reasoning, in order of preference; also where it is sent back."""

NO_OUTPUT = "(no output)"
SEE_IMAGE = "(the result is an image, shown below)"
IMAGES_OF_RESULTS = "Images of the tool results above:"
BETWEEN = "I have read the results."
"""Stands between tool results and a user message where an endpoint wants an assistant's turn there."""


def chat_messages(
    conversation: Sequence[ConversationMessage], model: Model, compat: ChatCompat, *, reasoning: bool
) -> list[dict[str, Json]]:
    """Return the messages without the system prompt; `reasoning` tells whether this request thinks."""
    out: list[dict[str, Json]] = []
    results: list[ToolResultMessage] = []
    for message in conversation:
        if isinstance(message, ToolResultMessage):
            results.append(message)
            continue
        _add_results(out, results, compat)
        results = []
        if isinstance(message, AssistantMessage):
            if assistant := _assistant(message, model, compat, reasoning=reasoning):
                out.append(assistant)
            continue
        if user := _user(message):
            if compat.requires_assistant_after_tool_result and out and out[-1]["role"] == "tool":
                out.append({"role": "assistant", "content": BETWEEN})
            out.append(user)
    _add_results(out, results, compat)
    return out


def mark_message(message: dict[str, Json], control: dict[str, Json]) -> bool:
    """Put a cache marker on the last text of `message`; False when it has none."""
    content = message.get("content")
    if isinstance(content, str) and content:
        message["content"] = [{"type": "text", "text": content, "cache_control": control}]
        return True
    for part in reversed(content if isinstance(content, list) else []):
        if part.get("type") == "text":
            part["cache_control"] = control
            return True
    return False


def _user(message: UserMessage) -> dict[str, Json] | None:
    if isinstance(message.content, str):
        content: Json = without_surrogates(message.content)
    else:
        content = _parts(message.content)
    return {"role": "user", "content": content} if content else None


def _parts(content: Sequence[UserContent]) -> list[dict[str, Json]]:
    out: list[dict[str, Json]] = []
    for block in content:
        if isinstance(block, ImageContent):
            out.append({"type": "image_url", "image_url": {"url": f"data:{block.mime_type};base64,{block.data}"}})
        elif block.text:
            out.append({"type": "text", "text": without_surrogates(block.text)})
    return out


def _assistant(
    message: AssistantMessage, model: Model, compat: ChatCompat, *, reasoning: bool
) -> dict[str, Json] | None:
    """The text as one string, since lists make some models imitate the structure."""
    text = without_surrogates("".join(block.text for block in message.content if isinstance(block, TextContent)))
    thinking = [b for b in message.content if isinstance(b, ThinkingContent) and not b.redacted]
    if compat.requires_thinking_as_text:
        thoughts = without_surrogates("\n\n".join(block.thinking for block in thinking if block.thinking.strip()))
        if thoughts:
            text = f"<thinking>\n{thoughts}\n</thinking>\n{text}"
    calls = [_call(block) for block in message.content if isinstance(block, ToolCall)]
    blank = not text.strip()
    if blank and not calls:
        return None
    empty = "" if compat.requires_non_null_assistant_content else None
    out: dict[str, Json] = {"role": "assistant", "content": empty if blank else text}
    if not compat.requires_thinking_as_text:
        _add_thinking(out, thinking)
    if compat.requires_reasoning_content_on_assistant_messages and reasoning:
        out.setdefault("reasoning_content", "")
    if calls:
        out["tool_calls"] = calls
    return out


def _add_thinking(out: dict[str, Json], thinking: Sequence[ThinkingContent]) -> None:
    """Send reasoning back in the field that it came from; the signature names it, or is the list of details itself."""
    for block in thinking:
        signature = block.thinking_signature or ""
        if signature.startswith("["):
            try:
                details = json.loads(signature)
            except ValueError:
                continue
            out["reasoning_details"] = [*out.get("reasoning_details", []), *json_without_surrogates(details)]
        elif signature in REASONING_FIELDS and block.thinking.strip():
            text = without_surrogates(block.thinking)
            out[signature] = f"{out[signature]}\n{text}" if signature in out else text


def _call(call: ToolCall) -> dict[str, Json]:
    arguments = json.dumps(json_without_surrogates(call.arguments), separators=(",", ":"), ensure_ascii=False)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _add_results(out: list[dict[str, Json]], results: Sequence[ToolResultMessage], compat: ChatCompat) -> None:
    """One `tool` message per result, then one user message with the images of all of them."""
    images: list[dict[str, Json]] = []
    for result in results:
        text = without_surrogates("\n".join(b.text for b in result.content if isinstance(b, TextContent)))
        pictures = [block for block in result.content if isinstance(block, ImageContent)]
        images += _parts(pictures)
        if not text.strip():
            text = SEE_IMAGE if pictures else NO_OUTPUT
        message: dict[str, Json] = {"role": "tool", "content": text, "tool_call_id": result.tool_call_id}
        if compat.requires_tool_result_name:
            message["name"] = result.tool_name
        out.append(message)
    if images:
        if compat.requires_assistant_after_tool_result:
            out.append({"role": "assistant", "content": BETWEEN})
        out.append({"role": "user", "content": [{"type": "text", "text": IMAGES_OF_RESULTS}, *images]})
