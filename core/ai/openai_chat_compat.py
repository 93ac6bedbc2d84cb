"""Where endpoints of the Chat Completions format differ: what a model declares, else what its URL tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Literal

from core.ai.model import Model
from core.ai.urls import host_of
from core.ai.wire import Json

ThinkingFormat = Literal[
    "openai",
    "openrouter",
    "deepseek",
    "together",
    "baseten",
    "zai",
    "qwen",
    "chat-template",
    "qwen-chat-template",
    "string-thinking",
    "ant-ling",
]


@dataclass(frozen=True, slots=True)
class ChatCompat:
    """Field names are pi's camelCase `compat` keys in snake_case; a key that is not listed here is ignored."""

    supports_store: bool = True
    supports_developer_role: bool = False
    supports_reasoning_effort: bool = True
    supports_usage_in_streaming: bool = True
    supports_finish_reason: bool = True
    supports_long_cache_retention: bool = True
    max_tokens_field: str = "max_completion_tokens"
    requires_tool_result_name: bool = False
    requires_assistant_after_tool_result: bool = False
    requires_non_null_assistant_content: bool = False
    requires_tools_with_tool_history: bool = False
    requires_thinking_as_text: bool = False
    requires_reasoning_content_on_assistant_messages: bool = False
    thinking_format: str = "openai"
    thinking_token_budget_field: str | None = None
    supports_thinking_token_budget: bool = False
    chat_template_kwargs: Mapping[str, Json] = field(default_factory=dict)
    chat_template_args: Mapping[str, Json] = field(default_factory=dict)
    open_router_routing: Mapping[str, Json] | None = None
    vercel_gateway_routing: Mapping[str, Json] | None = None
    zai_tool_stream: bool = False
    cache_control_format: str | None = None
    send_session_affinity_headers: bool = False
    session_affinity_format: str = "openai"
    prompt_cache_key_mode: str = "auto"
    vllm_priority: int | None = None


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


_KEYS = {_camel(each.name): each.name for each in fields(ChatCompat)}

_PLAIN = ChatCompat(supports_store=False)
_OLD = replace(_PLAIN, max_tokens_field="max_tokens")
_NO_EFFORT = replace(_OLD, supports_reasoning_effort=False)
_NO_EFFORT_SHORT = replace(_NO_EFFORT, supports_long_cache_retention=False)

_BY_HOST: Mapping[str, ChatCompat] = {
    "api.openai.com": ChatCompat(supports_developer_role=True),
    "deepseek.com": replace(_OLD, thinking_format="deepseek", requires_reasoning_content_on_assistant_messages=True),
    "moonshot.ai": _NO_EFFORT,
    "moonshot.cn": _NO_EFFORT,
    "z.ai": replace(_NO_EFFORT, thinking_format="zai"),
    "bigmodel.cn": replace(_NO_EFFORT, thinking_format="zai"),
    "together.ai": replace(_NO_EFFORT_SHORT, thinking_format="together"),
    "together.xyz": replace(_NO_EFFORT_SHORT, thinking_format="together"),
    "api.nvidia.com": _NO_EFFORT_SHORT,
    "ant-ling.com": replace(_NO_EFFORT_SHORT, thinking_format="ant-ling"),
    "gateway.ai.cloudflare.com": _NO_EFFORT_SHORT,
    "chutes.ai": _OLD,
    "cerebras.ai": _PLAIN,
    "opencode.ai": _PLAIN,
    "x.ai": replace(_PLAIN, supports_reasoning_effort=False, supports_long_cache_retention=False),
    "api.cloudflare.com": replace(_PLAIN, supports_long_cache_retention=False),
    "openrouter.ai": ChatCompat(
        thinking_format="openrouter", send_session_affinity_headers=True, session_affinity_format="openrouter"
    ),
}


def chat_compat(model: Model) -> ChatCompat:
    """Return how the endpoint of `model` differs; the model's own `compat` wins over its URL."""
    host = host_of(model.base_url)
    found = next((known for name, known in _BY_HOST.items() if host == name or host.endswith(f".{name}")), None)
    if not model.base_url:
        found = _BY_HOST["api.openai.com"]
    detected = found or ChatCompat()
    if detected.thinking_format == "openrouter" and model.id.startswith("anthropic/"):
        detected = replace(detected, cache_control_format="anthropic")
    given = {_KEYS[key]: value for key, value in (model.compat or {}).items() if key in _KEYS and value is not None}
    return replace(detected, **given)
