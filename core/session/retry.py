"""When a failed request is sent again, and what the transcript looks like then."""

from __future__ import annotations

from dataclasses import dataclass

from core.ai.messages import AgentMessage, AssistantMessage


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Seconds; pi's settings `retry.enabled`, `maxRetries`, `baseDelayMs`, `maxAgentDelayMs`."""

    enabled: bool = True
    max_retries: int = 3
    base_delay: float = 2.0
    max_delay: float = 60.0


@dataclass(frozen=True, slots=True)
class RetryPlan:
    """The next attempt: its number from 1, how many there are, and the wait before it in seconds."""

    attempt: int
    max_attempts: int
    delay: float
    error: str


def plan_retry(policy: RetryPolicy, last: AgentMessage | None, failures: int) -> RetryPlan | None:
    """Return the next attempt after `failures` failed ones in a row, or None when asking again is not right."""
    from core.ai.errors import error_of  # a start does not need what only failures do
    from core.ai.retry import is_retryable, retry_delay

    if not policy.enabled or failures > policy.max_retries:
        return None
    if not isinstance(last, AssistantMessage) or last.stop_reason != "error" or not is_retryable(last):
        return None
    delay = retry_delay(failures, error_of(last), policy.base_delay, policy.max_delay)
    if delay is None:
        return None
    return RetryPlan(failures, policy.max_retries, delay, last.error_message or "")
