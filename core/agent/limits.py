"""Bounds of a run: what keeps it from going on for ever, and from hanging when it is told to stop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.agent.events import StopCause
from core.ai.messages import AssistantMessage, ToolResultMessage
from core.ai.wire import wire_value

POLL_MS = 1_000
"""A call that ran at least this long was waiting for something: making it again is polling, not being stuck."""


@dataclass(frozen=True, slots=True)
class RunLimits:
    """`max_turns` ends a run after so many turns (None: never).

    `repeated_failures` ends it when so many turns in a row made the very same calls and got the very same errors (None:
    never). A new message of a person, a call that succeeds and one that takes its time start the count anew.
    `abort_grace` is how many seconds tools and hooks have after an abort before they are cancelled.
    """

    max_turns: int | None = None
    repeated_failures: int | None = 10
    abort_grace: float = 0.3


class LimitWatch:
    """Counts the turns of a run against its limits."""

    def __init__(self, limits: RunLimits) -> None:
        self._limits = limits
        self._failure: object = None
        self._repeats = 0

    def turn_done(self, reply: AssistantMessage, results: Sequence[ToolResultMessage]) -> None:
        """Take note of a turn and the results of its calls."""
        failure = None
        if results and all(result.is_error and (result.duration_ms or 0) < POLL_MS for result in results):
            calls = [(call.name, call.arguments) for call in reply.tool_calls]
            failure = (calls, [wire_value(result.content) for result in results])
        if failure is None:
            self._repeats = 0
        else:
            self._repeats = self._repeats + 1 if failure == self._failure else 1
        self._failure = failure

    def reached(self, turns: int, *, new_input: bool) -> StopCause | None:
        """Return why no further turn may begin after `turns`, None when it may; `new_input` is what a person said."""
        limits = self._limits
        if limits.max_turns is not None and turns >= limits.max_turns:
            return "max_turns"
        if new_input:
            self._failure = None
        elif limits.repeated_failures is not None and self._repeats >= limits.repeated_failures:
            return "repeated_call"
        return None
