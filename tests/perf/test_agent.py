"""What the agent core costs in CPU: per delta, per turn, and per character of arguments."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest

from core.agent.agent import Agent
from core.ai.builder import MessageBuilder
from core.ai.model import ModelRequest
from core.ai.provider import stream_response
from core.ai.stream import StreamEvent
from tests.core.agent.rig import MODEL, FakeTool

pytestmark = pytest.mark.perf

Script = Callable[[MessageBuilder, int], AsyncGenerator[StreamEvent, None]]


class Model:
    """An adapter that costs next to nothing; `script(reply, turn)` yields the events of a turn."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.turn = 0

    def stream(self, request: ModelRequest, reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        self.turn += 1
        return self.script(reply, self.turn)


def cpu_of_run(script: Script, *, times: int = 3, **options: Any) -> float:
    """The least CPU seconds of one prompt in `times` runs, with one subscriber."""

    async def run() -> float:
        model = Model(script)
        agent = Agent(MODEL, lambda request, signal: stream_response(model, request, signal), **options)
        agent.subscribe(lambda event: None)
        begun = time.process_time()
        await agent.prompt("go")
        return time.process_time() - begun

    return min(asyncio.run(run()) for _ in range(times))


def streaming(pieces: list[str], *, as_call: bool = False) -> Script:
    """A reply of one block in `pieces`, each in its own step of the event loop."""

    async def script(reply: MessageBuilder, turn: int) -> AsyncGenerator[StreamEvent, None]:
        yield reply.start()
        index, opened = reply.open_tool_call("c", "nobody") if as_call and turn == 1 else reply.open_text()
        yield opened
        for piece in pieces if turn == 1 else []:
            await asyncio.sleep(0)
            yield reply.append(index, piece)
        yield reply.close(index)
        yield reply.done("stop")

    return script


def test_ten_thousand_deltas() -> None:
    seconds = cpu_of_run(streaming(["text "] * 10_000))
    print(f"\n10,000 text deltas: {seconds:.2f} s CPU")
    assert seconds <= 0.5


def turns(count: int) -> float:
    """CPU seconds per turn of a run with `count` tool turns."""

    async def script(reply: MessageBuilder, turn: int) -> AsyncGenerator[StreamEvent, None]:
        yield reply.start()
        if turn <= count:
            index, opened = reply.open_tool_call(f"c{turn}", "work")
            yield opened
            yield reply.append(index, f'{{"n": {turn}}}')
        else:
            index, opened = reply.open_text()
            yield opened
        yield reply.close(index)
        yield reply.done("stop")

    return cpu_of_run(script, times=1, tools=[FakeTool()]) / count


def test_turns_do_not_cost_more_as_the_conversation_grows() -> None:
    """Without the garbage collector, whose first full pass comes long after 50 turns, whatever they do."""
    turns(20)  # imports and caches
    per_turn: dict[int, float] = {}
    for _ in range(4):
        for count in (50, 50, 50, 500, 2_000):
            gc.collect()
            gc.disable()
            try:
                per_turn[count] = min(turns(count), per_turn.get(count, 1.0))
            finally:
                gc.enable()
    print("\n" + ", ".join(f"{count:,} turns: {seconds * 1e3:.2f} ms each" for count, seconds in per_turn.items()))
    assert per_turn[2_000] <= 1.3 * per_turn[50]


def test_long_arguments_cost_in_proportion() -> None:
    def arguments(size: int, times: int = 1) -> float:
        text = '{"content": "' + "abcd" * (size // 4) + '"}'
        return cpu_of_run(streaming([text[at : at + 4] for at in range(0, len(text), 4)], as_call=True), times=times)

    arguments(50_000)
    one, two = arguments(1_000_000, times=2), arguments(2_000_000)
    plain = cpu_of_run(streaming(["abcd"] * 250_000), times=2)
    print(f"\narguments of 1 MB: {one:.1f} s, of 2 MB: {two:.1f} s; 1 MB of text: {plain:.1f} s CPU")
    assert two <= 2.2 * one
    assert one <= plain + 1
