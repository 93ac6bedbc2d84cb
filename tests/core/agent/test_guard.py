"""Waiting for code of others under an abort signal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from core.agent.guard import Interrupted, at_rest, guarded
from core.ai.abort import AbortSignal
from tests.core.agent.rig import spin


async def forever() -> str:
    await asyncio.Event().wait()
    return "never"


async def soon(result: str) -> str:
    await spin(3)
    return result


async def test_what_it_returns_and_raises_passes() -> None:
    async def raises() -> None:
        raise ValueError("no")

    assert await guarded(soon("yes"), AbortSignal(), 1) == "yes"
    with pytest.raises(ValueError, match="no"):
        await guarded(raises(), AbortSignal(), 1)


async def test_an_abort_leaves_a_grace_period() -> None:
    signal = AbortSignal()
    waiting = asyncio.create_task(guarded(soon("in time"), signal, 60))
    await asyncio.sleep(0)
    signal.abort()
    assert await waiting == "in time"


async def test_after_the_grace_period_it_is_cancelled() -> None:
    signal = AbortSignal()
    signal.abort("Stop")
    with pytest.raises(Interrupted, match="Stop"):
        await asyncio.wait_for(guarded(forever(), signal, 0), 5)


async def test_it_may_cancel_itself_without_hurting_the_caller() -> None:
    async def cancels() -> None:
        raise asyncio.CancelledError

    with pytest.raises(Interrupted, match="It was cancelled"):
        await guarded(cancels(), AbortSignal(), 1)


async def test_a_cancelled_caller_takes_it_along() -> None:
    ended = asyncio.Event()

    async def work() -> None:
        try:
            await forever()
        finally:
            ended.set()

    caller = asyncio.create_task(guarded(work(), AbortSignal(), 60))
    await spin()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert ended.is_set()


async def test_it_is_left_behind_when_it_does_not_even_heed_cancellation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.agent.guard.CANCEL_PATIENCE", 0.01)
    release = asyncio.Event()

    async def stubborn() -> None:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        raise ValueError("nobody asks")

    signal = AbortSignal()
    signal.abort()
    work = asyncio.ensure_future(stubborn())
    assert await at_rest(work, signal, 0) is False
    release.set()
    await asyncio.wait({work})


class Counting(AbortSignal):
    """Knows how many callbacks are registered."""

    registered = 0

    def on_abort(self, callback: Callable[[], None]) -> Callable[[], None]:
        unregister = super().on_abort(callback)
        self.registered += 1

        def gone() -> None:
            self.registered -= 1
            unregister()

        return gone


async def test_no_callback_stays_behind() -> None:
    signal = Counting()
    await guarded(soon("x"), signal, 1)
    waiting = asyncio.create_task(guarded(soon("y"), signal, 60))
    await asyncio.sleep(0)
    assert signal.registered == 1
    signal.abort()
    await waiting
    assert signal.registered == 0
    assert await guarded(soon("even now"), signal, 60) == "even now"
