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


def command_of(pid: int) -> str:
    """Return the arguments of a process, each behind the other with a NUL between them; empty when it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text("utf-8", "replace").rstrip("\0")
    except OSError:
        return ""


def parent_of(pid: int) -> int:
    """Return the parent's pid."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def marked(mark: str) -> list[int]:
    """Return the pids of other processes that have `mark` in their command line, with blanks between its arguments."""
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in pids if mark in command_of(pid).replace("\0", " ") and pid != os.getpid() and running(pid)]


def working_in(directory: Path) -> set[int]:
    """Return the processes whose working directory this is: all that a command started, whatever they escaped from."""
    found: set[int] = set()
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.readlink(entry / "cwd") == str(directory) and running(int(entry.name)):
                found.add(int(entry.name))
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
