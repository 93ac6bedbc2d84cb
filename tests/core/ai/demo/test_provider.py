"""The guide as a provider: its model, its pace, its usage."""

from __future__ import annotations

import asyncio

from core.ai.abort import AbortSignal
from core.ai.demo import DEMO_MODEL, DemoProvider
from core.ai.messages import AssistantMessage, SystemMessage, ToolSpec, UserMessage
from core.ai.model import ModelRequest
from core.ai.provider import stream_response
from core.ai.stream import StreamDone, StreamEvent, TextDelta, ToolCallEnd

BASH = ToolSpec(name="bash", description="Runs a command", parameters={"type": "object"})


def ask(text: str) -> ModelRequest:
    return ModelRequest(DEMO_MODEL, (SystemMessage(content="Be brief."), UserMessage.of(text)), (BASH,))


async def collect(provider: DemoProvider, request: ModelRequest) -> list[StreamEvent]:
    return [event async for event in stream_response(provider, request, AbortSignal())]


def test_the_model_tells_what_it_is() -> None:
    assert DEMO_MODEL.ref == "demo/guide"
    assert DEMO_MODEL.name == "Guide (scripted demo)"
    assert DEMO_MODEL.api == "demo"
    assert DEMO_MODEL.cost is None
    assert DEMO_MODEL.context_window == 128_000
    assert not DEMO_MODEL.reasoning


async def test_its_pace_is_that_of_a_person_reading() -> None:
    now = 0.0

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds
        await asyncio.sleep(0)

    events = await collect(DemoProvider(sleep=sleep, clock=lambda: now), ask("help"))
    deltas = [event for event in events if isinstance(event, TextDelta)]
    rate = len(deltas) / now
    assert 40 <= rate <= 80
    assert max(len(event.delta) for event in deltas) <= 12


async def test_usage_grows_with_the_conversation_and_costs_nothing_known() -> None:
    provider = DemoProvider(sleep=lambda seconds: asyncio.sleep(0))
    short, long = ask("list files"), ask("list files" + " please" * 400)
    usages = []
    for request in (short, long):
        last = (await collect(provider, request))[-1]
        assert isinstance(last, StreamDone)
        usages.append(last.message.usage)
    assert 0 < usages[0].input < usages[1].input
    assert usages[0].output > 20
    assert usages[0].total_tokens == usages[0].input + usages[0].output
    assert usages[0].cost.total == 0


async def test_calls_have_ids_of_their_own() -> None:
    provider = DemoProvider(sleep=lambda seconds: asyncio.sleep(0))
    first = ask("list files")
    events = await collect(provider, first)
    calls = [event.tool_call for event in events if isinstance(event, ToolCallEnd)]
    assert [call.name for call in calls] == ["bash"]
    last = events[-1]
    assert isinstance(last, StreamDone)
    assert last.reason == "toolUse"
    history = (*first.messages, AssistantMessage(provider="demo"), UserMessage.of("list files"))
    later = await collect(provider, ModelRequest(DEMO_MODEL, history, (BASH,)))
    ids = [event.tool_call.id for event in later if isinstance(event, ToolCallEnd)]
    assert len({calls[0].id, *ids}) == 2
