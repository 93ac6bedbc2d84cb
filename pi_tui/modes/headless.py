"""What print and JSON mode share: a clean standard output, signals, and the end of the session."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from typing import BinaryIO

from core.ai.messages import AssistantMessage
from pi_tui.conductor import Conductor
from pi_tui.errors import StartError
from pi_tui.options import Options
from pi_tui.term.safe import safe_text
from pi_tui.wiring import wire

Prompts = Callable[[Conductor, BinaryIO], Awaitable[int]]

READER_GONE = 141
"""128 + SIGPIPE: what a shell reports for a program whose reader went away."""

SIGNALS = {signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGINT: 130}
"""Signals that end a headless run, and the exit codes that say so."""


def run_headless(options: Options, prompts: Prompts) -> int:
    """Compose, run `prompts(conductor, stdout)`, save; returns the exit code.

    Only what `prompts` writes reaches standard output: everything else that prints (libraries, warnings, child
    processes) goes to standard error. `prompts` may raise the OSError of a standard output that takes nothing.
    """
    try:
        wired = wire(options, demo_without_model=False)
    except StartError as error:
        return complain(str(error))
    for notice in wired.notices:
        complain(f"Warning: {notice}")
    try:
        with open(os.dup(1), "wb") as stdout:
            os.dup2(2, 1)
            return asyncio.run(_drive(wired.conductor, prompts, stdout))
    except BrokenPipeError:
        return READER_GONE
    except OSError as error:
        return complain(f"Standard output cannot be written: {error}")


async def _drive(conductor: Conductor, prompts: Prompts, stdout: BinaryIO) -> int:
    loop = asyncio.get_running_loop()
    work = asyncio.ensure_future(prompts(conductor, stdout))
    signalled: list[int] = []

    def stop(code: int) -> None:
        if signalled:
            os._exit(code)  # the second signal does not wait for anything
        signalled.append(code)
        work.cancel()

    for number, code in SIGNALS.items():
        loop.add_signal_handler(number, stop, code)
    try:
        await asyncio.wait({work})
        await conductor.close()
    except OSError as error:
        complain(f"The session could not be saved: {error}")
        return 1
    finally:
        for number in SIGNALS:
            loop.remove_signal_handler(number)
    if signalled:
        return signalled[0]
    return work.result()


def failure_of(conductor: Conductor) -> str | None:
    """Return why the last run counts as failed, None when it does not."""
    reply = conductor.last_reply()
    if isinstance(reply, AssistantMessage) and reply.stop_reason in ("error", "aborted"):
        return reply.error_message or f"The run was {reply.stop_reason}"
    return None


def complain(text: str) -> int:
    """Write one line to standard error and return exit code 1."""
    print(safe_text(text), file=sys.stderr, flush=True)
    return 1
