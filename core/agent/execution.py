"""One approved tool call: wait for its turn, run it, stop it on abort, let the after-hook look at the result."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from core.agent.events import ToolExecutionUpdate
from core.agent.guard import Interrupted, at_rest, guarded
from core.agent.hooks import AfterToolCall
from core.agent.preflight import ApprovedCall, Outcome, preflight, read_only
from core.agent.run import Run
from core.agent.tools import ToolInvocation, ToolResult
from core.ai.messages import ToolCall
from core.ai.wire import Json, json_line, wire_value

RECORDED_BYTES = 4_096
"""Bytes of the arguments, or characters of the error, of a nested call that its record holds."""


async def execute(run: Run, approved: ApprovedCall) -> Outcome:
    """Run the call and return its outcome; raises only when the caller itself is cancelled.

    The reservation is held until the after-hook is done and the tool's task has really ended, even if the run went on
    without it.
    """
    execution = _Execution(run, approved)
    work = asyncio.create_task(execution.work(), name=f"tool-call-{approved.call.name}")
    try:
        rested = await at_rest(work, run.signal, run.config.limits.abort_grace)
        execution.settled = True
        elapsed = execution.elapsed_ms
        result = _result(run, approved, work) if rested else _unfinished(run)
        if elapsed is None and run.signal.aborted:
            return Outcome.aborted(run.signal.reason)
        if elapsed is not None:
            result = await _after_hook(run, approved, result)
        return Outcome(result, result.is_error is True, elapsed, execution.nested.to_wire())
    finally:
        execution.settled = True
        work.add_done_callback(lambda _: approved.give_up())


class _Execution:
    """The tool's own task: how long it ran, and its partial results as events until the call has settled."""

    def __init__(self, run: Run, approved: ApprovedCall) -> None:
        self.settled = False
        self._run = run
        self._approved = approved
        self._loop = asyncio.get_running_loop()
        self._begun: float | None = None
        self._ended: float | None = None
        self.nested = _NestedCalls(run, approved)

    @property
    def elapsed_ms(self) -> int | None:
        """Milliseconds the tool has run, None when it never did."""
        return None if self._begun is None else round(((self._ended or time.monotonic()) - self._begun) * 1000)

    async def work(self) -> ToolResult:
        """Wait for earlier conflicting calls, which an abort ends at once; then run the tool."""
        approved, signal = self._approved, self._run.signal
        if approved.reservation is not None:
            await guarded(approved.reservation.acquire(), signal, grace=0)
        if signal.aborted:
            raise Interrupted(signal.reason)
        self._begun = time.monotonic()
        try:
            arguments = wire_value(approved.arguments)
            call = ToolInvocation(approved.call.id, arguments, signal, self.show, self.nested.run)
            return await approved.tool.execute(call)
        finally:
            self._ended = time.monotonic()

    def show(self, partial: ToolResult) -> None:
        """Tell of a partial result, from whatever thread it comes; not of a nested call, nor once this has settled."""
        if self.settled or self._approved.parent is not None:
            return
        call = self._approved.call
        event = ToolExecutionUpdate(
            tool_call_id=call.id, tool_name=call.name, args=call.arguments, partial_result=partial
        )
        try:
            inside = asyncio.get_running_loop() is self._loop
        except RuntimeError:
            inside = False
        if inside:
            self._post(event)
        else:
            self._loop.call_soon_threadsafe(self._post, event)

    def _post(self, event: ToolExecutionUpdate) -> None:
        if not self.settled:
            self._run.dispatcher.post(event)


class _NestedCalls:
    """The calls that a tool makes itself, and their record on its result message."""

    def __init__(self, run: Run, parent: ApprovedCall) -> None:
        self._run = run
        self._parent = parent
        self._records: list[dict[str, Json]] = []

    async def run(self, name: str, arguments: Mapping[str, Json]) -> ToolResult:
        """Run another tool for this call; see `ToolInvocation.run_tool_call`."""
        call_id = f"{self._parent.call.id}/{len(self._records) + 1}"
        record: dict[str, Json] = {"id": call_id, "name": name}
        self._records.append(record)
        try:
            call = ToolCall(id=call_id, name=name, arguments=wire_value(dict(arguments)))
            size = len(json_line(call.arguments))
            record.update({"arguments": call.arguments} if size <= RECORDED_BYTES else {"argumentsBytes": size})
            record["status"] = "unfinished"
            tools = {tool.name: tool for tool in self._run.config.tools}
            ready = await preflight(self._run, self._parent.reply, tools, call, self._parent)
            outcome = ready if isinstance(ready, Outcome) else await execute(self._run, ready)
        except Exception as error:  # arguments that are no JSON
            outcome = Outcome.failed(str(error))
        record["status"] = "error" if outcome.is_error else "ok"
        if outcome.duration_ms is not None:
            record["durationMs"] = outcome.duration_ms
        if outcome.is_error:
            record["error"] = outcome.result.plain_text[:RECORDED_BYTES]
        return outcome.result.model_copy(update={"is_error": outcome.is_error})

    def to_wire(self) -> Json:
        """Return the record as pi writes it, None without calls."""
        if not self._records:
            return None
        return {
            "calls": [dict(record) for record in self._records],
            "complete": all(record["status"] != "unfinished" for record in self._records),
        }


def _result(run: Run, approved: ApprovedCall, work: asyncio.Task[ToolResult]) -> ToolResult:
    """Return what the tool returned, or the error result of what it raised."""
    if work.cancelled():
        return ToolResult.error(run.signal.reason or "The tool was cancelled.", details={})
    error = work.exception()
    if error is not None:
        return ToolResult.error(str(error) or type(error).__name__, details={})
    return _checked(approved, work.result())


def _unfinished(run: Run) -> ToolResult:
    return ToolResult.error(f"{run.signal.reason}: the call was told to stop and is still finishing.")


async def _after_hook(run: Run, approved: ApprovedCall, result: ToolResult) -> ToolResult:
    hook = run.config.hooks.after_tool_call
    if hook is None:
        return result
    arguments = read_only(approved.arguments)
    look = AfterToolCall(approved.reply, approved.call, arguments, result, result.is_error is True, run.view)
    try:
        override = await run.ask(hook(look))
        return result if override is None else merged(result, _checked(approved, override))
    except Exception as error:
        if isinstance(error, Interrupted) and run.signal.aborted:
            return result
        return ToolResult.error(str(error) or type(error).__name__, details={})


def merged(result: ToolResult, override: ToolResult) -> ToolResult:
    """Return `result` with the fields that `override` sets; new content drops the old structured content."""
    changes = {name: getattr(override, name) for name in override.model_fields_set}
    changes = {name: value for name, value in changes.items() if value is not None}
    if "content" in changes and "structured_content" not in changes:
        changes["structured_content"] = None
    return result.model_copy(update=changes)


def _checked(approved: ApprovedCall, returned: object) -> ToolResult:
    """Return a result that can be stored and shown, or the error result that says why this is none."""
    if not isinstance(returned, ToolResult):
        kind = "nothing" if returned is None else type(returned).__name__
        return ToolResult.error(f"The tool {approved.call.name} returned {kind} instead of a result.")
    try:
        returned.to_wire()
    except (TypeError, RecursionError) as error:
        return ToolResult.error(f"The result of the tool {approved.call.name} is not JSON data: {error}")
    return returned
