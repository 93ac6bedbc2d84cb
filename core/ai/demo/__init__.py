"""The demo model `demo/guide`: a scripted guide that needs no key and no network and does real work with real tools.

It is deterministic and honest: it says that it is a script and no language model. What it understands stands in
docs/demo-model.md.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from types import ModuleType
from typing import TYPE_CHECKING

from core.ai.builder import MessageBuilder
from core.ai.messages import Usage
from core.ai.model import Model, ModelRequest
from core.ai.stream import StreamEvent
from core.ai.wire import json_line, wire_value

if TYPE_CHECKING:
    from core.ai.script import Pace

DEMO_MODEL = Model.model_construct(  # no validator: building one takes longer than the rest of the start
    id="guide",
    name="Guide (scripted demo)",
    api="demo",
    provider="demo",
    context_window=128_000,
    max_tokens=8_192,
)

CHARS, SECONDS, LATENCY = 6, 1 / 70, 0.3
"""A human pace: about 70 deltas or 420 characters a second, after a moment of thought."""


class DemoProvider:
    """Says and asks for what the guide decides. `pace` replaces the human one, `sleep` and `clock` real time."""

    def __init__(
        self,
        *,
        pace: Pace | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._pace = pace
        self._sleep = sleep
        self._clock = clock

    async def stream(self, request: ModelRequest, reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        """Yield the guide's reply; see `Provider.stream`."""
        await asyncio.to_thread(_load)
        from core.ai.demo.guide import decide
        from core.ai.estimate import estimate_request, tokens_of
        from core.ai.script import Call, Pace, Reply, Text, Tokens
        from core.ai.scripted import Gate, Tempo, play

        decision = decide(request.messages, (tool.name for tool in request.tools))
        mark = _mark(request)
        reply.response_id = f"guide-{mark}"
        calls = [
            Call(name=ask.tool, arguments=ask.arguments, id=f"guide_{mark}_{index}")
            for index, ask in enumerate(decision.asks)
        ]
        read = estimate_request(request.messages, request.tools)
        written = tokens_of(len(decision.text) + sum(len(str(ask.arguments)) for ask in decision.asks))
        usage = Usage(input=read, output=written, total_tokens=read + written)
        script = Reply(steps=(Text(text=decision.text), *calls, Tokens(usage=usage)))
        pace = self._pace or Pace(chars=CHARS, seconds=SECONDS, latency=LATENCY)
        tempo = Tempo(self._sleep, self._clock)
        async for event in play(script, pace, reply, tempo, iter(()), lambda name: Gate()):
            yield event


def _load() -> ModuleType:
    """Import the guide: for a thread, since its sentence patterns take a while to compile."""
    from core.ai.demo import guide

    return guide


def _mark(request: ModelRequest) -> str:
    """Eight hex digits that differ for each request of a conversation and are the same when it is played again."""
    digest = hashlib.blake2b(digest_size=4)
    for message in request.messages:
        digest.update(json_line([message.role, wire_value(message.content)]))
    return digest.hexdigest()
