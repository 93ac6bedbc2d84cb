"""The tool calls of one reply: every call gets exactly one result, whatever happens."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from core.agent.events import ToolExecutionEnd, ToolExecutionStart
from core.agent.execution import execute
from core.agent.preflight import ApprovedCall, Outcome, preflight
from core.agent.run import Run
from core.agent.tools import AgentTool
from core.ai.messages import AssistantMessage, ToolCall, ToolResultMessage

CUT_REPLY = "The reply was cut by its length limit before this call was complete, so it was not run. Send it again."

HOOK_PATIENCE = 0.05
"""Seconds after which a before-hook counts as waiting for a person: calls approved meanwhile start."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Results in source order. `terminated` when every call said so."""

    results: tuple[ToolResultMessage, ...] = ()
    terminated: bool = False

    @property
    def continues(self) -> bool:
        """True when the model has results to look at."""
        return bool(self.results) and not self.terminated


async def run_tool_calls(run: Run, reply: AssistantMessage) -> Batch:
    """Run the calls of `reply` and return their results, which then stand in the transcript.

    Preflight goes strictly in source order. Executions of a parallel batch then run together as far as their
    reservations allow; a sequential batch runs one by one. A reply that was cut by its length limit runs nothing.
    """
    calls = reply.tool_calls
    if not calls:
        return Batch()
    tools = {tool.name: tool for tool in run.config.tools}
    batch = _BatchRun(run, reply, tools)
    called = [tools[call.name] for call in calls if call.name in tools]
    if reply.stop_reason == "length":
        outcomes = await batch.refuse(calls)
    elif run.config.sequential_tools or any(tool.execution_mode == "sequential" for tool in called):
        outcomes = await batch.one_by_one(calls)
    else:
        outcomes = await batch.together(calls)
    return Batch(tuple(batch.messages), all(outcome.result.terminate is True for outcome in outcomes))


@dataclass(slots=True)
class _BatchRun:
    run: Run
    reply: AssistantMessage
    tools: Mapping[str, AgentTool]
    messages: list[ToolResultMessage] = field(default_factory=list)

    async def refuse(self, calls: tuple[ToolCall, ...]) -> list[Outcome]:
        outcome = Outcome.failed(CUT_REPLY)
        for call in calls:
            await self._announce(call)
            await self._settle(call, outcome)
            await self._record(call, outcome)
        return [outcome]

    async def one_by_one(self, calls: tuple[ToolCall, ...]) -> list[Outcome]:
        outcomes = []
        for call in calls:
            await self._announce(call)
            ready = await preflight(self.run, self.reply, self.tools, call)
            outcome = ready if isinstance(ready, Outcome) else await execute(self.run, ready)
            await self._settle(call, outcome)
            await self._record(call, outcome)
            outcomes.append(outcome)
        return outcomes

    async def together(self, calls: tuple[ToolCall, ...]) -> list[Outcome]:
        outcomes: dict[int, Outcome] = {}
        started: list[asyncio.Task[None]] = []
        waiting: list[tuple[int, ApprovedCall]] = []

        async def finish(index: int, approved: ApprovedCall) -> None:
            outcomes[index] = await execute(self.run, approved)
            await self._settle(calls[index], outcomes[index])

        def start_waiting() -> None:
            for index, approved in waiting:
                started.append(asyncio.create_task(finish(index, approved), name=f"tool-{approved.call.name}"))
            waiting.clear()

        try:
            for index, call in enumerate(calls):
                await self._announce(call)
                patience = asyncio.get_running_loop().call_later(HOOK_PATIENCE, start_waiting)
                try:
                    ready = await preflight(self.run, self.reply, self.tools, call)
                finally:
                    patience.cancel()
                if isinstance(ready, Outcome):
                    outcomes[index] = ready
                    await self._settle(call, ready)
                else:
                    waiting.append((index, ready))
            start_waiting()
            if started:
                await asyncio.wait(started)
        except asyncio.CancelledError:
            # The run's own task is cancelled: what has started is told so, and ends before the batch does.
            self.run.signal.abort("Cancelled")
            for _, approved in waiting:
                approved.give_up()
            if started:
                await asyncio.wait(started)
            raise
        for task in started:
            task.result()
        for index, call in enumerate(calls):
            await self._record(call, outcomes[index])
        return list(outcomes.values())

    async def _announce(self, call: ToolCall) -> None:
        event = ToolExecutionStart(tool_call_id=call.id, tool_name=call.name, args=call.arguments)
        await self.run.dispatcher.emit(event)

    async def _settle(self, call: ToolCall, outcome: Outcome) -> None:
        await self.run.dispatcher.emit(
            ToolExecutionEnd(
                tool_call_id=call.id,
                tool_name=call.name,
                result=outcome.result,
                is_error=outcome.is_error,
                duration_ms=outcome.duration_ms,
            )
        )

    async def _record(self, call: ToolCall, outcome: Outcome) -> None:
        message = result_message(call, outcome)
        self.messages.append(message)
        await self.run.end_message(message)


def result_message(call: ToolCall, outcome: Outcome) -> ToolResultMessage:
    """Return the transcript message of a result; as in pi, only errors keep empty details."""
    result = outcome.result
    return ToolResultMessage(
        tool_call_id=call.id,
        tool_name=call.name,
        content=result.content,
        details=None if result.details == {} and not outcome.is_error else result.details,
        is_error=outcome.is_error,
        usage=result.usage,
        nested_calls=outcome.nested,
        duration_ms=outcome.duration_ms,
    )
