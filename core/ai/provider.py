"""The provider boundary: adapters on one side, a stream that never raises and always ends on the other."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Protocol

from core.ai.abort import AbortSignal
from core.ai.builder import MessageBuilder
from core.ai.errors import ErrorInfo, ProviderError
from core.ai.model import ModelRequest
from core.ai.stream import StreamDone, StreamError, StreamEvent, StreamUsage

CLOSE_PATIENCE = 2.0
"""Seconds a cancelled adapter may take to close its connection before the reply ends without it."""

FAIR_SHARE = 64
"""Events that are passed on before other tasks get their turn: a burst must not freeze the screen."""


class Provider(Protocol):
    """An adapter for one wire format.

    `stream` yields events made by `reply` and ends with the one of `reply.done(...)`. Failures are raised as
    ProviderError; cancellation means abort: close the connection and let CancelledError pass.
    """

    def stream(self, request: ModelRequest, reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        """Send `request` and yield the events of the reply."""
        ...


async def stream_response(
    provider: Provider, request: ModelRequest, signal: AbortSignal
) -> AsyncGenerator[StreamEvent, None]:
    """Yield the events of one reply: exactly one terminal event, the last, whatever the adapter does.

    Raised exceptions, a stream that just ends, silence beyond `request.options.timeout` seconds and an abort all become
    terminal events that keep what had arrived; events after the terminal one are dropped. Only cancellation of the
    consumer itself is raised. The adapter runs in its own task, which has ended when this iterator has, unless it
    ignores its cancellation for CLOSE_PATIENCE seconds.
    """
    level = request.options.thinking_level
    reply = MessageBuilder(request.model, level)
    if signal.aborted:
        yield reply.aborted(signal.reason)
        return
    pump = _Pump(provider, request, reply)
    unregister = signal.on_abort(pump.wake)
    passed = 0
    try:
        while True:
            while pump.events and not signal.aborted:
                event = pump.events.popleft()
                yield event
                if isinstance(event, StreamDone | StreamError):
                    return
                passed += 1
                if passed % FAIR_SHARE == 0:
                    await asyncio.sleep(0)
            if signal.aborted or pump.ended or pump.idle_left() <= 0:
                break
            await pump.wait()
        failure = None if signal.aborted else pump.failure() or _silence(request)
        await pump.stop()
        if reply.closes_blocks_on_failure:
            for event in reply.close_all():
                yield event
        yield reply.aborted(signal.reason) if failure is None else reply.failed(failure)
    finally:
        unregister()
        await pump.stop()


class _Pump:
    """Runs the adapter in a task and buffers its events, so that the consumer needs no task per event."""

    def __init__(self, provider: Provider, request: ModelRequest, reply: MessageBuilder) -> None:
        self.events: deque[StreamEvent] = deque()
        self._reply = reply
        self._timeout = request.options.timeout
        self._waiter: asyncio.Future[None] | None = None
        self._error: ErrorInfo | None = None
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._stopped = False
        self._watch_idle()
        self._task = asyncio.create_task(self._run(provider, request), name="provider-stream")
        self._task.add_done_callback(lambda _: self.wake())

    @property
    def ended(self) -> bool:
        return self._task.done()

    def wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def idle_left(self) -> float:
        if self._timeout is None:
            return float("inf")
        return self._reply.last_heard + self._timeout - time.monotonic()

    async def wait(self) -> None:
        """Return when there is something to look at: an event, the end, an abort, or the idle limit."""
        self._waiter = self._loop.create_future()
        await self._waiter

    def failure(self) -> ErrorInfo | None:
        """What ended the adapter, None while it still runs."""
        if not self.ended:
            return None
        return self._error or ErrorInfo(
            kind="malformed", message="The provider's stream ended before its terminal event"
        )

    async def stop(self) -> None:
        """End the adapter's task and wait until it has closed its connection, for a bounded time."""
        if self._timer is not None:
            self._timer.cancel()
        if not self._task.done() and not self._stopped:
            self._stopped = True
            self._task.cancel()
            await asyncio.wait((self._task,), timeout=CLOSE_PATIENCE)

    def _watch_idle(self) -> None:
        """One timer for the whole stream: it looks when it fires how long ago bytes were heard."""
        if self._timeout is None:
            return
        left = self.idle_left()
        if left <= 0:
            self.wake()
        else:
            self._timer = self._loop.call_later(left, self._watch_idle)

    async def _run(self, provider: Provider, request: ModelRequest) -> None:
        usage = self._reply.usage
        try:
            async with aclosing(provider.stream(request, self._reply)) as events:
                async for event in events:
                    self._reply.heard()
                    if self._reply.usage is not usage:
                        usage = self._reply.usage
                        self.events.append(StreamUsage(usage=usage))
                    self.events.append(event)
                    self.wake()
        except ProviderError as error:
            self._error = error.info
        except Exception as error:
            self._error = ErrorInfo(kind="unknown", message=f"{type(error).__name__}: {error}")


def _silence(request: ModelRequest) -> ErrorInfo:
    return ErrorInfo(kind="timeout", message=f"The provider sent nothing for {request.options.timeout:g} seconds")
