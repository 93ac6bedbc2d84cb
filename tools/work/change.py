"""A call that changes a file: run to its end whatever happens, and reported as what it was."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from core.agent.tools import ToolInvocation, ToolResult
from core.ai.wire import Json
from tools.shared.workers import Workers

FINISHED_AFTER_ABORT = "[The run was aborted while this went on; it was finished.]"


@dataclass(frozen=True, slots=True)
class Changed:
    """What a change came to: the text for the model and the details for the screen."""

    text: str
    details: Json


async def finished(workers: Workers, call: ToolInvocation, change: Callable[[], Changed]) -> ToolResult:
    """Run `change` in a thread to its end and return its result.

    An abort cannot undo a change that was made, so the result then is that of the change, with a note: an abort shows
    as the signal, and as the cancellation by which the run enforces it. A cancellation for another reason passes, once
    the change has ended.
    """
    done: list[Changed] = []
    try:
        await workers.run_to_end(lambda: done.append(change()))
    except asyncio.CancelledError:
        if not done or not call.signal.aborted:
            raise
    result = done[0]
    text = f"{result.text}\n{FINISHED_AFTER_ABORT}" if call.signal.aborted else result.text
    return ToolResult.text(text, details=result.details)
