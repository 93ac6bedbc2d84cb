"""When to paint: at most 30 times a second, less often when painting is dear, never when nothing happens."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

FAST = 1 / 30
SLOW = 1 / 10
DEAR = 0.020
"""Seconds of one paint, or of being late for it, from which on the pace is slow."""
BACKLOG = 2
"""Frames that wait for the terminal from which on the pace is slow."""
TOLERANCE = 0.001


class Timer(Protocol):
    """A call that was put off."""

    def cancel(self) -> None: ...


class Clock(Protocol):
    """The time in seconds, and calls at a later one."""

    def now(self) -> float: ...

    def call_later(self, delay: float, callback: Callable[[], None]) -> Timer: ...


class LoopClock:
    """The running asyncio loop's."""

    def now(self) -> float:
        """Monotonic seconds."""
        return time.monotonic()

    def call_later(self, delay: float, callback: Callable[[], None]) -> Timer:
        """Call `callback` in `delay` seconds."""
        return asyncio.get_running_loop().call_later(delay, callback)


class FrameClock:
    """Calls `paint` when a frame is due. At rest it holds no timer.

    A first request after a rest is served at once; while more come, one frame follows the other at the pace.
    """

    def __init__(self, paint: Callable[[], None], clock: Clock, backlog: Callable[[], int]) -> None:
        self._paint = paint
        self._clock = clock
        self._backlog = backlog
        self._timer: Timer | None = None
        self._due = 0.0
        self._last = float("-inf")
        self._cost = 0.0
        self.hurried = False
        """Set by the painter when more arrives than anybody can read: the pace is then slow."""

    @property
    def interval(self) -> float:
        """Seconds between two frames at the moment."""
        slow = self.hurried or self._cost > DEAR or self._backlog() > BACKLOG
        return SLOW if slow else FAST

    @property
    def resting(self) -> bool:
        """True when no frame is due."""
        return self._timer is None

    def request(self, delay: float = 0.0) -> None:
        """Ask for a frame, in `delay` seconds at the earliest; an earlier one that is due stands."""
        now = self._clock.now()
        due = max(now + delay, self._last + self.interval)
        if self._timer is not None:
            if self._due <= due:
                return
            self._timer.cancel()
        self._due = due
        self._timer = self._clock.call_later(max(due - now, 0.0), self._fire)

    def spent(self, seconds: float) -> None:
        """Add to the cost of the latest frame; being late for it counts too."""
        self._cost += seconds

    def stop(self) -> None:
        """Forget a frame that is due."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _fire(self) -> None:
        begun = self._clock.now()
        early = self._last + self.interval - begun
        if early > TOLERANCE:  # the pace has slowed down since the frame was asked for
            self._due = begun + early
            self._timer = self._clock.call_later(early, self._fire)
            return
        self._timer = None
        self._cost = max(begun - self._due, 0.0)
        self._last = begun
        self._paint()
