"""The agent loop: turns until nothing is left to do.

A turn is one model request and all tool work it asks for. The inner loop runs turns while tool results or steering
messages wait for the model; the outer one starts over when follow-ups wait at the point where the run would end.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.agent.dispatcher import BarrierFailed
from core.agent.events import StopCause
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
    except BarrierFailed as error:
        await run.fault("barrier", str(error))
    finally:
        await run.end("aborted" if run.signal.aborted else cause)
    return cause


async def _turns(run: Run, poll_first: bool) -> StopCause:
    claimed = run.claim_steering() if poll_first else 0
    batch = Batch()
    tools_continue = True  # the prompt waits for an answer as tool results do
    while True:
        while tools_continue or claimed:
            if not run.turn_open:
                await _prepare_next_turn(run)
                claimed = claimed or run.claim_steering()
                await run.begin_turn()
            await run.inject()
            reply = await request_reply(run)
            if reply.stop_reason in ("error", "aborted"):
                await _finish_turn(run, reply, ())
                return "aborted" if reply.stop_reason == "aborted" else "error"
            batch = await run_tool_calls(run, reply)
            stop, asked = await _finish_turn(run, reply, batch.results)
            if stop:
                return "stopped"
            tools_continue = batch.tools_continue or asked
            claimed = run.claim_steering()
        claimed = run.claim_follow_up()
        if not claimed:
            return "terminated" if batch.terminated else "finished"


async def _finish_turn(run: Run, reply: AssistantMessage, results: tuple[ToolResultMessage, ...]) -> tuple[bool, bool]:
    """End the turn; return whether the hook stops the run, and whether it gave the model something more to answer."""
    hook = run.config.hooks.finish_turn
    decision = None
    try:
        if hook is not None:
            decision = await hook(FinishedTurn(reply, results, run.view))
    except Exception as error:
        raise HookFailed("finish_turn", error) from error
    finally:
        await run.end_turn(reply, results)
    if decision is None:
        return False, False
    run.carry(decision.continue_with)
    return decision.stop, bool(decision.continue_with)


async def _prepare_next_turn(run: Run) -> None:
    hook = run.config.hooks.prepare_next_turn
    if hook is None or run.signal.aborted:
        return
    try:
        run.apply(await hook(run.view))
    except Exception as error:
        raise HookFailed("prepare_next_turn", error) from error
