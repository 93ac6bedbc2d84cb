"""Waiting for code of others: tools and hooks get told of an abort, then a grace period, then they are cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from core.ai.abort import AbortSignal

CANCEL_PATIENCE = 0.5
"""Seconds cancelled code may take to come to rest before the run goes on without it."""

T = TypeVar("T")


class Interrupted(Exception):
    """The code that was waited for was cancelled: after an abort, or by itself."""


async def at_rest(work: asyncio.Future[T], signal: AbortSignal, grace: float) -> bool:
    """Wait for `work`; `grace` seconds after an abort cancel it. False when even then it does not end.

    Never raises what `work` raised. When the caller is cancelled, so is `work`, at once.
    """
    aborted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    unregister = signal.on_abort(lambda: None if aborted.done() else aborted.set_result(None))
    try:
        await asyncio.wait((work, aborted), return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            await asyncio.wait((work,), timeout=grace)
        if not work.done():
            work.cancel()
            await asyncio.wait((work,), timeout=CANCEL_PATIENCE)
    except asyncio.CancelledError:
        work.cancel()
        await asyncio.wait((work,), timeout=CANCEL_PATIENCE)
        raise
    finally:
        unregister()
        if not work.done():
            work.add_done_callback(_look_at)
    return work.done()


async def guarded(work: Awaitable[T], signal: AbortSignal, grace: float) -> T:
    """Return what `work` returns or raise what it raises; Interrupted when it was cancelled or does not end."""
    task = asyncio.ensure_future(work)
    if not await at_rest(task, signal, grace) or task.cancelled():
        raise Interrupted(signal.reason or "It was cancelled")
    return task.result()


def _look_at(work: asyncio.Future[T]) -> None:
    """Take note of how abandoned work ended, so that asyncio does not report it as forgotten."""
    if not work.cancelled():
        work.exception()
