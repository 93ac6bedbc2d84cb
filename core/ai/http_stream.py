"""One streamed HTTP reply, the same for every wire format: headers, events, end, and what each failure means."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import jiter

from core.ai.builder import MessageBuilder
from core.ai.errors import ErrorInfo, ProviderError
from core.ai.failures import BODY_LIMIT, event_failure, http_failure, readable_body, redacted, transport_failure
from core.ai.model import ModelRequest
from core.ai.sse import LineTooLong, SseDecoder, SseEvent
from core.ai.stream import StreamEvent
from core.ai.wire import Json

if TYPE_CHECKING:
    import httpx2

DRAIN_SECONDS = 0.05
"""How long the end of a response body is waited for after the format's end marker, to keep the connection usable."""

_lenient = json.JSONDecoder(strict=False).decode


class EventParser(Protocol):
    """Turns the events of one wire format into stream events; knows nothing of HTTP."""

    @property
    def ended(self) -> bool:
        """True once the format's end marker was seen."""
        ...

    def feed(self, event: SseEvent) -> Sequence[StreamEvent]:
        """Return what `event` means. Raises ProviderError for an error event or broken data."""
        ...

    def finish(self) -> Iterable[StreamEvent]:
        """Yield what the end of the stream means, `StreamDone` last. Raises ProviderError when it came too early."""
        ...


class StreamedResponse(Protocol):
    """What both SDKs' raw streaming responses offer."""

    @property
    def http_response(self) -> httpx2.Response: ...


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request that is ready to be sent. `status_separator` stands between status and body in error texts."""

    opening: AbstractAsyncContextManager[StreamedResponse]
    parser: EventParser
    status_separator: str
    secrets: Sequence[str]


async def stream_reply(
    prepare: Callable[[], Awaitable[Exchange]], request: ModelRequest, reply: MessageBuilder
) -> AsyncGenerator[StreamEvent, None]:
    """Send the request that `prepare` makes and yield the events of its reply.

    Raises ProviderError for every failure of the provider or the network. The connection is closed when this ends.
    """
    exchange = await prepare()
    reply.heard()
    parser = exchange.parser
    try:
        async with exchange.opening as streamed:
            response = streamed.http_response
            reply.heard()
            if request.options.hooks.on_response is not None:
                await request.options.hooks.on_response(response.status_code, dict(response.headers))
            yield reply.start()
            decoder = SseDecoder()
            chunks = response.aiter_bytes()
            if "event-stream" not in response.headers.get("content-type", "event-stream"):
                chunks = _refuse_documents(chunks, response, exchange.secrets)
            async for chunk in chunks:
                reply.heard()
                for sse in decoder.feed(chunk):
                    for event in parser.feed(sse):
                        yield event
                if parser.ended:
                    await _drain(chunks)
                    break
            else:
                for sse in decoder.end():
                    for event in parser.feed(sse):
                        yield event
            for event in parser.finish():
                yield event
    except ProviderError:
        raise
    except LineTooLong as error:
        raise ProviderError(ErrorInfo(kind="malformed", message=str(error))) from error
    except Exception as error:
        info = _failure(error, request, exchange)
        if info is None:
            raise
        raise ProviderError(info) from error


def event_data(event: SseEvent, secrets: Sequence[str]) -> dict[str, Json]:
    """Return the JSON object of an event.

    Raw control characters in strings, which some proxies let through, are accepted. Raises ProviderError, for an event
    named `error` with its text.
    """
    try:
        data = jiter.from_json(event.data.encode())
    except ValueError:
        try:
            data = _lenient(event.data)
        except ValueError:
            data = None
    if isinstance(data, dict):
        return data
    if event.event == "error":
        raise error_event(None, event.data, secrets)
    raise _broken_event(event, secrets)


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_SECONDS):
            async for _ in chunks:
                pass


async def _refuse_documents(
    chunks: AsyncIterator[bytes], response: httpx2.Response, secrets: Sequence[str]
) -> AsyncIterator[bytes]:
    """Pass the chunks on unless they are a JSON or HTML document, which is then told of as the failure it is."""
    head = b""
    async for chunk in chunks:
        if not head.strip():
            head += chunk
            if head.lstrip()[:1] in (b"{", b"[", b"<"):
                break
        yield chunk
    else:
        return
    async for chunk in chunks:
        head += chunk
        if len(head) > 4 * BODY_LIMIT:
            break
    body = head.decode("utf-8", "replace")
    info = http_failure(
        response.status_code, response.headers, body, separator=" ", secrets=secrets, bodyless_overflow=False
    )
    kind = info.kind if info.kind != "unknown" else "malformed"
    text = redacted(readable_body(body), secrets)
    message = f"The server answered with {response.headers['content-type']} instead of an event stream: {text}"
    raise ProviderError(info.model_copy(update={"kind": kind, "message": message}))


def _failure(error: Exception, request: ModelRequest, exchange: Exchange) -> ErrorInfo | None:
    response = getattr(error, "response", None)
    if response is not None and getattr(error, "status_code", None) is not None:
        return http_failure(
            response.status_code,
            response.headers,
            response.text,
            separator=exchange.status_separator,
            secrets=exchange.secrets,
            bodyless_overflow=request.model.provider == "cerebras",
        )
    return transport_failure(error, exchange.secrets)


def _broken_event(event: SseEvent, secrets: Sequence[str]) -> ProviderError:
    shown = event.data if len(event.data) <= 500 else f"{event.data[:500]}…"
    name = f" {event.event}" if event.event else ""
    text = f"The stream has an event{name} that is not a JSON object: {shown}"
    return ProviderError(ErrorInfo(kind="malformed", message=redacted(text, secrets)))


def error_event(error: Json, text: str, secrets: Sequence[str]) -> ProviderError:
    """Return the error that an error event in mid-stream tells of."""
    return ProviderError(event_failure(error, text, secrets))


def ended_early(missing: str) -> ProviderError:
    """Return the error of a stream that lacks what must stand at its end."""
    return ProviderError(ErrorInfo(kind="malformed", message=f"The stream ended before {missing}"))
