"""The abort signal."""

from __future__ import annotations

import asyncio

import pytest

from core.ai.abort import AbortSignal
from tests.support.virtual_time import run_virtually


def test_it_is_raised_once() -> None:
    signal = AbortSignal()
    assert (signal.aborted, signal.reason) == (False, "")
    called: list[str] = []
    signal.on_abort(lambda: called.append(signal.reason))
    signal.abort("first")
    signal.abort("second")
    assert (signal.aborted, signal.reason) == (True, "first")
    assert called == ["first"]


def test_callbacks_are_called_in_order_and_not_when_unregistered() -> None:
    signal = AbortSignal()
    called: list[int] = []
    signal.on_abort(lambda: called.append(1))
    unregister = signal.on_abort(lambda: called.append(2))
    signal.on_abort(lambda: called.append(3))
    unregister()
    unregister()
    signal.abort()
    unregister()
    assert called == [1, 3]


def test_a_late_callback_is_called_at_once() -> None:
    signal = AbortSignal()
    signal.abort()
    called: list[int] = []
    signal.on_abort(lambda: called.append(1))()
    assert called == [1]


def test_a_callback_that_raises_keeps_no_other_from_being_called() -> None:
    signal = AbortSignal()
    called: list[int] = []

    def breaks() -> None:
        raise ValueError("callback broke")

    signal.on_abort(breaks)
    signal.on_abort(lambda: called.append(1))
    with pytest.raises(ValueError, match="callback broke"):
        signal.abort()
    assert called == [1]
    assert signal.aborted


async def test_waiting() -> None:
    signal = AbortSignal()
    waiting = [asyncio.create_task(signal.wait()) for _ in range(2)]
    await asyncio.sleep(0)
    assert not any(task.done() for task in waiting)
    signal.abort()
    await asyncio.gather(*waiting)
    await signal.wait()


async def test_a_waiter_that_gave_up_leaves_nothing_behind() -> None:
    signal = AbortSignal()
    waiting = asyncio.create_task(signal.wait())
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    signal.abort()


def test_sleeping(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        signal, loop = AbortSignal(), asyncio.get_running_loop()
        assert await signal.sleep(60) is True
        assert loop.time() == pytest.approx(60, abs=1)
        loop.call_later(5, signal.abort)
        assert await signal.sleep(60) is False
        assert loop.time() == pytest.approx(65, abs=1)
        assert await signal.sleep(60) is False
        assert loop.time() == pytest.approx(65, abs=1)

    run_virtually(monkeypatch, main())
