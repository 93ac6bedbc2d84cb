"""One abort signal for everything a run does: stream, tools, waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class AbortSignal:
    """A flag that is raised once and never lowered. Bound to one event loop; not thread-safe.

    `reason` is a short text for people, empty until aborted.
    """

    def __init__(self) -> None:
        self._aborted = False
        self.reason = ""
        self._callbacks: list[Callable[[], None]] = []

    @property
    def aborted(self) -> bool:
        """True once `abort` was called."""
        return self._aborted

    def abort(self, reason: str = "Aborted") -> None:
        """Raise the flag and call the callbacks in order of registration; further calls do nothing.

        A callback that raises keeps no other from being called; the first exception is raised at the end.
        """
        if self._aborted:
            return
        self._aborted = True
        self.reason = reason
        callbacks, self._callbacks = self._callbacks, []
        failure: Exception | None = None
        for callback in callbacks:
            try:
                callback()
            except Exception as error:
                failure = failure or error
        if failure is not None:
            raise failure

    def on_abort(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` at abort (at once when already aborted). Returns a function that unregisters it."""
        if self._aborted:
            callback()
            return lambda: None
        self._callbacks.append(callback)

        def unregister() -> None:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

        return unregister

    async def wait(self) -> None:
        """Return when aborted."""
        if self._aborted:
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def wake() -> None:
            if not future.done():
                future.set_result(None)

        unregister = self.on_abort(wake)
        try:
            await future
        finally:
            unregister()

    async def sleep(self, seconds: float) -> bool:
        """Sleep; return True when the time passed, False as soon as the signal is raised."""
        if self._aborted:
            return False
        try:
            async with asyncio.timeout(seconds):
                await self.wait()
        except TimeoutError:
            return True
        return False
