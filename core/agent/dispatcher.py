"""One ordered way from the loop to its subscribers."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from core.agent.events import EventBase, Fault

Listener: TypeAlias = Callable[..., Awaitable[None] | None]
"""Called with one event; what it returns is awaited unless it is None."""


class _Subscription:
    def __init__(self, listener: Listener, barrier: bool) -> None:
        self.listener = listener
        self.barrier = barrier
        self.active = True


class Dispatcher:
    """Delivers events one at a time, each to all subscribers, in the one order in which they were emitted or posted.

    Barrier subscribers come first. What any subscriber raises is reported as a `fault` event and stops nobody else from
    seeing the event; a barrier that raises is also reported to the run, which then ends. Each event is stamped with run
    id, turn index and sequence number. Events are delivered in the task that emits them, so that task must not be
    cancelled in the middle; `flush` is safe to cancel.
    """

    def __init__(self) -> None:
        self.run_id = ""
        self.turn_index = 0
        self._seq = 0
        self._on_failure: Callable[[str], None] = _nobody
        self._subscriptions: tuple[_Subscription, ...] = ()
        self._posted: deque[EventBase] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = asyncio.Lock()
        self._owner: asyncio.Task[object] | None = None
        self._flusher: asyncio.Task[None] | None = None

    def subscribe(self, listener: Listener, *, barrier: bool = False) -> Callable[[], bool]:
        """Add a subscriber, from the next event on; the same function twice counts once.

        Returns a function that removes it and tells whether it was there. A subscriber that is removed while an event
        is on its way to it does not get that event any more.
        """
        for known in self._subscriptions:
            if known.listener == listener:
                return lambda: self._remove(known)
        added = _Subscription(listener, barrier)
        self._subscriptions = tuple(sorted((*self._subscriptions, added), key=lambda known: not known.barrier))
        return lambda: self._remove(added)

    @property
    def delivering_here(self) -> bool:
        """True in a subscriber: waiting for a delivery would then wait for itself."""
        return self._owner is not None and self._owner is asyncio.current_task()

    async def begin_run(self, run_id: str, on_failure: Callable[[str], None]) -> None:
        """Start the numbering of a run, once what was posted before is delivered.

        `on_failure` is called with a text for people when a barrier raises.
        """
        if self._loop is not asyncio.get_running_loop():  # locks belong to one event loop, an agent may outlive it
            self._loop, self._lock, self._flusher = asyncio.get_running_loop(), asyncio.Lock(), None
        await self._drain()
        self.run_id, self.turn_index, self._seq = run_id, 0, 0
        self._on_failure = on_failure

    async def emit(self, event: EventBase) -> None:
        """Deliver `event` and return when all subscribers are done with it; called by a subscriber it only posts."""
        self._posted.append(event)
        if not self.delivering_here:
            await self._drain()

    def post(self, event: EventBase) -> None:
        """Deliver `event` in order, but without waiting for it: for callers that cannot await.

        Outside of an event loop it waits for the next event.
        """
        self._posted.append(event)
        if not self._lock.locked() and _loop_runs():
            self._flush_soon()

    async def flush(self) -> None:
        """Return when everything posted so far was delivered; called by a subscriber it returns at once."""
        if not self.delivering_here:
            await asyncio.shield(self._flush_soon())

    def _flush_soon(self) -> asyncio.Task[None]:
        if self._flusher is None or self._flusher.done():
            self._flusher = asyncio.get_running_loop().create_task(self._drain(), name="dispatcher-flush")
        return self._flusher

    async def _drain(self) -> None:
        async with self._lock:
            self._owner = asyncio.current_task()
            try:
                while self._posted:
                    await self._deliver(self._posted.popleft())
            finally:
                self._owner = None

    async def _deliver(self, event: EventBase) -> None:
        stamped = event.stamped(self.run_id, self.turn_index, self._seq)
        self._seq += 1
        for subscription in self._subscriptions:
            if not subscription.active:
                continue
            try:
                waiting = subscription.listener(stamped)
                if waiting is not None:
                    await waiting
            except Exception as error:
                self._report(subscription, event, error)
            except asyncio.CancelledError as error:
                if _cancelled_from_outside():
                    raise
                self._report(subscription, event, error)

    def _report(self, subscription: _Subscription, event: EventBase, error: BaseException) -> None:
        source = f"{'barrier' if subscription.barrier else 'listener'} {getattr(event, 'type', '')}"
        text = f"{type(error).__name__}: {error}"
        if not isinstance(event, Fault):  # a fault about a fault would have no end; the first one was told already
            self._posted.append(Fault(source=source, error=text))
        if subscription.barrier:
            self._on_failure(f"{source}: {text}")

    def _remove(self, subscription: _Subscription) -> bool:
        if not subscription.active:
            return False
        subscription.active = False
        self._subscriptions = tuple(known for known in self._subscriptions if known is not subscription)
        return True


def _cancelled_from_outside() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _nobody(text: str) -> None:
    """Between runs nothing depends on a barrier."""
