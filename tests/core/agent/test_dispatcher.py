"""One ordered way to all subscribers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from core.agent.dispatcher import Dispatcher
from core.agent.events import AgentStart, EventBase, Fault
from tests.core.agent.rig import spin


def event(name: str) -> Fault:
    """An event that is told by its source."""
    return Fault(source=name, error="")


class Ear:
    """Collects the sources of events."""

    def __init__(self, dispatcher: Dispatcher, **options: Any) -> None:
        self.heard: list[str] = []
        self.remove = dispatcher.subscribe(self.listen, **options)

    def listen(self, heard: Any) -> None:
        self.heard.append(heard.source)


async def test_events_emitted_from_many_tasks_reach_all_in_one_order() -> None:
    dispatcher = Dispatcher()
    first = Ear(dispatcher)

    async def slow(heard: EventBase) -> None:
        await spin(heard.seq % 4)

    dispatcher.subscribe(slow)
    last = Ear(dispatcher)
    await asyncio.gather(*(dispatcher.emit(event(str(number))) for number in range(20)))
    assert first.heard == last.heard == [str(number) for number in range(20)]


async def test_an_event_of_a_listener_comes_after_the_one_it_hears() -> None:
    dispatcher = Dispatcher()

    async def answers(heard: Any) -> None:
        if heard.source == "a":
            await dispatcher.emit(event("answer"))
            dispatcher.post(event("second answer"))
            await dispatcher.flush()

    dispatcher.subscribe(answers)
    ear = Ear(dispatcher)
    await asyncio.wait_for(dispatcher.emit(event("a")), 5)
    assert ear.heard == ["a", "answer", "second answer"]


async def test_posted_while_idle() -> None:
    dispatcher = Dispatcher()
    ear = Ear(dispatcher)
    dispatcher.post(event("a"))
    dispatcher.post(event("b"))
    assert ear.heard == []
    await spin()
    assert ear.heard == ["a", "b"]


async def test_posted_while_another_event_is_on_its_way() -> None:
    dispatcher = Dispatcher()
    go = asyncio.Event()

    async def slow(heard: Any) -> None:
        await go.wait()

    dispatcher.subscribe(slow)
    ear = Ear(dispatcher)
    emitting = asyncio.create_task(dispatcher.emit(event("a")))
    await spin()
    dispatcher.post(event("b"))
    flushing = asyncio.create_task(dispatcher.flush())
    await spin()
    assert not flushing.done()
    go.set()
    await emitting
    await flushing
    assert ear.heard == ["a", "b"]


def test_posted_without_an_event_loop_waits_for_the_next_event() -> None:
    dispatcher = Dispatcher()
    ear = Ear(dispatcher)
    dispatcher.post(event("early"))

    async def main() -> None:
        await dispatcher.emit(event("later"))

    asyncio.run(main())
    assert ear.heard == ["early", "later"]


async def test_a_new_subscriber_hears_from_the_next_event_on() -> None:
    dispatcher = Dispatcher()
    ears: list[Ear] = []

    def joins(heard: EventBase) -> None:
        if not ears:
            ears.append(Ear(dispatcher))

    dispatcher.subscribe(joins)
    await dispatcher.emit(event("a"))
    await dispatcher.emit(event("b"))
    assert ears[0].heard == ["b"]


async def test_barriers_come_first() -> None:
    dispatcher = Dispatcher()
    order: list[str] = []
    dispatcher.subscribe(lambda _: order.append("listener"))
    dispatcher.subscribe(lambda _: order.append("barrier"), barrier=True)
    await dispatcher.emit(event("a"))
    assert order == ["barrier", "listener"]


@pytest.mark.parametrize("barrier", [False, True])
@pytest.mark.parametrize("error", [ValueError("bad"), asyncio.CancelledError()], ids=["exception", "cancelled"])
async def test_a_subscriber_that_raises_keeps_nobody_from_hearing(barrier: bool, error: BaseException) -> None:
    dispatcher = Dispatcher()
    failures: list[str] = []
    await dispatcher.begin_run("run", failures.append)

    def raises(heard: EventBase) -> None:
        if isinstance(heard, AgentStart):
            raise error

    dispatcher.subscribe(raises, barrier=barrier)
    heard: list[str] = []
    dispatcher.subscribe(lambda event: heard.append(event.to_wire().get("source", "start")), barrier=True)
    await dispatcher.emit(AgentStart())
    source = f"{'barrier' if barrier else 'listener'} agent_start"
    assert heard == ["start", source]
    assert failures == ([f"{source}: {type(error).__name__}: {error}"] if barrier else [])


async def test_a_listener_that_raises_at_faults_is_not_told_of_for_ever() -> None:
    dispatcher = Dispatcher()

    def raises(heard: EventBase) -> None:
        raise ValueError("always")

    dispatcher.subscribe(raises)
    ear = Ear(dispatcher)
    await asyncio.wait_for(dispatcher.emit(event("a")), 5)
    assert ear.heard == ["a"]


async def test_cancelling_who_waits_for_a_delivery_does_not_cut_it() -> None:
    dispatcher = Dispatcher()
    go = asyncio.Event()
    done: list[str] = []

    async def slow(heard: Any) -> None:
        await go.wait()
        done.append(heard.source)

    dispatcher.subscribe(slow)
    dispatcher.post(event("a"))
    waiting = asyncio.create_task(dispatcher.flush())
    await spin()
    waiting.cancel()
    await asyncio.wait({waiting})
    go.set()
    await spin()
    assert done == ["a"]


async def test_removing_tells_whether_it_was_there() -> None:
    dispatcher = Dispatcher()
    ear = Ear(dispatcher)
    again = dispatcher.subscribe(ear.listen)
    assert again() is True
    assert ear.remove() is False
    await dispatcher.emit(event("a"))
    assert ear.heard == []
