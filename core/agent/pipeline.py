"""The tool calls of one reply: every call gets exactly one result, whatever happens."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from core.agent.arguments import InvalidArguments, validated
from core.agent.events import ToolExecutionEnd, ToolExecutionStart
from core.agent.execution import ApprovedCall, Outcome, execute
from core.agent.hooks import BeforeToolCall
from core.agent.run import Run
from core.agent.tools import AgentTool, ToolResult
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
    def tools_continue(self) -> bool:
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
    cut = reply.stop_reason == "length"
    one_by_one = cut or run.config.sequential_tools
    one_by_one = one_by_one or any(
        tools[call.name].execution_mode == "sequential" for call in calls if call.name in tools
    )
    batch = _BatchRun(run, reply, tools)
    outcomes = await (batch.one_by_one(calls, cut) if one_by_one else batch.together(calls))
    terminated = all(outcome.result.terminate is True for outcome in outcomes)
    return Batch(tuple(batch.messages), terminated)


@dataclass(slots=True)
class _BatchRun:
    run: Run
    reply: AssistantMessage
    tools: dict[str, AgentTool]
    messages: list[ToolResultMessage] = field(default_factory=list)

    async def one_by_one(self, calls: tuple[ToolCall, ...], cut: bool) -> list[Outcome]:
        outcomes = []
        for call in calls:
            await self._announce(call)
            ready = Outcome.failed(CUT_REPLY) if cut else await self._preflight(call)
            outcome = ready if isinstance(ready, Outcome) else await execute(self.run, ready)
            await self._settle(call, outcome)
            await self._record(call, outcome)
            outcomes.append(outcome)
        return outcomes

    async def together(self, calls: tuple[ToolCall, ...]) -> list[Outcome]:
        outcomes: list[Outcome | None] = [None] * len(calls)
        started: list[asyncio.Task[None]] = []
        waiting: list[tuple[int, ApprovedCall]] = []

        async def finish(index: int, approved: ApprovedCall) -> None:
            outcome = await execute(self.run, approved)
            await self._settle(calls[index], outcome)
            outcomes[index] = outcome

        def start_waiting() -> None:
            for index, approved in waiting:
                started.append(asyncio.create_task(finish(index, approved), name=f"tool-{approved.call.name}"))
            waiting.clear()

        try:
            for index, call in enumerate(calls):
                await self._announce(call)
                preflight = asyncio.ensure_future(self._preflight(call))
                if waiting and not (await asyncio.wait({preflight}, timeout=HOOK_PATIENCE))[0]:
                    start_waiting()
                ready = await preflight
                if isinstance(ready, Outcome):
                    await self._settle(call, ready)
                    outcomes[index] = ready
                else:
                    waiting.append((index, ready))
            start_waiting()
        finally:
            # Also when preflight fails or is cancelled: what was started ends before the batch does.
            for _, approved in waiting:
                approved.give_up()
            if started:
                await asyncio.wait(started)
        for task in started:
            task.result()
        done = [outcome for outcome in outcomes if outcome is not None]
        for call, outcome in zip(calls, done, strict=True):
            await self._record(call, outcome)
        return done

    async def _preflight(self, call: ToolCall) -> ApprovedCall | Outcome:
        """Find, prepare, validate, ask the hook, reserve. An outcome means that the call does not run."""
        if self.run.signal.aborted:
            return Outcome.aborted(self.run.signal.reason)
        tool = self.tools.get(call.name)
        if tool is None:
            known = ", ".join(self.tools) or "none"
            return Outcome.failed(f"There is no tool named {call.name!r}. Available: {known}.")
        if call.arguments_error is not None:
            return Outcome.failed(call.arguments_error)
        try:
            arguments = validated(tool, tool.prepare_arguments(dict(call.arguments)))
            hook = self.run.config.hooks.before_tool_call
            if hook is not None:
                verdict = await hook(BeforeToolCall(self.reply, call, arguments, self.run.view))
                if self.run.signal.aborted:
                    return Outcome.aborted(self.run.signal.reason)
                if verdict is not None and verdict.block:
                    reason = verdict.reason or f"The call of {call.name} was not allowed."
                    return Outcome.failed(reason, terminate=verdict.terminate)
                if verdict is not None and verdict.arguments is not None:
                    arguments = validated(tool, verdict.arguments)
            return ApprovedCall(self.reply, call, tool, arguments, tool.reserve(arguments))
        except InvalidArguments as error:
            return Outcome.failed(str(error))
        except Exception as error:
            return Outcome.failed(str(error) or type(error).__name__)

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
        message = result_message(call, outcome.result, outcome.is_error, outcome.duration_ms)
        self.messages.append(message)
        await self.run.end_message(message)


def result_message(call: ToolCall, result: ToolResult, is_error: bool, duration_ms: int | None) -> ToolResultMessage:
    """Return the transcript message of a result; empty details are left out as pi does."""
    return ToolResultMessage(
        tool_call_id=call.id,
        tool_name=call.name,
        content=result.content,
        details=result.details or None,
        is_error=is_error,
        usage=result.usage,
        duration_ms=duration_ms,
    )
