"""Time that passes only when nothing else is left to do: tests of time limits then take none and never fail by load."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest

T = TypeVar("T")


class _Selector(selectors.DefaultSelector):
    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(0)
        if not ready and timeout:
            self.now += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock starts at 0 and jumps to the next timer when nothing is ready."""

    def __init__(self) -> None:
        self._virtual = _Selector()
        super().__init__(self._virtual)

    def time(self) -> float:
        return self._virtual.now


def run_virtually(monkeypatch: pytest.MonkeyPatch, main: Coroutine[Any, Any, T], *modules: str) -> T:
    """Run `main` in virtual time and return its result; `time.monotonic` of the named modules is the virtual clock.

    Fails when a task is left behind. Threads and sockets are not to be waited for in virtual time.
    """
    loop = VirtualLoop()
    for module in modules:
        monkeypatch.setattr(f"{module}.time", SimpleNamespace(monotonic=loop.time))
    with asyncio.Runner(loop_factory=lambda: loop) as runner:

        async def checked() -> T:
            result = await main
            await asyncio.sleep(0)
            left = asyncio.all_tasks() - {asyncio.current_task()}
            assert not left, left
            return result

        return runner.run(checked())
