"""The agent loop: turns until nothing is left to do.

A turn is one model request and all tool work it asks for. The inner loop runs turns while tool results or steering
messages wait for the model; the outer one starts over when follow-ups, or messages of a hook, wait at the point where
the run would end.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.agent.events import StopCause
from core.agent.guard import Interrupted
from core.agent.hooks import FinishedTurn
from core.agent.pipeline import Batch, run_tool_calls
from core.agent.request import request_reply
from core.agent.run import Run
from core.ai.messages import AgentMessage, AssistantMessage, ToolResultMessage


class HookFailed(Exception):
    """A hook between turns raised. The transcript is whole; the run ends."""

    def __init__(self, hook: str, error: Exception) -> None:
        super().__init__(f"{type(error).__name__}: {error}")
        self.hook = hook


async def run_loop(run: Run, prompts: Sequence[AgentMessage], *, poll_first: bool = True) -> StopCause:
    """Run turns from `prompts` on and return why the run ended.

    Events are paired whatever happens: each start has its end, and the last event is agent_end. `poll_first` is False
    when the prompts themselves were drained from the steering queue. A failing barrier or hook ends the run with the
    cause `error` and a `fault` event.
    """
    cause: StopCause = "error"
    try:
        await run.begin()
        await run.begin_turn()
        for prompt in prompts:
            await run.end_message(prompt)
        cause = await _turns(run, poll_first)
    except HookFailed as error:
        await run.fault(f"hook {error.hook}", str(error))
    finally:
        cause = await run.end(cause)
    return cause


async def _turns(run: Run, poll_first: bool) -> StopCause:
    pending = run.claim_steering() if poll_first else 0
    batch = Batch()
    answer_due = True  # the prompt waits for an answer, as tool results do
    while True:
        while answer_due or pending:
            if not run.turn_open:
                if limit := run.limits.reached(run.turns, new_input=bool(pending)):
                    return limit
                await _prepare_next_turn(run)
                run.claim_steering()
                await run.begin_turn()
            await run.inject()
            reply = await request_reply(run)
            if reply.stop_reason in ("error", "aborted"):
                await _finish_turn(run, reply, ())
                return "aborted" if reply.stop_reason == "aborted" else "error"
            batch = await run_tool_calls(run, reply)
            if await _finish_turn(run, reply, batch.results):
                return "stopped"
            answer_due = batch.continues
            pending = run.claim_steering()
        pending = run.claim_follow_up() or run.carries
        if not pending:
            return "terminated" if batch.terminated else "finished"


async def _finish_turn(run: Run, reply: AssistantMessage, results: tuple[ToolResultMessage, ...]) -> bool:
    """End the turn and return whether the hook stops the run; it may give the model more to answer instead."""
    hook = run.config.hooks.finish_turn
    stop = False
    try:
        decision = None if hook is None else await run.ask(hook(FinishedTurn(reply, results, run.view)))
        if decision is not None:
            run.carry(decision.continue_with)
            stop = decision.stop
    except Exception as error:
        if not _cut_short(run, error):
            raise HookFailed("finish_turn", error) from error
    finally:
        await run.end_turn(reply, results)
    run.limits.turn_done(reply, results)
    return stop


async def _prepare_next_turn(run: Run) -> None:
    """Let the hook change what the next turn works with; not after an abort."""
    hook = run.config.hooks.prepare_next_turn
    if hook is None or run.signal.aborted:
        return
    try:
        run.apply(await run.ask(hook(run.view)))
    except Exception as error:
        if not _cut_short(run, error):
            raise HookFailed("prepare_next_turn", error) from error


def _cut_short(run: Run, error: Exception) -> bool:
    """True when the hook did not fail but was cancelled because the run was aborted."""
    return isinstance(error, Interrupted) and run.signal.aborted
