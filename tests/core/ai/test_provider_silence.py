"""Silence of an adapter, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from core.ai.abort import AbortSignal
from core.ai.builder import MessageBuilder
from core.ai.errors import error_of
from core.ai.provider import stream_response
from core.ai.stream import StreamEvent
from tests.core.ai.boundary import CLOCKS, Adapter, begin, collect, final, kinds, request
from tests.support.virtual_time import run_virtually


def test_silence_ends_the_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[bool] = []

    async def script(reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        try:
            for event in begin(reply):
                yield event
            await asyncio.Event().wait()
        finally:
            closed.append(True)

    events = run_virtually(monkeypatch, collect(script, timeout=30), *CLOCKS)
    message = final(events)
    assert (message.stop_reason, message.error_message) == ("error", "The provider sent nothing for 30 seconds")
    assert message.text == "half"
    assert message.duration_ms == 30_000
    info = error_of(message)
    assert info is not None
    assert info.kind == "timeout"
    assert closed == [True]


def test_silence_before_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    async def script(reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        await asyncio.Event().wait()
        yield reply.start()

    events = run_virtually(monkeypatch, collect(script, timeout=5), *CLOCKS)
    assert kinds(events) == ["error"]


@pytest.mark.parametrize("sign", ["keep-alive", "event"])
def test_a_slow_stream_that_lives_is_not_cut(monkeypatch: pytest.MonkeyPatch, sign: str) -> None:
    async def script(reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        for event in begin(reply, ""):
            yield event
        for _ in range(50):
            await asyncio.sleep(29)
            if sign == "event":
                yield reply.append(0, "x")
            else:
                reply.heard()
        yield reply.close(0)
        yield reply.done("stop")

    events = run_virtually(monkeypatch, collect(script, timeout=30), *CLOCKS)
    assert final(events).stop_reason == "stop"
    assert final(events).duration_ms == 50 * 29_000


def test_silence_after_keep_alives_is_counted_from_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    async def script(reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        yield reply.start()
        for _ in range(3):
            await asyncio.sleep(20)
            reply.heard()
        await asyncio.Event().wait()

    events = run_virtually(monkeypatch, collect(script, timeout=30), *CLOCKS)
    assert final(events).duration_ms == 90_000


def test_no_limit_no_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    async def script(reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        await asyncio.sleep(100_000)
        yield reply.done("stop")

    assert final(run_virtually(monkeypatch, collect(script), *CLOCKS)).stop_reason == "stop"


def test_a_slow_consumer_is_no_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    async def script(reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        for event in [*begin(reply), reply.close(0), reply.done("stop")]:
            yield event

    async def slowly() -> list[StreamEvent]:
        events = []
        async for event in stream_response(Adapter(script), request(30), AbortSignal()):
            events.append(event)
            await asyncio.sleep(100)
        return events

    events = run_virtually(monkeypatch, slowly(), *CLOCKS)
    assert final(events).stop_reason == "stop"
