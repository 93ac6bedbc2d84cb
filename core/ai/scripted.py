"""The `scripted` provider: plays replies from data. For tests, screenshots and benchmarks; needs no network.

In Python: `ScriptedProvider([say("Let me look.", call("bash", {"command": "ls"})), say("Done.")])`. From a file:
`scripted_model(path)`, or a provider in models.json with `"api": "scripted"` and the file's absolute path as `baseUrl`;
a provider without a script of its own plays the file that the request's model names.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from core.ai.builder import MessageBuilder
from core.ai.errors import ErrorInfo, ProviderError
from core.ai.messages import AssistantMessage
from core.ai.model import Model, ModelRequest
from core.ai.script import (
    Call,
    Content,
    Fault,
    GateStep,
    Pace,
    Reply,
    Script,
    ScriptError,
    Start,
    Text,
    Thinking,
    Tokens,
    Wait,
    load_script,
)
from core.ai.stream import StreamEvent
from core.ai.wire import json_line

ReplyMaker: TypeAlias = Callable[[ModelRequest], Reply]
"""Chooses a reply by looking at the request."""

Sleep: TypeAlias = Callable[[float], Awaitable[None]]
Clock: TypeAlias = Callable[[], float]

SCRIPT_KEY = "script"
"""The key of a model's `compat` that names its script file; without it the base URL, then the id is the path."""


def scripted_model(path: Path | str = "", *, id: str = "") -> Model:
    """Return a model whose replies stand in the script file `path`, read at the first request."""
    name = id or str(path) or "scripted"
    return Model(id=name, name=f"Scripted ({name})", api="scripted", provider="scripted", base_url=str(path))


class Tempo:
    """An absolute schedule: `wait(s)` ends `s` seconds after the previous one was due, at once when that has passed."""

    def __init__(self, sleep: Sleep = asyncio.sleep, clock: Clock = time.monotonic) -> None:
        self._sleep = sleep
        self._clock = clock
        self._due = clock()

    async def wait(self, seconds: float) -> None:
        """Wait for the next beat; other tasks get their turn even when it is already due."""
        self._due += seconds
        await self._sleep(max(0.0, self._due - self._clock()))

    def restart(self) -> None:
        """Count from now: after a time that no schedule knew of."""
        self._due = self._clock()


class Gate:
    """A place in a script that a test opens. `reached` is set when a reply stands before it."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self._opened = asyncio.Event()

    def open(self) -> None:
        """Let replies pass, now and later."""
        self._opened.set()

    async def passed(self) -> None:
        """Tell that a reply is here, and return when the gate is open."""
        self.reached.set()
        await self._opened.wait()


class ScriptedProvider:
    """Plays a script: one reply per request, in order. `requests` holds what was asked, oldest first.

    `script` is a `Script`, a sequence of replies and reply makers, or one maker for all requests; None plays the script
    file of each request's model. `sleep` and `clock` replace real time.
    """

    def __init__(
        self,
        script: Script | Sequence[Reply | ReplyMaker] | ReplyMaker | None = None,
        *,
        pace: Pace | None = None,
        sleep: Sleep = asyncio.sleep,
        clock: Clock = time.monotonic,
    ) -> None:
        self.requests: list[ModelRequest] = []
        self._part = None if script is None else _Part(script, pace)
        self._pace = pace
        self._files: dict[str, _Part] = {}
        self._gates: dict[str, Gate] = {}
        self._sleep = sleep
        self._clock = clock

    def gate(self, name: str) -> Gate:
        """Return the gate of this name."""
        return self._gates.setdefault(name, Gate())

    async def stream(self, request: ModelRequest, reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        """Yield the next reply of the script; see `Provider.stream`."""
        self.requests.append(request)
        part = self._part or await self._part_of(request.model)
        answer, pace = part.next_reply(request)
        reply.response_id = answer.response_id or f"scripted-{len(self.requests):04d}"
        turn = max(len(self.requests), 1 + _replies_in(request))
        ids = (f"call_{turn}_{index}" for index in range(1_000))
        tempo = Tempo(self._sleep, self._clock)
        async for event in play(answer, pace, reply, tempo, ids, self.gate):
            yield event

    async def _part_of(self, model: Model) -> _Part:
        path = str((model.compat or {}).get(SCRIPT_KEY) or model.base_url or model.id)
        if path not in self._files:
            try:
                script = await asyncio.to_thread(load_script, Path(path))
            except ScriptError as error:
                raise ProviderError(ErrorInfo(kind="invalid_request", message=str(error))) from error
            self._files[path] = _Part(script, self._pace)
        return self._files[path]


class _Part:
    """A script and how far it was played."""

    def __init__(self, script: Script | Sequence[Reply | ReplyMaker] | ReplyMaker, pace: Pace | None) -> None:
        self._replies: Sequence[Reply | ReplyMaker]
        self._repeats = False
        self._pace = pace or Pace()
        if isinstance(script, Script):
            self._replies, self._repeats = script.replies, script.repeat_last
            self._pace = pace or script.pace
        elif callable(script):
            self._replies, self._repeats = (script,), True
        else:
            self._replies = script
        self._played = 0

    def next_reply(self, request: ModelRequest) -> tuple[Reply, Pace]:
        index = self._played
        self._played += 1
        if index >= len(self._replies):
            if not (self._repeats and self._replies):
                message = f"The script has {len(self._replies)} replies; this is request {index + 1}"
                raise ProviderError(ErrorInfo(kind="invalid_request", message=message))
            index = len(self._replies) - 1
        chosen = self._replies[index]
        reply = chosen if isinstance(chosen, Reply) else chosen(request)
        return reply, reply.pace or self._pace


async def play(
    reply: Reply,
    pace: Pace,
    builder: MessageBuilder,
    tempo: Tempo,
    ids: Iterator[str],
    gate: Callable[[str], Gate],
) -> AsyncGenerator[StreamEvent, None]:
    """Yield the events of `reply`. Calls without an id take the next of `ids`; `gate` finds gates by name."""
    await tempo.wait(pace.latency)
    for step in reply.steps:
        if isinstance(step, Wait):
            await tempo.wait(step.seconds)
        elif isinstance(step, GateStep):
            await gate(step.name).passed()
            tempo.restart()
        elif isinstance(step, Tokens):
            builder.set_usage(step.usage)
        elif isinstance(step, Fault):
            if step.kind == "drop":
                return
            await _fail(step)
        else:
            if not builder.started:
                yield builder.start()
            if not isinstance(step, Start):
                async for event in _block(step, pace, builder, tempo, ids):
                    yield event
    if not builder.started:
        yield builder.start()
    yield builder.done(reply.stop or ("toolUse" if builder.has_tool_calls else "stop"))


async def _fail(fault: Fault) -> None:
    if fault.kind == "stall":
        await asyncio.Event().wait()
    if fault.kind == "raise":
        raise RuntimeError(fault.error.message)
    raise ProviderError(fault.error)


async def _block(
    step: Content, pace: Pace, builder: MessageBuilder, tempo: Tempo, ids: Iterator[str]
) -> AsyncGenerator[StreamEvent, None]:
    if isinstance(step, Text):
        index, opened = builder.open_text()
    elif isinstance(step, Thinking):
        index, opened = builder.open_thinking()
    else:
        index, opened = builder.open_tool_call(step.id or next(ids), step.name)
    yield opened
    for piece in _pieces(step, pace.chars):
        await tempo.wait(pace.seconds)
        yield builder.append(index, piece)
    if isinstance(step, Thinking) and step.signature is not None:
        builder.sign(index, step.signature)
    if not step.unfinished:
        yield builder.close(index)


def _pieces(step: Content, chars: int) -> Sequence[str]:
    if not isinstance(step, Call):
        return step.deltas or cut(step.text, chars)
    text = step.arguments if isinstance(step.arguments, str) else json_line(step.arguments).decode().rstrip("\n")
    return cut(text, chars)


def cut(text: str, chars: int) -> list[str]:
    """Return `text` in pieces of `chars` characters; an empty text has none."""
    return [text[start : start + chars] for start in range(0, len(text), chars)]


def _replies_in(request: ModelRequest) -> int:
    return sum(isinstance(message, AssistantMessage) for message in request.messages)
