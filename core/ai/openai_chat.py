"""The Chat Completions format over the official SDK, for OpenAI and everything compatible with it.

As in `core.ai.anthropic` the SDK is transport only; events are read from the raw response.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from core.ai.builder import MessageBuilder
from core.ai.http_stream import Exchange, stream_reply
from core.ai.model import Model, ModelRequest
from core.ai.openai_chat_compat import chat_compat
from core.ai.openai_chat_payload import DEFAULT_HOST, chat_payload
from core.ai.openai_chat_stream import ChatParser
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

if TYPE_CHECKING:
    from openai import AsyncOpenAI, Omit

SDK = "openai"
DEFAULT_BASE_URL = f"https://{DEFAULT_HOST}/v1"


class OpenAIChatProvider:
    """Adapter for `openai-completions`."""

    def stream(self, request: ModelRequest, reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        """Send `request` and yield the events of the reply. Raises ProviderError."""
        return stream_reply(lambda: self._prepare(request, reply), request, reply)

    async def _prepare(self, request: ModelRequest, reply: MessageBuilder) -> Exchange:
        payload = chat_payload(request)
        headers = request_headers(request, payload.headers)
        key = required_key(request, headers)
        secrets = secrets_of(key, headers)
        body = payload.body
        if request.options.hooks.on_payload is not None:
            body = await request.options.hooks.on_payload(body) or body
        await load_sdk(SDK)
        opening = _client(request.model, key).chat.completions.with_streaming_response.create(
            model="",
            messages=(),
            stream=True,
            extra_body=body,
            extra_headers=_wire_headers(request.model, key, headers),
        )
        required = chat_compat(request.model).supports_finish_reason
        parser = ChatParser(reply, finish_reason_required=required, secrets=secrets)
        return Exchange(opening, parser, ": ", secrets)


def _client(model: Model, key: str | None) -> AsyncOpenAI:
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    return AsyncOpenAI(
        api_key=key or UNUSED_KEY,
        base_url=model.base_url or DEFAULT_BASE_URL,
        max_retries=0,
        timeout=request_timeout(),
        http_client=http_client(SDK, model.base_url, DefaultAsyncHttpxClient),
    )


def _wire_headers(model: Model, key: str | None, headers: dict[str, str | None]) -> dict[str, str | Omit]:
    """Headers as the SDK takes them. What it would add from the environment goes to its own provider only."""
    from openai import omit

    out: dict[str, str | Omit] = {}
    if model.provider != "openai":
        names = ("openai-organization", "openai-project", *ambient_header_names("OPENAI_CUSTOM_HEADERS"))
        out.update({name.lower(): omit for name in names})
    if key is None:
        out["authorization"] = omit
    else:
        out["authorization"] = f"Bearer {key}"
    out.update({name: omit if value is None else value for name, value in headers.items()})
    return out
