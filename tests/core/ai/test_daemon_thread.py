"""Work beside the event loop that the end of the process does not wait for."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time

import pytest

from core.ai.daemon_thread import in_daemon_thread


async def test_the_loop_goes_on_and_the_caller_waits() -> None:
    go, steps = threading.Event(), list[str]()

    async def other() -> None:
        steps.append("loop")
        go.set()

    async with asyncio.TaskGroup() as group:
        work = group.create_task(in_daemon_thread(lambda: (go.wait(10), steps.append("work"))))
        group.create_task(other())
        await work
        steps.append("caller")
    assert steps == ["loop", "work", "caller"]


async def test_errors_reach_the_caller() -> None:
    def fail() -> None:
        raise LookupError("not there")

    with pytest.raises(LookupError, match="not there"):
        await in_daemon_thread(fail)


async def test_a_cancelled_caller_leaves_the_thread_to_itself() -> None:
    go, done = threading.Event(), threading.Event()
    task = asyncio.create_task(in_daemon_thread(lambda: (go.wait(10), done.set())))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go.set()
    assert await asyncio.to_thread(done.wait, 10)


def test_a_process_that_ends_does_not_wait() -> None:
    code = (
        "import asyncio, time\n"
        "from core.ai.daemon_thread import in_daemon_thread\n"
        "async def main():\n"
        "    task = asyncio.ensure_future(in_daemon_thread(lambda: time.sleep(60)))\n"
        "    await asyncio.sleep(0.01)\n"
        "asyncio.run(main())"
    )
    begun = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True)
    assert time.monotonic() - begun < 20
    assert done.stderr == ""
