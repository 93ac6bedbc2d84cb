"""A made-up session as the events a live one emits and as the messages it leaves behind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from core.agent.events import (
    AgentEnd,
    AgentStart,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
    TurnEnd,
    TurnStart,
)
from core.agent.tools import ToolResult
from core.ai.messages import (
    AgentMessage,
    AssistantMessage,
    StopReason,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
)
from core.ai.stream import (
    BlockEvent,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from core.ai.wire import json_line
from core.session.events import AgentSettled, SessionEvent

USAGE = Usage(input=10, output=5, cache_read=30, total_tokens=45)


@dataclass
class Tape:
    """Records events and messages side by side. `cut` is the number of characters of one delta."""

    cut: int = 7
    events: list[SessionEvent] = field(default_factory=list)
    messages: list[AgentMessage] = field(default_factory=list)

    def start(self) -> Tape:
        """Begin a run."""
        self.events += [AgentStart(), TurnStart()]
        return self

    def end(self, cause: str = "finished") -> Tape:
        """End the run and settle."""
        self.events += [AgentEnd.model_validate({"messages": (), "cause": cause}), AgentSettled(aborted=False)]
        return self

    def message(self, message: AgentMessage) -> Tape:
        """A message that does not stream."""
        self.events += [MessageStart(message=message), MessageEnd(message=message)]
        self.messages.append(message)
        return self

    def user(self, text: str) -> Tape:
        """A person's message."""
        return self.message(UserMessage.of(text))

    def reply(
        self,
        content: Sequence[TextContent | ThinkingContent | ToolCall],
        stop: StopReason = "stop",
        *,
        closed: bool = True,
        error: str | None = None,
    ) -> Tape:
        """A reply that streams block by block; with `closed=False` no block gets its end event."""
        usage = Usage()
        self.events.append(MessageStart(message=AssistantMessage(stop_reason="pending")))
        for index, block in enumerate(content):
            parts = list(self._parts(index, block))
            self.events += [
                MessageUpdate(usage=usage, assistant_message_event=part) for part in (parts if closed else parts[:-1])
            ]
        message = AssistantMessage(content=tuple(content), usage=USAGE, stop_reason=stop, error_message=error)
        self.events.append(MessageEnd(message=message))
        self.messages.append(message)
        return self

    def _parts(self, index: int, block: TextContent | ThinkingContent | ToolCall) -> Iterable[BlockEvent]:
        if isinstance(block, TextContent):
            yield TextStart(content_index=index)
            for piece in self._cut(block.text):
                yield TextDelta(content_index=index, delta=piece)
            yield TextEnd(content_index=index, content=block.text)
        elif isinstance(block, ThinkingContent):
            yield ThinkingStart(content_index=index)
            for piece in self._cut(block.thinking):
                yield ThinkingDelta(content_index=index, delta=piece)
            yield ThinkingEnd(content_index=index, content=block.thinking)
        else:
            yield ToolCallStart(content_index=index, id="", tool_name=block.name)
            for piece in self._cut(json_line(block.arguments).decode().strip()):
                yield ToolCallDelta(content_index=index, delta=piece)
            yield ToolCallEnd(content_index=index, tool_call=block)

    def _cut(self, text: str) -> list[str]:
        return [text[at : at + self.cut] for at in range(0, len(text), self.cut)]

    def tools(self, *results: tuple[ToolCall, str, bool]) -> Tape:
        """Calls that run together: all start, all show something, end in reverse order, results in call order."""
        for call, text, _ in results:
            self.events.append(ToolExecutionStart(tool_call_id=call.id, tool_name=call.name, args=call.arguments))
            self.events.append(
                ToolExecutionUpdate(
                    tool_call_id=call.id,
                    tool_name=call.name,
                    args=call.arguments,
                    partial_result=ToolResult.text(text[: len(text) // 2]),
                )
            )
        for call, text, is_error in reversed(results):
            self.events.append(
                ToolExecutionEnd(
                    tool_call_id=call.id,
                    tool_name=call.name,
                    result=ToolResult.text(text),
                    is_error=is_error,
                    duration_ms=12,
                )
            )
        for call, text, is_error in results:
            self.message(
                ToolResultMessage(
                    tool_call_id=call.id,
                    tool_name=call.name,
                    content=(TextContent(text=text),),
                    is_error=is_error,
                    duration_ms=12,
                )
            )
        self.events += [TurnEnd(message=AssistantMessage()), TurnStart(turn_index=1)]
        return self


def call(name: str, call_id: str = "call_1", **arguments: object) -> ToolCall:
    """A tool call."""
    return ToolCall(id=call_id, name=name, arguments=dict(arguments))
