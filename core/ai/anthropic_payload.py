"""The request body of Anthropic's Messages format.

Formats and limits: https://docs.anthropic.com/en/api/messages; where third parties differ, the model's `compat` says so
(the keys are those of pi's models.json).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.ai.estimate import clamp_output, estimate_request
from core.ai.messages import (
    AssistantMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    ToolSpec,
    UserContent,
    UserMessage,
)
from core.ai.model import Model, ModelRequest, RequestOptions
from core.ai.payload import Payload
from core.ai.system import replay_system
from core.ai.thinking import budget_for, can_disable, clamp_level, fit_budget, mapped_level
from core.ai.transform import ConversationMessage, prepare_messages
from core.ai.urls import host_of
from core.ai.wire import Json, json_without_surrogates, without_surrogates

OWN_HOST = "api.anthropic.com"
MAX_ID_LENGTH = 64
MIN_BUDGET = 1024

NO_OUTPUT = "(no output)"
SEE_IMAGE = "(the result is the image below)"
IMAGES_FOLLOW = "(its images follow after the results)"

INTERLEAVED_BETA = "interleaved-thinking-2025-05-14"
FINE_GRAINED_BETA = "fine-grained-tool-streaming-2025-05-14"

_SCHEMA_KEYS = ("additionalProperties", "$defs", "definitions")
_EFFORTS: Mapping[str, str] = {"minimal": "low", "low": "low", "medium": "medium"}


@dataclass(frozen=True, slots=True)
class AnthropicCompat:
    """Where an endpoint of this format differs; field names are the camelCase keys of `compat` in snake_case."""

    supports_eager_tool_input_streaming: bool = True
    supports_long_cache_retention: bool = True
    send_session_affinity_headers: bool = False
    session_affinity_format: str | None = None
    supports_cache_control_on_tools: bool = True
    supports_temperature: bool = True
    force_adaptive_thinking: bool = False
    allow_empty_signature: bool = False

    @classmethod
    def of(cls, model: Model) -> AnthropicCompat:
        """Return what `model` declares, filled up with what its URL tells."""
        given = model.compat or {}
        openrouter = host_of(model.base_url).endswith("openrouter.ai")
        affinity = given.get("sessionAffinityFormat", "openrouter" if openrouter else None)
        return cls(
            supports_eager_tool_input_streaming=bool(given.get("supportsEagerToolInputStreaming", True)),
            supports_long_cache_retention=bool(given.get("supportsLongCacheRetention", True)),
            send_session_affinity_headers=bool(given.get("sendSessionAffinityHeaders", openrouter)),
            session_affinity_format=affinity if isinstance(affinity, str) else None,
            supports_cache_control_on_tools=bool(given.get("supportsCacheControlOnTools", True)),
            supports_temperature=bool(given.get("supportsTemperature", True)),
            force_adaptive_thinking=bool(given.get("forceAdaptiveThinking", False)),
            allow_empty_signature=bool(given.get("allowEmptySignature", False)),
        )


def anthropic_payload(request: ModelRequest) -> Payload:
    """Return the body and headers for `request`."""
    model, options = request.model, request.options
    compat = AnthropicCompat.of(model)
    system = replay_system(request.messages)
    tools = request.tools or system.tools
    conversation = prepare_messages(request.messages, model, max_id_length=MAX_ID_LENGTH, keep_own_ids=False)
    marker = _cache_marker(options, compat)

    payload = Payload({"model": model.id})
    room = clamp_output(model, model.max_tokens, estimate_request(request.messages, tools))
    payload.body["max_tokens"] = room if options.max_tokens is None else max(1, min(options.max_tokens, room))
    payload.body["stream"] = True
    _add_thinking(payload, model, options, compat, room)
    if system.prompt.strip():
        block: dict[str, Json] = {"type": "text", "text": without_surrogates(system.prompt)}
        payload.body["system"] = [block | marker]
    if tools:
        payload.body["tools"] = _tools(tools, compat, marker)
        if not compat.supports_eager_tool_input_streaming:
            _add_beta(payload, FINE_GRAINED_BETA)
    messages = _messages(conversation, compat)
    if marker and messages and messages[-1]["role"] == "user":
        _mark_last_block(messages[-1], marker)
    payload.body["messages"] = messages
    if compat.send_session_affinity_headers and options.session_id and options.cache_retention != "none":
        name = "x-session-id" if compat.session_affinity_format == "openrouter" else "x-session-affinity"
        payload.headers[name] = options.session_id
    return payload


def _add_thinking(payload: Payload, model: Model, options: RequestOptions, compat: AnthropicCompat, room: int) -> None:
    level = clamp_level(model, options.thinking_level)
    body = payload.body
    thinking: dict[str, Json] | None = None
    if level == "off":
        if model.reasoning and can_disable(model):
            thinking = {"type": "disabled"}
    elif compat.force_adaptive_thinking:
        thinking = {"type": "adaptive", "display": "summarized"}
        body["output_config"] = {"effort": mapped_level(model, level) or _EFFORTS.get(level, "high")}
    else:
        wanted = budget_for(level, options.thinking_budgets)
        max_tokens, budget = fit_budget(wanted, options.max_tokens, room)
        if budget >= MIN_BUDGET:
            body["max_tokens"] = max_tokens
            thinking = {"type": "enabled", "budget_tokens": budget, "display": "summarized"}
            _add_beta(payload, INTERLEAVED_BETA)
        elif can_disable(model):
            thinking = {"type": "disabled"}
    if thinking is not None:
        body["thinking"] = thinking
    thinks = thinking is not None and thinking["type"] != "disabled"
    if options.temperature is not None and not thinks and compat.supports_temperature:
        body["temperature"] = options.temperature


def _add_beta(payload: Payload, name: str) -> None:
    present = payload.headers.get("anthropic-beta")
    payload.headers["anthropic-beta"] = f"{present},{name}" if present else name


def _cache_marker(options: RequestOptions, compat: AnthropicCompat) -> dict[str, Json]:
    """The `cache_control` entry to merge into a block, empty when caching is off."""
    if options.cache_retention == "none":
        return {}
    control: dict[str, Json] = {"type": "ephemeral"}
    if options.cache_retention == "long" and compat.supports_long_cache_retention:
        control["ttl"] = "1h"
    return {"cache_control": control}


def _mark_last_block(message: dict[str, Json], marker: dict[str, Json]) -> None:
    if isinstance(message["content"], str):
        message["content"] = [{"type": "text", "text": message["content"]}]
    message["content"][-1].update(marker)


def _tools(tools: Sequence[ToolSpec], compat: AnthropicCompat, marker: dict[str, Json]) -> list[dict[str, Json]]:
    out: list[dict[str, Json]] = []
    for tool in tools:
        schema = tool.parameters
        given = {key: schema[key] for key in _SCHEMA_KEYS if key in schema}
        declared: dict[str, Json] = {"name": tool.name, "description": without_surrogates(tool.description)}
        if compat.supports_eager_tool_input_streaming:
            declared["eager_input_streaming"] = True
        declared["input_schema"] = json_without_surrogates(
            {
                "type": "object",
                "properties": schema.get("properties") or {},
                "required": schema.get("required") or [],
                **given,
            }
        )
        out.append(declared)
    if compat.supports_cache_control_on_tools:
        out[-1].update(marker)
    return out


def _messages(conversation: Sequence[ConversationMessage], compat: AnthropicCompat) -> list[dict[str, Json]]:
    out: list[dict[str, Json]] = []
    results: list[ToolResultMessage] = []
    for message in conversation:
        if isinstance(message, ToolResultMessage):
            results.append(message)
            continue
        if results:
            out.append({"role": "user", "content": _results(results)})
            results = []
        if isinstance(message, UserMessage):
            user = _user_content(message.content)
            if user:
                out.append({"role": "user", "content": user})
        elif assistant := _assistant_content(message, compat):
            out.append({"role": "assistant", "content": assistant})
    if results:
        out.append({"role": "user", "content": _results(results)})
    return out


def _user_content(content: str | Sequence[UserContent]) -> Json:
    if isinstance(content, str):
        return without_surrogates(content) if content.strip() else ""
    return _blocks(content)


def _blocks(content: Sequence[UserContent]) -> list[dict[str, Json]]:
    """Text and image blocks; blank text, which the API refuses, is left out."""
    out: list[dict[str, Json]] = []
    for block in content:
        if isinstance(block, ImageContent):
            source = {"type": "base64", "media_type": block.mime_type, "data": block.data}
            out.append({"type": "image", "source": source})
        elif block.text.strip():
            out.append({"type": "text", "text": without_surrogates(block.text)})
    return out


def _assistant_content(message: AssistantMessage, compat: AnthropicCompat) -> list[dict[str, Json]]:
    out: list[dict[str, Json]] = []
    for block in message.content:
        if isinstance(block, TextContent):
            if block.text.strip():
                out.append({"type": "text", "text": without_surrogates(block.text)})
        elif isinstance(block, ToolCall):
            arguments = json_without_surrogates(block.arguments)
            out.append({"type": "tool_use", "id": block.id, "name": block.name, "input": arguments})
        elif thinking := _thinking(block, compat):
            out.append(thinking)
    return out


def _thinking(block: ThinkingContent, compat: AnthropicCompat) -> dict[str, Json] | None:
    """Thinking goes back exactly as it came; without its signature it cannot, and is left out."""
    if block.redacted:
        return {"type": "redacted_thinking", "data": block.thinking_signature or ""}
    if block.thinking_signature or compat.allow_empty_signature:
        text = without_surrogates(block.thinking)
        return {"type": "thinking", "thinking": text, "signature": block.thinking_signature or ""}
    return None


def _results(results: Sequence[ToolResultMessage]) -> list[dict[str, Json]]:
    """One `tool_result` per message, then the images that the API does not take inside failed results."""
    out: list[dict[str, Json]] = []
    after: list[dict[str, Json]] = []
    for result in results:
        images = [block for block in result.content if isinstance(block, ImageContent)]
        text = without_surrogates("\n".join(b.text for b in result.content if isinstance(b, TextContent)))
        content: Json
        if not images:
            content = text if text.strip() else NO_OUTPUT
        elif result.is_error:
            content = f"{text}\n{IMAGES_FOLLOW}" if text.strip() else IMAGES_FOLLOW
            caption = f"Images of the failed call {result.tool_call_id} ({result.tool_name}):"
            after += [{"type": "text", "text": caption}, *_blocks(images)]
        else:
            content = _blocks(result.content)
            if not text.strip():
                content = [{"type": "text", "text": SEE_IMAGE}, *content]
        out.append(
            {
                "type": "tool_result",
                "tool_use_id": result.tool_call_id,
                "content": content,
                "is_error": result.is_error,
            }
        )
    return out + after
