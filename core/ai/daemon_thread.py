"""Slow imports beside the event loop, in a thread that a process which ends does not wait for.

`asyncio.to_thread` would do, but for the end: asyncio waits for its threads, and an SDK takes seconds to load.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable


async def in_daemon_thread(work: Callable[[], object]) -> None:
    """Run `work` in a thread of its own and wait for it; raises what it raises.

    Cancelling the caller leaves the thread to itself. The work must bear being cut off anywhere, as an import does and
    the writing of a file does not.
    """
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()

    def tell(error: BaseException | None) -> None:
        if ended.done():
            return
        if error is None:
            ended.set_result(None)
        else:
            ended.set_exception(error)

    def run() -> None:
        error = None
        try:
            work()
        except BaseException as raised:
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop has been closed meanwhile
            loop.call_soon_threadsafe(tell, error)

    threading.Thread(target=run, name="background-import", daemon=True).start()
    await ended
