"""Events of a session, beside those of the agent: queues, retries, settling."""

from __future__ import annotations

from typing import Literal, TypeAlias

from core.agent.events import AgentEvent, EventBase
from core.ai.wire import Json


class QueueUpdate(EventBase):
    """What waits now: the texts of both queues."""

    type: Literal["queue_update"] = "queue_update"
    steering: tuple[str, ...]
    follow_up: tuple[str, ...]


class AutoRetryStart(EventBase):
    """A failed request will be sent again after `delay_ms`; `attempt` counts from 1."""

    type: Literal["auto_retry_start"] = "auto_retry_start"
    attempt: int
    max_attempts: int
    delay_ms: int
    error_message: str


class AutoRetryEnd(EventBase):
    """Retrying ended, by a reply (`success`) or for good."""

    type: Literal["auto_retry_end"] = "auto_retry_end"
    success: bool
    attempt: int
    final_error: str | None = None


class EntryAppended(EventBase):
    """An entry that is no message was written to the session file, as its JSON object."""

    type: Literal["entry_appended"] = "entry_appended"
    entry: dict[str, Json]


class AgentSettled(EventBase):
    """Nothing runs and nothing waits any more: the session takes the next prompt at once."""

    type: Literal["agent_settled"] = "agent_settled"
    aborted: bool


class SessionNotice(EventBase):
    """A line for the person: a problem that the session worked around. Not part of pi's protocol."""

    type: Literal["session_notice"] = "session_notice"
    level: Literal["info", "warning", "error"]
    text: str


SessionEvent: TypeAlias = (
    AgentEvent | QueueUpdate | AutoRetryStart | AutoRetryEnd | EntryAppended | AgentSettled | SessionNotice
)
