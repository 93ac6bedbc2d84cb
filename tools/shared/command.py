"""Running one shell command from start to result: abort, timeout, live view, what is left in the background."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from core.ai.abort import AbortSignal
from tools.shared import process
from tools.shared.output import CommandOutput, OutputView
from tools.shared.process import Process, Survivor
from tools.shared.workers import Workers

ABORT_GRACE = 0.2
TIMEOUT_GRACE = 2.0
"""Seconds between SIGTERM and SIGKILL. After an abort, short enough that the result with the output so far is there
before the run's own grace period is over; after a timeout longer, so that a build can remove its locks."""

UPDATE_INTERVAL = 0.1
DRAIN_IDLE = 0.2
DRAIN_LIMIT = 2.0
"""Seconds that output is waited for after the shell has ended: until this long none came, and at most that long."""

ANSWER_LIMIT = 6.5
"""Seconds after which a supervisor that does not end is killed; it gives up on processes after 5 itself."""


LAST_WORDS = 0.4
"""Seconds that a call may still take when it is cancelled after an abort."""

Ending: TypeAlias = Literal["ended", "aborted", "timeout"]


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a command went. `status` is the shell's, 128+n for signal n, None when it was still running.

    `how` tells whether it ended by itself. `background` is what it left running, `stuck` what could not be killed.
    """

    how: Ending
    status: int | None
    output: OutputView
    background: tuple[Survivor, ...]
    stuck: tuple[Survivor, ...]
    seconds: float


async def run_command(
    command: str,
    *,
    shell: str,
    cwd: str,
    environment: Mapping[str, str],
    timeout: float | None,
    signal: AbortSignal,
    workers: Workers,
    directory: str,
    on_view: Callable[[OutputView], None],
) -> CommandResult:
    """Run `command` and return how it went; raises ToolError when it could not be started.

    `directory` is for the file of a long output. `on_view` is called in this event loop with what there is to see, at
    most ten times a second, and once more before the result. Cancelling kills the command; after an abort the
    result is returned all the same, if it is there soon.
    """
    loop = asyncio.get_running_loop()
    output = CommandOutput(directory)
    live = _LiveView(output, on_view, loop)

    def take(data: bytes) -> None:
        output.feed(data)
        live.touch()

    running: list[Process] = []

    def start() -> None:
        running.append(process.start(shell, command, cwd, environment, take, loop))
        running[0].begin()

    began = time.monotonic()
    try:
        await workers.run_to_end(start)
        return await _follow(running[0], output, live, signal, timeout, began)
    except asyncio.CancelledError:
        for child in running:
            child.stop(0)
        # After an abort, this is how the run enforces it: what there is of the output is still worth a result.
        if not signal.aborted or not running or not await running[0].until(lambda: running[0].gone, LAST_WORDS):
            raise
        return _result("aborted", running[0], output, began)
    finally:
        live.end()


async def _follow(
    child: Process, output: CommandOutput, live: _LiveView, signal: AbortSignal, timeout: float | None, began: float
) -> CommandResult:
    how: Ending = "ended"
    unregister = signal.on_abort(lambda: child.stop(ABORT_GRACE))
    try:
        left = None if timeout is None else timeout - (time.monotonic() - began)
        in_time = await child.until(lambda: child.status is not None or child.failure is not None, left)
        if child.failure is not None:
            raise child.failure
        if not in_time:
            how = "timeout"
            child.stop(TIMEOUT_GRACE)
            await _end(child, TIMEOUT_GRACE)
        await child.drain(DRAIN_IDLE, DRAIN_LIMIT)
        if signal.aborted:
            how = "aborted" if how == "ended" else how
            await _end(child, ABORT_GRACE)
        background = [] if child.alone or how != "ended" else await child.list_survivors(1.0)
    finally:
        unregister()
    result = _result(how, child, output, began, background)
    live.end(result.output)
    return result


def _result(
    how: Ending, child: Process, output: CommandOutput, began: float, background: Sequence[Survivor] = ()
) -> CommandResult:
    seconds = time.monotonic() - began
    return CommandResult(how, child.status, output.finish(), tuple(background), tuple(child.stuck), seconds)


async def _end(child: Process, grace: float) -> None:
    """Wait until a stopped command has ended with all that it started, by force in the end."""
    if not await child.until(lambda: child.gone or bool(child.stuck), grace + ANSWER_LIMIT):
        child.kill()
        await child.until(lambda: child.gone, 1.0)


class _LiveView:
    """Shows the output while it grows: at once, and then at most once in `UPDATE_INTERVAL`."""

    def __init__(
        self, output: CommandOutput, show: Callable[[OutputView], None], loop: asyncio.AbstractEventLoop
    ) -> None:
        self._output = output
        self._show = show
        self._loop = loop
        self._announced = False
        self._ended = False
        self._timer: asyncio.TimerHandle | None = None
        self._shown_at = 0.0

    def touch(self) -> None:
        """Tell, from any thread, that there is more to see."""
        if self._announced or self._ended:
            return
        self._announced = True
        try:
            self._loop.call_soon_threadsafe(self._schedule)
        except RuntimeError:
            # The loop is closed: nobody looks any more.
            self._ended = True

    def end(self, view: OutputView | None = None) -> None:
        """Show nothing any more after `view`."""
        if view is not None and not self._ended:
            self._show(view)
        self._ended = True
        if self._timer is not None:
            self._timer.cancel()

    def _schedule(self) -> None:
        if self._ended:
            return
        wait = self._shown_at + UPDATE_INTERVAL - self._loop.time()
        if wait <= 0:
            self._update()
        else:
            self._timer = self._loop.call_later(wait, self._update)

    def _update(self) -> None:
        if self._ended:
            return
        self._announced = False
        self._shown_at = self._loop.time()
        self._show(self._output.view())
