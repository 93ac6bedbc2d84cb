"""What an agent knows: the fold of its events."""

from __future__ import annotations

from collections.abc import Sequence

from core.agent.events import (
    EventBase,
    MessageEnd,
    MessageStart,
    StopCause,
    ToolExecutionEnd,
    ToolExecutionStart,
    TurnEnd,
)
from core.agent.tools import AgentTool
from core.ai.messages import AgentMessage, ThinkingLevel
from core.ai.model import Model


class AgentState:
    """`model`, `thinking_level` and `tools` are read when a run starts; the rest tells how the run stands.

    `messages` and `tools` are live lists; assigning copies what is assigned. `streaming_message` is the message that
    was announced and is not complete yet; `error_message` is that of the last failed turn of the last run.
    """

    def __init__(
        self,
        model: Model,
        thinking_level: ThinkingLevel = "off",
        tools: Sequence[AgentTool] = (),
        messages: Sequence[AgentMessage] = (),
    ) -> None:
        self.model = model
        self.thinking_level: ThinkingLevel = thinking_level
        self.is_streaming = False
        self.streaming_message: AgentMessage | None = None
        self.pending_tool_calls: frozenset[str] = frozenset()
        self.error_message: str | None = None
        self.last_cause: StopCause | None = None
        self._tools = list(tools)
        self._messages = list(messages)

    @property
    def tools(self) -> list[AgentTool]:
        """The tools on offer."""
        return self._tools

    @tools.setter
    def tools(self, tools: Sequence[AgentTool]) -> None:
        self._tools = list(tools)

    @property
    def messages(self) -> list[AgentMessage]:
        """The transcript: a message stands here from its message_end on."""
        return self._messages

    @messages.setter
    def messages(self, messages: Sequence[AgentMessage]) -> None:
        self._messages = list(messages)

    def begin_run(self) -> None:
        """A run begins."""
        self.is_streaming = True
        self.error_message = None

    def apply(self, event: EventBase) -> None:
        """Take in an event."""
        if isinstance(event, MessageStart):
            self.streaming_message = event.message
        elif isinstance(event, MessageEnd):
            self.streaming_message = None
            self._messages.append(event.message)
        elif isinstance(event, ToolExecutionStart):
            self.pending_tool_calls |= {event.tool_call_id}
        elif isinstance(event, ToolExecutionEnd):
            self.pending_tool_calls -= {event.tool_call_id}
        elif isinstance(event, TurnEnd) and event.message.error_message is not None:
            self.error_message = event.message.error_message

    def end_run(self, cause: StopCause | None) -> None:
        """The run is over and all its events are delivered; `cause` is None when it broke off."""
        self.is_streaming = False
        self.streaming_message = None
        self.pending_tool_calls = frozenset()
        self.last_cause = cause
