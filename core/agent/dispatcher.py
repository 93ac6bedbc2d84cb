"""One ordered way from the loop to its subscribers."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TypeAlias, TypeVar

from core.agent.events import EventBase, Fault

EventT = TypeVar("EventT", bound=EventBase)
Listener: TypeAlias = Callable[[EventT], Awaitable[None] | None]


class BarrierFailed(Exception):
    """A barrier subscriber raised: what it guards (say, the session file) is not assured."""


class _Subscription:
    def __init__(self, listener: Callable[..., Awaitable[None] | None], barrier: bool) -> None:
        self.listener = listener
        self.barrier = barrier
        self.active = True


class Dispatcher:
    """Delivers events one at a time, each to all subscribers, in one order that all of them see.

    Barrier subscribers come first and may fail the emitter, once a run; all others are isolated: what they raise is
    reported as a `fault` event and nothing else happens. Each event is stamped with run id, turn index and sequence
    number.
    """

    def __init__(self) -> None:
        self.run_id = ""
        self.turn_index = 0
        self._seq = 0
        self._barrier_failed = False
        self._subscriptions: list[_Subscription] = []
        self._posted: deque[EventBase] = deque()
        self._lock = asyncio.Lock()
        self._owner: asyncio.Task[object] | None = None
        self._flusher: asyncio.Task[None] | None = None

    def subscribe(
        self, listener: Callable[..., Awaitable[None] | None], *, barrier: bool = False
    ) -> Callable[[], bool]:
        """Add a subscriber; the same function twice counts once.

        Returns a function that removes it and tells whether it was there.
        """
        for known in self._subscriptions:
            if known.listener == listener:
                return lambda: self._remove(known)
        subscription = _Subscription(listener, barrier)
        self._subscriptions.append(subscription)
        return lambda: self._remove(subscription)

    def begin_run(self, run_id: str) -> None:
        """Start the numbering of a run."""
        self.run_id, self.turn_index, self._seq = run_id, 0, 0
        self._barrier_failed = False

    async def emit(self, event: EventBase) -> None:
        """Deliver what was posted before, then `event`, and return when all subscribers are done with it.

        Called by a subscriber during a delivery, it only posts. Raises BarrierFailed.
        """
        task = asyncio.current_task()
        if task is not None and self._owner is task:
            self.post(event)
            return
        async with self._lock:
            self._owner = task
            try:
                while self._posted:
                    await self._deliver(self._posted.popleft())
                await self._deliver(event)
                while self._posted:
                    await self._deliver(self._posted.popleft())
            finally:
                self._owner = None

    def post(self, event: EventBase) -> None:
        """Deliver `event` in order, but without waiting for it: for callers that cannot await."""
        self._posted.append(event)
        if not self._lock.locked() and (self._flusher is None or self._flusher.done()):
            self._flusher = asyncio.create_task(self.flush(), name="dispatcher-flush")

    async def flush(self) -> None:
        """Return when everything posted so far was delivered."""
        task = asyncio.current_task()
        async with self._lock:
            self._owner = task
            try:
                while self._posted:
                    await self._deliver(self._posted.popleft())
            finally:
                self._owner = None

    async def _deliver(self, event: EventBase) -> None:
        stamped = event.model_copy(update={"run_id": self.run_id, "turn_index": self.turn_index, "seq": self._seq})
        self._seq += 1
        for barrier in (True, False):
            for subscription in tuple(self._subscriptions):
                if subscription.barrier is barrier and subscription.active:
                    await self._call(subscription, stamped)

    async def _call(self, subscription: _Subscription, event: EventBase) -> None:
        try:
            waiting = subscription.listener(event)
            if waiting is not None:
                await waiting
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            if subscription.barrier and not self._barrier_failed:
                self._barrier_failed = True
                raise BarrierFailed(text) from error
            if not isinstance(event, Fault):
                kind = "barrier" if subscription.barrier else "listener"
                self._posted.append(Fault(source=f"{kind} {getattr(event, 'type', '')}", error=text))

    def _remove(self, subscription: _Subscription) -> bool:
        if not subscription.active:
            return False
        subscription.active = False
        self._subscriptions.remove(subscription)
        return True
