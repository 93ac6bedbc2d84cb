"""Looking at processes from tests, by pid and by a mark in their command line."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path


def running(pid: int) -> bool:
    """Tell whether a process is there and no zombie."""
    try:
        os.kill(pid, 0)
        stat = Path(f"/proc/{pid}/stat")
        return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (ProcessLookupError, FileNotFoundError):
        return False


def marked(mark: str) -> list[int]:
    """Return the pids of processes that have `mark` in their command line."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if mark.encode() in (entry / "cmdline").read_bytes().replace(b"\0", b" ") and running(int(entry.name)):
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


async def until(condition: Callable[[], object], seconds: float = 10) -> None:
    """Return once `condition`, which is looked at in a thread, holds; fail after `seconds`."""

    def wait() -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, "what was waited for did not happen"
            time.sleep(0.01)

    await asyncio.to_thread(wait)


def end(pid: int) -> None:
    """Kill a process if it is there."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
