"""Anthropic's Messages format over the official SDK.

The SDK gives transport, connection pool, proxies and certificates. Its retries, its event models and its own reading
of the environment are not used: every request says all it needs, and events are read from the raw response, which
costs a fraction of the SDK's typed events.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from core.ai.anthropic_payload import OWN_HOST, anthropic_payload
from core.ai.anthropic_stream import AnthropicParser
from core.ai.builder import MessageBuilder
from core.ai.http_stream import Exchange, stream_reply
from core.ai.model import Model, ModelRequest
from core.ai.sdk_clients import (
    UNUSED_KEY,
    ambient_header_names,
    http_client,
    load_sdk,
    request_headers,
    request_timeout,
    required_key,
    secrets_of,
)
from core.ai.stream import StreamEvent
from core.ai.urls import host_of

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic, Omit

SDK = "anthropic"
DEFAULT_BASE_URL = "https://api.anthropic.com"
THIRD_PARTY_VERSION = "2023-06-01"
"""The `anthropic-version` that compatible endpoints know; the provider's own endpoint gets the SDK's."""


class AnthropicProvider:
    """Adapter for `anthropic-messages`."""

    def stream(self, request: ModelRequest, reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        """Send `request` and yield the events of the reply. Raises ProviderError."""
        return stream_reply(lambda: self._prepare(request, reply), request, reply)

    async def _prepare(self, request: ModelRequest, reply: MessageBuilder) -> Exchange:
        payload = anthropic_payload(request)
        headers = request_headers(request, payload.headers)
        key = required_key(request, headers)
        secrets = secrets_of(key, headers)
        body = payload.body
        if request.options.hooks.on_payload is not None:
            body = await request.options.hooks.on_payload(body) or body
        await load_sdk(SDK)
        # The whole body goes in as extra_body: the SDK then neither rewrites it nor warns about its model on stderr.
        opening = _client(request.model, key).messages.with_streaming_response.create(
            model="",
            max_tokens=1,
            messages=(),
            stream=True,
            extra_body=body,
            extra_headers=_wire_headers(request.model, key, headers),
        )
        return Exchange(opening, AnthropicParser(reply, secrets), " ", secrets)


def base_url(model: Model) -> str:
    """Return the URL in front of `/v1/messages`; one that already ends in `/v1` is understood."""
    return model.base_url.rstrip("/").removesuffix("/v1") or DEFAULT_BASE_URL


def _client(model: Model, key: str | None) -> AsyncAnthropic:
    from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient

    return AsyncAnthropic(
        api_key=key or UNUSED_KEY,
        base_url=base_url(model),
        max_retries=0,
        timeout=request_timeout(),
        open_telemetry=False,
        http_client=http_client(SDK, base_url(model), DefaultAsyncHttpxClient),
    )


def _wire_headers(model: Model, key: str | None, headers: dict[str, str | None]) -> dict[str, str | Omit]:
    """Headers as the SDK takes them. Third parties get the key as `x-api-key`, which the SDK no longer sends."""
    from anthropic import omit

    out: dict[str, str | Omit] = {"x-stainless-timeout": omit}
    if model.provider != "anthropic":
        out.update({name.lower(): omit for name in ambient_header_names("ANTHROPIC_CUSTOM_HEADERS")})
    if host_of(base_url(model)) != OWN_HOST:
        out |= {"authorization": omit, "anthropic-version": THIRD_PARTY_VERSION}
        if key is not None:
            out["x-api-key"] = key
    elif key is None:
        out["authorization"] = omit
    out.update({name: omit if value is None else value for name, value in headers.items()})
    return out
