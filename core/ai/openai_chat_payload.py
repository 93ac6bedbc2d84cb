"""The request body of the Chat Completions format.

Format: https://platform.openai.com/docs/api-reference/chat; what other endpoints want stands in `ChatCompat`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.ai.estimate import clamp_output, estimate_request
from core.ai.messages import ThinkingLevel, ToolSpec
from core.ai.model import Model, ModelRequest, RequestOptions
from core.ai.openai_chat_compat import ChatCompat, chat_compat
from core.ai.openai_chat_messages import chat_messages, mark_message
from core.ai.payload import Payload
from core.ai.system import replay_system
from core.ai.thinking import budget_for, clamp_level, fit_budget, mapped_level
from core.ai.transform import prepare_messages
from core.ai.urls import host_of
from core.ai.wire import Json, json_without_surrogates, without_surrogates

MAX_ID_LENGTH = 40
CACHE_KEY_LENGTH = 64
DEFAULT_HOST = "api.openai.com"


def chat_payload(request: ModelRequest) -> Payload:
    """Return the body and headers for `request`."""
    model, options = request.model, request.options
    compat = chat_compat(model)
    system = replay_system(request.messages)
    tools = request.tools or system.tools
    level = clamp_level(model, options.thinking_level)
    conversation = prepare_messages(request.messages, model, max_id_length=MAX_ID_LENGTH, keep_own_ids=True)
    messages = chat_messages(conversation, model, compat, reasoning=model.reasoning and level != "off")

    payload = Payload({"model": model.id, "stream": True})
    body = payload.body
    if compat.supports_usage_in_streaming:
        body["stream_options"] = {"include_usage": True}
    if compat.supports_store:
        body["store"] = False
    room = clamp_output(model, model.max_tokens, estimate_request(request.messages, tools))
    cap = room if options.max_tokens is None else max(1, min(options.max_tokens, room))
    body[compat.max_tokens_field] = cap
    if options.temperature is not None:
        body["temperature"] = options.temperature
    if tools:
        body["tools"] = [_tool(tool) for tool in tools]
    elif compat.requires_tools_with_tool_history and any(m["role"] == "tool" or "tool_calls" in m for m in messages):
        body["tools"] = []
    if model.reasoning:
        body.update(_thinking(model, compat, level))
        field = compat.thinking_token_budget_field
        if field is None and compat.supports_thinking_token_budget:
            field = "thinking_token_budget"
        if field is not None and level != "off":
            body[field] = fit_budget(budget_for(level, options.thinking_budgets), None, cap)[1]
        if compat.chat_template_kwargs and compat.thinking_format == "chat-template":
            body["chat_template_kwargs"] = _template(compat.chat_template_kwargs, model, level, options)
        if compat.chat_template_args and compat.thinking_format == "baseten":
            body["chat_template_args"] = _template(compat.chat_template_args, model, level, options)
    _add_routing(body, compat)
    _add_caching(payload, model, compat, options)
    body.update(_sampling(model, level))

    if system.prompt.strip():
        role = "developer" if compat.supports_developer_role and model.reasoning else "system"
        messages.insert(0, {"role": role, "content": without_surrogates(system.prompt)})
    if compat.cache_control_format == "anthropic" and options.cache_retention != "none":
        _mark(body, messages, compat, options)
    body["messages"] = messages
    return payload


def _tool(tool: ToolSpec) -> dict[str, Json]:
    function = {
        "name": tool.name,
        "description": without_surrogates(tool.description),
        "parameters": json_without_surrogates(tool.parameters),
    }
    return {"type": "function", "function": function}


def _thinking(model: Model, compat: ChatCompat, level: ThinkingLevel) -> dict[str, Json]:
    """The fields that tell the endpoint how much to think, in its own dialect."""
    on = level != "off"
    mapped = mapped_level(model, level)
    effort = mapped or (level if on else None)
    with_effort: dict[str, Json] = {}
    if effort is not None and on and compat.supports_reasoning_effort:
        with_effort["reasoning_effort"] = effort
    match compat.thinking_format:
        case "openrouter":
            return {"reasoning": {"effort": effort or "none"}}
        case "deepseek":
            return {"thinking": {"type": "enabled" if on else "disabled"}, **with_effort}
        case "zai":
            thinking = {"type": "enabled", "clear_thinking": False} if on else {"type": "disabled"}
            return {"thinking": thinking, **with_effort}
        case "together":
            return {"reasoning": {"enabled": on}, **with_effort}
        case "qwen":
            return {"enable_thinking": on, **with_effort}
        case "qwen-chat-template":
            return {"chat_template_kwargs": {"enable_thinking": on, "preserve_thinking": True}}
        case "string-thinking":
            return {"thinking": effort or "none"}
        case "chat-template":
            return {}
        case "baseten":
            return with_effort
        case "ant-ling":
            return {"reasoning": {"effort": mapped}} if on and mapped else {}
    if not on and mapped is not None and compat.supports_reasoning_effort:
        return {"reasoning_effort": mapped}
    return with_effort


def _template(
    template: Mapping[str, Json], model: Model, level: ThinkingLevel, options: RequestOptions
) -> dict[str, Json]:
    """Fill in `{"$var": name}` values; a variable that has no value at this level leaves its key out."""
    on = level != "off"
    values: dict[str, Json] = {"thinking.enabled": on}
    if on:
        values["thinking.effort"] = mapped_level(model, level) or level
        values["thinking.budget"] = budget_for(level, options.thinking_budgets)
    out: dict[str, Json] = {}
    for key, value in template.items():
        if not isinstance(value, dict) or "$var" not in value:
            out[key] = value
        elif value["$var"] in values:
            out[key] = values[value["$var"]]
    return out


def _add_routing(body: dict[str, Json], compat: ChatCompat) -> None:
    if compat.zai_tool_stream and body.get("tools"):
        body["tool_stream"] = True
    if compat.vllm_priority is not None:
        body["priority"] = compat.vllm_priority
    if compat.open_router_routing is not None:
        body["provider"] = dict(compat.open_router_routing)
    if compat.vercel_gateway_routing is not None:
        body["providerOptions"] = {"gateway": dict(compat.vercel_gateway_routing)}


def _add_caching(payload: Payload, model: Model, compat: ChatCompat, options: RequestOptions) -> None:
    if options.cache_retention == "none":
        return
    long = options.cache_retention == "long" and compat.supports_long_cache_retention
    if options.session_id:
        own = (host_of(model.base_url) or DEFAULT_HOST) == DEFAULT_HOST
        if compat.prompt_cache_key_mode == "enabled" or (compat.prompt_cache_key_mode == "auto" and (own or long)):
            payload.body["prompt_cache_key"] = options.session_id[:CACHE_KEY_LENGTH]
        if compat.send_session_affinity_headers:
            names = {
                "openrouter": ("x-session-id",),
                "openai-nosession": ("x-client-request-id", "x-session-affinity"),
            }.get(compat.session_affinity_format, ("session_id", "x-client-request-id", "x-session-affinity"))
            payload.headers.update(dict.fromkeys(names, options.session_id))
    if long and compat.cache_control_format is None:
        payload.body["prompt_cache_retention"] = "24h"


def _sampling(model: Model, level: ThinkingLevel) -> dict[str, Json]:
    extra = model.model_extra or {}
    by_level = extra.get("samplingParamsByThinkingLevel") or {}
    return {**(extra.get("samplingParams") or {}), **(by_level.get(level) or {})}


def _mark(body: dict[str, Json], messages: list[dict[str, Json]], compat: ChatCompat, options: RequestOptions) -> None:
    """Anthropic's cache markers: the system prompt, the last tool, the last message that has text."""
    control: dict[str, Json] = {"type": "ephemeral"}
    if options.cache_retention == "long" and compat.supports_long_cache_retention:
        control["ttl"] = "1h"
    if messages and messages[0]["role"] in ("system", "developer"):
        mark_message(messages[0], control)
    if body.get("tools"):
        body["tools"][-1]["cache_control"] = control
    conversation: Sequence[dict[str, Json]] = [m for m in messages if m["role"] not in ("system", "developer")]
    for message in reversed(conversation):
        if mark_message(message, control):
            return
