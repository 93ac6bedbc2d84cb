"""An adapter that does what a test says, behind the provider boundary."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable

from core.ai.abort import AbortSignal
from core.ai.builder import MessageBuilder
from core.ai.messages import AssistantMessage, UserMessage
from core.ai.model import Model, ModelRequest, RequestOptions
from core.ai.provider import stream_response
from core.ai.stream import StreamDone, StreamError, StreamEvent

MODEL = Model(id="m", name="M", api="fake", provider="fake")
CLOCKS = ("core.ai.builder", "core.ai.provider")

Script = Callable[[MessageBuilder], AsyncGenerator[StreamEvent, None]]


class Adapter:
    """A provider that does what a test says."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.called = 0

    def stream(self, request: ModelRequest, reply: MessageBuilder) -> AsyncGenerator[StreamEvent, None]:
        self.called += 1
        return self.script(reply)


def request(timeout: float | None = None) -> ModelRequest:
    return ModelRequest(MODEL, (UserMessage.of("hi"),), options=RequestOptions(timeout=timeout))


async def collect(script: Script, signal: AbortSignal | None = None, timeout: float | None = None) -> list[StreamEvent]:
    stream = stream_response(Adapter(script), request(timeout), signal or AbortSignal())
    return [event async for event in stream]


def kinds(events: list[StreamEvent]) -> list[str]:
    return [event.type for event in events]


def final(events: list[StreamEvent]) -> AssistantMessage:
    last = events[-1]
    assert isinstance(last, StreamDone | StreamError)
    return last.message if isinstance(last, StreamDone) else last.error


def begin(reply: MessageBuilder, text: str = "half") -> list[StreamEvent]:
    """Start, and an open block of text."""
    index, opened = reply.open_text()
    return [reply.start(), opened, reply.append(index, text)]
