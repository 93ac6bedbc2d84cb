"""Threads for blocking file work, and the promise that a write is never abandoned half-way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class Workers:
    """A bounded pool of threads, started when first needed."""

    def __init__(self, limit: int = 8) -> None:
        self._limit = limit
        self._pool: ThreadPoolExecutor | None = None

    async def run(self, work: Callable[[], T]) -> T:
        """Return what `work` returns in a thread. When cancelled, the thread's result is dropped."""
        return await self._start(work)

    async def run_to_end(self, work: Callable[[], T]) -> T:
        """Like `run`, but a cancellation waits until `work` has ended before it passes."""
        future = self._start(work)
        cancelled: asyncio.CancelledError | None = None
        while not future.done():
            try:
                await asyncio.wait([future])
            except asyncio.CancelledError as error:
                cancelled = error
        if cancelled is not None:
            future.exception()
            raise cancelled
        return future.result()

    def _start(self, work: Callable[[], T]) -> asyncio.Future[T]:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._limit, thread_name_prefix="pi-files")
        return asyncio.get_running_loop().run_in_executor(self._pool, work)
