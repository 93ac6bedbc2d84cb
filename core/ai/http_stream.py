"""One streamed HTTP reply, the same for every wire format: headers, events, end, and what each failure means."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, suppress
from typing import TYPE_CHECKING, Protocol

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


async def stream_reply(
    opening: AbstractAsyncContextManager[StreamedResponse],
    parser: EventParser,
    request: ModelRequest,
    reply: MessageBuilder,
    *,
    status_separator: str,
    secrets: Sequence[str],
) -> AsyncGenerator[StreamEvent, None]:
    """Send the request and yield the events of its reply.

    Raises ProviderError for every failure of the provider or the network. The connection is closed when this ends.
    """
    try:
        async with opening as streamed:
            response = streamed.http_response
            reply.heard()
            if request.options.hooks.on_response is not None:
                await request.options.hooks.on_response(response.status_code, dict(response.headers))
            yield reply.start()
            async with aclosing(_events(response, parser, reply, secrets)) as events:
                async for event in events:
                    yield event
            for event in parser.finish():
                yield event
    except ProviderError:
        raise
    except LineTooLong as error:
        raise ProviderError(ErrorInfo(kind="malformed", message=str(error))) from error
    except Exception as error:
        info = _failure(error, request, status_separator, secrets)
        if info is None:
            raise
        raise ProviderError(info) from error


async def _events(
    response: httpx2.Response, parser: EventParser, reply: MessageBuilder, secrets: Sequence[str]
) -> AsyncGenerator[StreamEvent, None]:
    decoder = SseDecoder()
    chunks = response.aiter_bytes()
    if not _is_event_stream(response.headers):
        chunks = _refuse_documents(chunks, response, secrets)
    async for chunk in chunks:
        reply.heard()
        for sse in decoder.feed(chunk):
            for event in parser.feed(sse):
                yield event
            if parser.ended:
                await _drain(chunks)
                return
    for sse in decoder.end():
        for event in parser.feed(sse):
            yield event


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_SECONDS):
            async for _ in chunks:
                pass


def _is_event_stream(headers: Mapping[str, str]) -> bool:
    return "event-stream" in headers.get("content-type", "event-stream")


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


def _failure(error: Exception, request: ModelRequest, separator: str, secrets: Sequence[str]) -> ErrorInfo | None:
    response = getattr(error, "response", None)
    if response is not None and getattr(error, "status_code", None) is not None:
        return http_failure(
            response.status_code,
            response.headers,
            response.text,
            separator=separator,
            secrets=secrets,
            bodyless_overflow=request.model.provider == "cerebras",
        )
    return transport_failure(error, secrets)


def broken_event(event: SseEvent, secrets: Sequence[str] = ()) -> ProviderError:
    """Return the error for an event whose data is not JSON."""
    shown = event.data if len(event.data) <= 500 else f"{event.data[:500]}…"
    name = f" {event.event}" if event.event else ""
    text = f"The stream has an event{name} that is not valid JSON: {shown}"
    return ProviderError(ErrorInfo(kind="malformed", message=redacted(text, secrets)))


def error_event(error: Json, text: str, secrets: Sequence[str]) -> ProviderError:
    """Return the error that an error event in mid-stream tells of."""
    return ProviderError(event_failure(error, text, secrets))


def ended_early(missing: str) -> ProviderError:
    """Return the error of a stream that lacks what must stand at its end."""
    return ProviderError(ErrorInfo(kind="malformed", message=f"The stream ended before {missing}"))


