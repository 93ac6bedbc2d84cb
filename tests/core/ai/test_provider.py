"""The provider boundary: whatever an adapter does, the stream never raises and has one terminal event, its last."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from core.ai.abort import AbortSignal
from core.ai.builder import MessageBuilder
from core.ai.errors import ErrorInfo, ProviderError, error_of
from core.ai.messages import Usage
from core.ai.provider import FAIR_SHARE, stream_response
from core.ai.stream import StreamEvent, StreamUsage
from tests.core.ai.boundary import Adapter, Script, begin, collect, final, kinds, request


async def test_a_reply_that_goes_well() -> None:
    async def script(reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        for event in begin(reply, "all"):
            yield event
        yield reply.close(0)
        yield reply.done("stop")

    events = await collect(script)
    assert kinds(events) == ["start", "text_start", "text_delta", "text_end", "done"]
    assert final(events).text == "all"


@pytest.mark.parametrize("started", [False, True], ids=["before the start", "after the start"])
@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (ProviderError(ErrorInfo(kind="overloaded", message="Busy", status=529)), "overloaded", "Busy"),
        (KeyError("content"), "unknown", "KeyError: 'content'"),
    ],
    ids=["provider error", "bug"],
)
async def test_an_adapter_that_raises(started: bool, error: Exception, kind: str, text: str) -> None:
    async def script(reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        if started:
            for event in begin(reply):
                yield event
        raise error

    events = await collect(script)
    assert kinds(events) == (["start", "text_start", "text_delta", "error"] if started else ["error"])
    message = final(events)
    assert (message.stop_reason, message.error_message) == ("error", text)
    assert message.text == ("half" if started else "")
    info = error_of(message)
    assert info is not None
    assert info.kind == kind


async def test_an_adapter_that_raises_when_it_is_called() -> None:
    def script(reply: MessageBuilder) -> Any:
        raise ValueError("bad request")

    events = await collect(script)
    assert kinds(events) == ["error"]
    assert final(events).error_message == "ValueError: bad request"


@pytest.mark.parametrize("started", [False, True])
async def test_023_an_adapter_that_just_ends(started: bool) -> None:
    async def script(reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        for event in begin(reply) if started else []:
            yield event

    message = final(await collect(script))
    assert message.stop_reason == "error"
    assert message.error_message == "The provider's stream ended before its terminal event"
    assert message.text == ("half" if started else "")


async def test_an_adapter_that_is_cancelled_from_inside() -> None:
    async def script(reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        yield reply.start()
        raise asyncio.CancelledError

    message = final(await collect(script))
    assert message.stop_reason == "error"


async def test_022_events_after_the_terminal_one_are_dropped() -> None:
    closed: list[bool] = []

    async def script(reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        try:
            for event in [*begin(reply), reply.close(0), reply.done("stop")]:
                yield event
            yield reply.failed(ErrorInfo(kind="server", message="late"))
            await asyncio.Event().wait()
        finally:
            closed.append(True)

    events = await collect(script)
    assert kinds(events)[-1] == "done"
    assert kinds(events).count("error") == 0
    assert closed == [True]


async def test_usage_changes_are_told_before_the_event_that_shows_them() -> None:
    async def script(reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        reply.set_usage(Usage(input=3))
        yield reply.start()
        reply.set_usage(Usage(input=3, output=5))
        yield reply.done("stop")

    events = await collect(script)
    assert kinds(events) == ["usage", "start", "usage", "done"]
    assert [event.usage.output for event in events if isinstance(event, StreamUsage)] == [0, 5]


# Aborts


async def test_058_an_aborted_signal_asks_nothing() -> None:
    async def script(reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        yield reply.done("stop")

    adapter, signal = Adapter(script), AbortSignal()
    signal.abort("Too late")
    events = [event async for event in stream_response(adapter, request(), signal)]
    assert kinds(events) == ["error"]
    assert (final(events).stop_reason, final(events).error_message) == ("aborted", "Too late")
    assert adapter.called == 0


@pytest.mark.parametrize("connected", [False, True], ids=["while connecting", "mid-stream"])
async def test_an_abort_closes_the_adapter_at_once(connected: bool) -> None:
    signal, reached, closed = AbortSignal(), asyncio.Event(), asyncio.Event()

    async def script(reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        try:
            for event in begin(reply) if connected else []:
                yield event
            reached.set()
            await asyncio.Event().wait()
        finally:
            closed.set()

    running = asyncio.create_task(collect(script, signal))
    await reached.wait()
    signal.abort("Stop")
    events = await asyncio.wait_for(running, 5)
    assert closed.is_set()
    assert kinds(events)[-1:] == ["error"]
    message = final(events)
    assert (message.stop_reason, message.error_message) == ("aborted", "Stop")
    assert message.text == ("half" if connected else "")
    assert message.diagnostics is None


async def test_an_abort_with_events_still_to_be_passed_on() -> None:
    signal = AbortSignal()

    async def script(reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        for event in [*begin(reply), reply.close(0), reply.done("stop")]:
            yield event

    stream = stream_response(Adapter(script), request(), signal)
    first = await anext(stream)
    signal.abort()
    events = [first] + [event async for event in stream]
    assert kinds(events) == ["start", "error"]
    assert final(events).text == "half"


async def test_an_error_that_the_abort_caused_is_the_abort() -> None:
    signal, reached = AbortSignal(), asyncio.Event()

    async def script(reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        yield reply.start()
        reached.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as error:
            raise ProviderError(ErrorInfo(kind="network", message="Connection lost")) from error

    running = asyncio.create_task(collect(script, signal))
    await reached.wait()
    signal.abort()
    assert final(await running).stop_reason == "aborted"


async def test_blocks_are_closed_before_a_failure_where_the_format_does_so() -> None:
    async def script(reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        reply.closes_blocks_on_failure = True
        for event in begin(reply):
            yield event
        index, opened = reply.open_tool_call("c", "work")
        yield opened
        yield reply.append(index, '{"a": 1, "b')
        raise ProviderError(ErrorInfo(kind="server", message="no"))

    events = await collect(script)
    assert kinds(events)[-3:] == ["text_end", "toolcall_end", "error"]


async def test_who_stops_listening_closes_the_adapter() -> None:
    closed = asyncio.Event()

    async def script(reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        try:
            yield reply.start()
            await asyncio.Event().wait()
        finally:
            closed.set()

    stream = stream_response(Adapter(script), request(), AbortSignal())
    await anext(stream)
    await stream.aclose()
    assert closed.is_set()


async def test_cancelling_the_consumer_is_raised_and_closes_the_adapter() -> None:
    reached, closed = asyncio.Event(), asyncio.Event()

    async def script(reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        try:
            yield reply.start()
            reached.set()
            await asyncio.Event().wait()
        finally:
            closed.set()

    running = asyncio.create_task(collect(script))
    await reached.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert closed.is_set()


async def test_an_adapter_that_ignores_its_end_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.ai.provider.CLOSE_PATIENCE", 0.01)
    signal, reached, release = AbortSignal(), asyncio.Event(), asyncio.Event()
    gone = asyncio.Event()

    async def script(reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        yield reply.start()
        reached.set()
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        gone.set()

    running = asyncio.create_task(collect(script, signal))
    await reached.wait()
    signal.abort()
    assert final(await asyncio.wait_for(running, 5)).stop_reason == "aborted"
    release.set()
    await gone.wait()


async def test_a_burst_lets_others_have_their_turn() -> None:
    async def script(reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        for event in begin(reply):
            yield event
        for _ in range(10 * FAIR_SHARE):
            yield reply.append(0, "x")
        yield reply.close(0)
        yield reply.done("stop")

    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    others = asyncio.create_task(other())
    events = await collect(script)
    others.cancel()
    await asyncio.wait({others})
    assert len(events) == 10 * FAIR_SHARE + 5
    assert turns >= 10


async def test_155_cutting_the_text_otherwise_gives_the_same_message() -> None:
    text = "Some text, 漢字 and 😀, in pieces."

    def in_pieces(size: int) -> Script:
        async def script(reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
            yield reply.start()
            index, opened = reply.open_text()
            yield opened
            for at in range(0, len(text), size):
                yield reply.append(index, text[at : at + size])
            yield reply.close(index)
            yield reply.done("stop")

        return script

    for size in (1, 2, 7, 100):
        events = await collect(in_pieces(size))
        assert final(events).text == text
        assert "".join(event.to_wire().get("delta", "") for event in events) == text
