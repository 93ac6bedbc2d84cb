"""One exchange with the scripted server through an adapter and the provider boundary."""

from __future__ import annotations

from core.ai.abort import AbortSignal
from core.ai.errors import ErrorInfo, error_of
from core.ai.messages import AssistantMessage
from core.ai.model import Model, ModelRequest
from core.ai.provider import stream_response
from core.ai.registry import provider_for
from core.ai.stream import StreamDone, StreamError, StreamEvent
from core.ai.wire import Json
from tests.support.script import Api


def model_of(api: Api, url: str, **fields: Json) -> Model:
    base = url if api == "anthropic-messages" else f"{url}/v1"
    return Model.model_validate(
        {
            "id": "m-1",
            "name": "M",
            "api": api,
            "provider": "fake",
            "base_url": base,
            "input": ("text", "image"),
            **fields,
        }
    )


async def run(request: ModelRequest, signal: AbortSignal | None = None) -> list[StreamEvent]:
    stream = stream_response(provider_for(request.model.api), request, signal or AbortSignal())
    return [event async for event in stream]


async def reply_to(request: ModelRequest) -> AssistantMessage:
    end = (await run(request))[-1]
    assert isinstance(end, StreamDone)
    return end.message


async def failed(request: ModelRequest) -> tuple[ErrorInfo, AssistantMessage, list[str]]:
    """The error, the message that carries it, and the types of all events."""
    events = await run(request)
    end = events[-1]
    assert isinstance(end, StreamError), end
    info = error_of(end.error)
    assert info is not None
    assert info.message == end.error.error_message
    return info, end.error, [event.type for event in events if event.type != "usage"]
