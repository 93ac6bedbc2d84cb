"""Agent events: frozen data that can be shown, stored, sent and replayed.

In process each event carries `run_id`, `turn_index` (0-based) and `seq` (increasing within the run). `to_wire` leaves
these out: what leaves the process has exactly pi's keys.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field

from core.agent.tools import ToolResult
from core.ai.messages import AgentMessage, AssistantMessage, ToolResultMessage, Usage
from core.ai.stream import BlockEvent
from core.ai.wire import Json, WireModel

StopCause: TypeAlias = Literal["finished", "error", "aborted", "terminated", "stopped", "max_turns", "repeated_call"]
"""Why a run ended. `terminated`: the tools said so; `stopped`: the finish_turn hook said so."""


class EventBase(WireModel):
    """Correlation of an event; not part of the wire form."""

    run_id: str = Field(default="", exclude=True)
    turn_index: int = Field(default=0, exclude=True)
    seq: int = Field(default=0, exclude=True)

    def stamped(self, run_id: str, turn_index: int, seq: int) -> Self:
        """Return a copy that knows its place."""
        copy = self.__copy__()  # half the time of model_copy, which counts at every delta
        copy.__dict__.update(run_id=run_id, turn_index=turn_index, seq=seq)
        return copy

    def to_wire(self) -> dict[str, Json]:
        """Return pi's JSON record of this event."""
        out = super().to_wire()
        for key in ("runId", "turnIndex", "seq"):
            out.pop(key, None)
        return {"type": out.pop("type"), **out}


class AgentStart(EventBase):
    """A run began."""

    type: Literal["agent_start"] = "agent_start"


class AgentEnd(EventBase):
    """A run ended. `messages` are the messages of this run, not the history."""

    type: Literal["agent_end"] = "agent_end"
    messages: tuple[AgentMessage, ...]
    cause: StopCause = "finished"

    def to_wire(self) -> dict[str, Json]:
        """Return pi's record, without the cause."""
        out = super().to_wire()
        out.pop("cause")
        return out


class TurnStart(EventBase):
    """A turn (one model request and all its tool work) began."""

    type: Literal["turn_start"] = "turn_start"


class TurnEnd(EventBase):
    """A turn ended; results in source order of the calls."""

    type: Literal["turn_end"] = "turn_end"
    message: AssistantMessage
    tool_results: tuple[ToolResultMessage, ...] = ()


class MessageStart(EventBase):
    """A message began. An assistant message is empty here and has stop reason `pending`."""

    type: Literal["message_start"] = "message_start"
    message: AgentMessage


class MessageUpdate(EventBase):
    """A block event of the assistant message that is arriving."""

    type: Literal["message_update"] = "message_update"
    usage: Usage
    assistant_message_event: Annotated[BlockEvent, Field(discriminator="type")]


class MessageEnd(EventBase):
    """The message is complete and stands in the transcript."""

    type: Literal["message_end"] = "message_end"
    message: AgentMessage


class ToolExecutionStart(EventBase):
    """A tool call is taken up. `args` are as the model sent them."""

    type: Literal["tool_execution_start"] = "tool_execution_start"
    tool_call_id: str
    tool_name: str
    args: Json


class ToolExecutionUpdate(EventBase):
    """A partial result of a running tool, which replaces the one before."""

    type: Literal["tool_execution_update"] = "tool_execution_update"
    tool_call_id: str
    tool_name: str
    args: Json
    partial_result: ToolResult


class ToolExecutionEnd(EventBase):
    """The call is settled. `duration_ms` is absent when the tool never ran."""

    type: Literal["tool_execution_end"] = "tool_execution_end"
    tool_call_id: str
    tool_name: str
    result: ToolResult
    is_error: bool
    duration_ms: int | None = None


class Fault(EventBase):
    """Code around the loop raised: a subscriber (the run goes on), a barrier or a hook (the run ends).

    `source` names it, such as `listener message_end` or `hook finish_turn`. Not sent out of the process.
    """

    type: Literal["fault"] = "fault"
    source: str
    error: str


AgentEvent: TypeAlias = Annotated[
    AgentStart
    | AgentEnd
    | TurnStart
    | TurnEnd
    | MessageStart
    | MessageUpdate
    | MessageEnd
    | ToolExecutionStart
    | ToolExecutionUpdate
    | ToolExecutionEnd
    | Fault,
    Field(discriminator="type"),
]
