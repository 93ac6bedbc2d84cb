"""One model request: from the transcript to the provider and back into one assistant message."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace

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

_log = logging.getLogger(__name__)


def llm_messages(messages: Sequence[AgentMessage]) -> list[LlmMessage]:
    """Return the messages that providers understand; other roles are left out, and the log says so."""
    kept: list[LlmMessage] = []
    left_out: set[str] = set()
    for message in messages:
        if isinstance(message, UserMessage | AssistantMessage | ToolResultMessage | SystemMessage):
            kept.append(message)
        else:
            left_out.add(message.role)
    for role in sorted(left_out):
        _log.warning("Messages with the role %s are not sent to the model: the agent has no convert_to_llm hook", role)
    return kept


async def request_reply(run: Run) -> AssistantMessage:
    """Send the transcript and return the reply, which then stands in the transcript and was told to subscribers.

    Never raises for a failed request: the reply then has stop reason `error` or `aborted`. After an abort nothing is
    sent; the reply is made here. What a hook raises becomes a failed reply too.
    """
    reply = MessageBuilder(run.config.model, run.config.options.thinking_level)
    try:
        request = None if run.signal.aborted else await _prepare(run)
        if request is None or run.signal.aborted:
            message = run.stopped_reply(reply)
        else:
            reply = MessageBuilder(request.model, request.options.thinking_level)
            message = await _receive(run, request, reply)
    except Exception as error:
        text = str(error) or type(error).__name__
        failed = reply.failed(ErrorInfo(kind="unknown", message=text)).error
        message = run.stopped_reply(reply) if run.signal.aborted else failed
    if run.failure and message.stop_reason == "aborted":
        info = ErrorInfo(kind="unknown", message=run.failure, retryable=False)
        fields = {"stop_reason": "error", "error_message": run.failure, "diagnostics": (info.to_diagnostic(),)}
        message = message.model_copy(update=fields)
    await run.end_message(message)
    return message


async def _prepare(run: Run) -> ModelRequest:
    hooks = run.config.hooks
    if hooks.prepare_request is not None:
        run.apply(await run.ask(hooks.prepare_request(run.view)))
        await run.inject()
    convert = hooks.convert_to_llm or llm_messages
    if hooks.transform_context is None:
        messages = run.converted(convert)
    else:
        messages = tuple(convert(await run.ask(hooks.transform_context(tuple(run.messages), run.signal))))
    config = run.config
    options = replace(config.options, hooks=hooks.request)
    if hooks.get_api_key is not None:
        options = replace(options, api_key=await run.ask(hooks.get_api_key(config.model)) or options.api_key)
    return ModelRequest(config.model, messages, tuple(spec_of(tool) for tool in config.tools), options)


async def _receive(run: Run, request: ModelRequest, empty: MessageBuilder) -> AssistantMessage:
    """Fold the stream: tell of the start and of every delta, return the final message."""
    emit = run.dispatcher.emit
    started = False
    usage = empty.usage
    async with aclosing(run.config.stream(request, run.signal)) as events:
        async for event in events:
            if isinstance(event, StreamDone):
                return event.message
            if isinstance(event, StreamError):
                return event.error
            if isinstance(event, StreamUsage):
                usage = event.usage
            elif not isinstance(event, StreamStart):
                if started:
                    await emit(MessageUpdate(usage=usage, assistant_message_event=event))
            elif not started:
                started = True
                await run.start_message(event.message)
    if run.signal.aborted:
        return run.stopped_reply(empty)
    text = "The provider's stream ended before its terminal event"
    return empty.failed(ErrorInfo(kind="malformed", message=text)).error
