"""One approved tool call: wait for its turn, run it, stop it on abort, let the after-hook look at the result."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from core.agent.events import ToolExecutionUpdate
from core.agent.hooks import AfterToolCall
from core.agent.run import Run
from core.agent.tools import AgentTool, Reservation, ToolInvocation, ToolResult
from core.ai.messages import AssistantMessage, ToolCall
from core.ai.wire import Json

CANCEL_PATIENCE = 0.5
"""Seconds a cancelled tool may take to come to rest before the run goes on without it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call settled. `duration_ms` is None when the tool never ran."""

    result: ToolResult
    is_error: bool
    duration_ms: int | None = None

    @classmethod
    def failed(cls, text: str, *, terminate: bool = False) -> Outcome:
        """An error the model reads; the tool did not run."""
        result = ToolResult(content=ToolResult.text(text).content, terminate=terminate or None)
        return cls(result, is_error=True)

    @classmethod
    def aborted(cls, reason: str) -> Outcome:
        """The run was aborted before the call could run."""
        return cls.failed(f"{reason}: the call was not run.")


@dataclass(frozen=True, slots=True)
class ApprovedCall:
    """A call that passed preflight and holds its place in the queue for what it touches."""

    reply: AssistantMessage
    call: ToolCall
    tool: AgentTool
    arguments: dict[str, Json]
    reservation: Reservation | None

    def give_up(self) -> None:
        """Leave the queue without running."""
        if self.reservation is not None:
            self.reservation.release()


async def execute(run: Run, approved: ApprovedCall) -> Outcome:
    """Run the call and return its outcome; raises only when the caller itself is cancelled.

    The reservation is released when the tool's task has really ended, even if the run went on without it.
    """
    work = asyncio.create_task(_work(run, approved), name=f"tool-call-{approved.call.name}")
    work.add_done_callback(lambda _: approved.give_up())
    try:
        finished = await _finished(run, work)
    except asyncio.CancelledError:
        work.cancel()
        await asyncio.wait({work}, timeout=CANCEL_PATIENCE)
        raise
    if not finished:
        text = f"{run.signal.reason}: the call was told to stop and is still finishing."
        return Outcome(ToolResult.error(text), is_error=True)
    if work.cancelled():
        return Outcome(ToolResult.error(run.signal.reason or "The tool was cancelled."), is_error=True)
    return work.result()


async def _finished(run: Run, work: asyncio.Task[Outcome]) -> bool:
    """Wait for the task; after an abort give it a grace period, then cancel it. False when it does not come to rest."""
    if not run.signal.aborted:
        abort = asyncio.create_task(run.signal.wait(), name="abort-watch")
        try:
            await asyncio.wait({work, abort}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            abort.cancel()
            await asyncio.wait({abort})
    if not work.done():
        await asyncio.wait({work}, timeout=run.config.abort_grace)
    if not work.done():
        work.cancel()
        await asyncio.wait({work}, timeout=CANCEL_PATIENCE)
    return work.done()


async def _work(run: Run, approved: ApprovedCall) -> Outcome:
    if not await _acquired(run, approved):
        return Outcome.aborted(run.signal.reason)
    begun = time.monotonic()
    updates = _Updates(run, approved.call)
    try:
        invocation = ToolInvocation(approved.call.id, approved.arguments, run.signal, updates.show)
        returned = await approved.tool.execute(invocation)
        result = _checked(approved, returned)
    except Exception as error:
        result = ToolResult.error(str(error) or type(error).__name__)
    finally:
        updates.settled = True
    elapsed = round((time.monotonic() - begun) * 1000)
    result = await _after_hook(run, approved, result)
    return Outcome(result, is_error=result.is_error is True, duration_ms=elapsed)


async def _acquired(run: Run, approved: ApprovedCall) -> bool:
    """Wait for earlier conflicting calls. False when the run is aborted first: waiters wake at once."""
    if run.signal.aborted:
        return False
    if approved.reservation is None:
        return True
    acquire = asyncio.ensure_future(approved.reservation.acquire())

    def stop() -> None:
        acquire.cancel()

    unregister = run.signal.on_abort(stop)
    try:
        await asyncio.wait({acquire})
    finally:
        unregister()
        acquire.cancel()
    if acquire.cancelled() or run.signal.aborted:
        return False
    acquire.result()
    return True


async def _after_hook(run: Run, approved: ApprovedCall, result: ToolResult) -> ToolResult:
    hook = run.config.hooks.after_tool_call
    if hook is None:
        return result
    look = AfterToolCall(approved.reply, approved.call, approved.arguments, result, result.is_error is True, run.view)
    try:
        override = await hook(look)
    except Exception as error:
        return ToolResult.error(str(error) or type(error).__name__)
    return result if override is None else merged(result, override)


def merged(result: ToolResult, override: ToolResult) -> ToolResult:
    """Return `result` with the fields that `override` sets; new content drops the old structured content."""
    changes = {name: getattr(override, name) for name in override.model_fields_set}
    changes = {name: value for name, value in changes.items() if value is not None}
    if "content" in changes and "structured_content" not in changes:
        changes["structured_content"] = None
    return result.model_copy(update=changes)


def _checked(approved: ApprovedCall, returned: object) -> ToolResult:
    if isinstance(returned, ToolResult):
        return returned
    kind = "nothing" if returned is None else type(returned).__name__
    return ToolResult.error(f"The tool {approved.call.name} returned {kind} instead of a result.")


class _Updates:
    """Turns a tool's partial results into events, from whatever thread they come, until the call has settled."""

    def __init__(self, run: Run, call: ToolCall) -> None:
        self.settled = False
        self._run = run
        self._call = call
        self._loop = asyncio.get_running_loop()

    def show(self, partial: ToolResult) -> None:
        try:
            inside = asyncio.get_running_loop() is self._loop
        except RuntimeError:
            inside = False
        if inside:
            self._post(partial)
        else:
            self._loop.call_soon_threadsafe(self._post, partial)

    def _post(self, partial: ToolResult) -> None:
        if self.settled:
            return
        self._run.dispatcher.post(
            ToolExecutionUpdate(
                tool_call_id=self._call.id,
                tool_name=self._call.name,
                args=self._call.arguments,
                partial_result=partial,
            )
        )
