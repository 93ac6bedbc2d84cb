"""One model request: from the transcript to the provider and back into one assistant message."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace

from core.agent.dispatcher import BarrierFailed
from core.agent.events import MessageUpdate
from core.agent.run import Run
from core.agent.tools import spec_of
from core.ai.builder import MessageBuilder
from core.ai.errors import ErrorInfo
from core.ai.messages import (
    AgentMessage,
    AssistantMessage,
    LlmMessage,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
)
from core.ai.model import ModelRequest
from core.ai.stream import StreamDone, StreamError, StreamStart, StreamUsage


def llm_messages(messages: Sequence[AgentMessage]) -> list[LlmMessage]:
    """Return the messages that providers understand; other roles are left out."""
    return [m for m in messages if isinstance(m, UserMessage | AssistantMessage | ToolResultMessage | SystemMessage)]


async def request_reply(run: Run) -> AssistantMessage:
    """Send the transcript and return the reply, which then stands in the transcript and was told to subscribers.

    Never raises for a failed request: the reply then has stop reason `error` or `aborted`. After an abort nothing is
    sent; the aborted reply is made here. What a hook raises becomes a failed reply too.
    """
    reply = MessageBuilder(run.config.model, run.config.options.thinking_level)
    if run.signal.aborted:
        message = reply.aborted(run.signal.reason).error
    else:
        try:
            request = await _prepare(run)
            reply = MessageBuilder(request.model, request.options.thinking_level)
            message = await _receive(run, request, reply)
        except BarrierFailed:
            raise
        except Exception as error:
            text = f"{type(error).__name__}: {error}" if not str(error) else str(error)
            failed = reply.aborted(run.signal.reason) if run.signal.aborted else None
            message = failed.error if failed else reply.failed(ErrorInfo(kind="unknown", message=text)).error
    await run.end_message(message)
    return message


async def _prepare(run: Run) -> ModelRequest:
    hooks = run.config.hooks
    if hooks.prepare_request is not None:
        run.apply(await hooks.prepare_request(run.view))
        await run.inject()
    messages: Sequence[AgentMessage] = run.messages
    if hooks.transform_context is not None:
        messages = await hooks.transform_context(tuple(messages), run.signal)
    convert = hooks.convert_to_llm or llm_messages
    converted = tuple(convert(messages))
    config = run.config
    options = replace(config.options, hooks=hooks.request)
    if hooks.get_api_key is not None:
        options = replace(options, api_key=await hooks.get_api_key(config.model) or options.api_key)
    return ModelRequest(config.model, converted, tuple(spec_of(tool) for tool in config.tools), options)


async def _receive(run: Run, request: ModelRequest, empty: MessageBuilder) -> AssistantMessage:
    """Fold the stream: tell of the start and of every delta, return the final message."""
    emit = run.dispatcher.emit
    started = False
    usage = empty.usage
    stream = run.config.stream(request, run.signal)
    async with aclosing(stream) as events:
        async for event in events:
            if isinstance(event, StreamDone):
                return event.message
            if isinstance(event, StreamError):
                return event.error
            if isinstance(event, StreamUsage):
                usage = event.usage
            elif isinstance(event, StreamStart):
                started = True
                await run.start_message(event.message)
            elif started:
                await emit(MessageUpdate(usage=usage, assistant_message_event=event))
    if run.signal.aborted:
        return empty.aborted(run.signal.reason).error
    text = "The provider's stream ended before its terminal event"
    return empty.failed(ErrorInfo(kind="malformed", message=text)).error
