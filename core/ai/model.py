"""Models and what one request to a model consists of."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from core.ai.messages import LlmMessage, ThinkingLevel, ToolSpec
from core.ai.wire import Json, WireModel


class PriceTier(WireModel):
    """US dollars per million tokens for requests whose prompt is larger than `input_tokens_above`."""

    input_tokens_above: int
    input: float
    output: float
    cache_read: float = 0
    cache_write: float = 0


class Prices(WireModel):
    """US dollars per million tokens."""

    input: float = 0
    output: float = 0
    cache_read: float = 0
    cache_write: float = 0
    tiers: tuple[PriceTier, ...] | None = None


class Model(WireModel):
    """A model as pi's catalogue and models.json describe it. `cost` is None when no price is known.

    `api` names the wire format: anthropic-messages, openai-completions, openai-responses, demo, scripted.
    `thinking_level_map` maps a level to the provider's value; null means that the level is not supported.
    """

    id: str
    name: str
    api: str
    provider: str
    base_url: str = ""
    reasoning: bool = False
    thinking_level_map: dict[str, str | None] | None = None
    input: tuple[Literal["text", "image"], ...] = ("text",)
    cost: Prices | None = None
    context_window: int = 128_000
    max_tokens: int = 16_384
    headers: dict[str, str | None] | None = None
    compat: dict[str, Json] | None = None

    @property
    def ref(self) -> str:
        """`provider/id`, the form people type."""
        return f"{self.provider}/{self.id}"


@dataclass(frozen=True, slots=True)
class RequestHooks:
    """Looks into the request: `on_payload` may return a replacement body, `on_response` sees status and headers."""

    on_payload: Callable[[dict[str, Json]], Awaitable[dict[str, Json] | None]] | None = None
    on_response: Callable[[int, Mapping[str, str]], Awaitable[None]] | None = None


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """Per-request settings. `api_key` is a secret, never logged; `timeout` is the idle limit in seconds."""

    thinking_level: ThinkingLevel = "off"
    thinking_budgets: Mapping[str, int] = field(default_factory=dict)
    max_tokens: int | None = None
    temperature: float | None = None
    api_key: str | None = field(default=None, repr=False)
    headers: Mapping[str, str | None] = field(default_factory=dict, repr=False)
    cache_retention: Literal["none", "short", "long"] = "short"
    session_id: str | None = None
    timeout: float | None = 300.0
    hooks: RequestHooks = RequestHooks()


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """Everything an adapter needs. System prompt and sections stand in `messages` as system messages."""

    model: Model
    messages: tuple[LlmMessage, ...]
    tools: tuple[ToolSpec, ...] = ()
    options: RequestOptions = RequestOptions()
