"""The output queue: bytes to the terminal, written by a thread of its own, so that a slow terminal holds nobody up."""

import os
import select
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Final

_FRAME: Final = object()
_STOP: Final = object()


class OutputQueue:
    """Text handed to `write` reaches the file descriptor in order; no call ever waits for the terminal.

    `end_frame` marks the end of one paint; `depth` counts the paints that the terminal has not taken yet. `on_taken` is
    called on the writing thread each time a paint has been taken. A descriptor that fails (the terminal is gone) makes
    the queue swallow all further text.
    """

    def __init__(self, fd: int, on_taken: Callable[[], None] | None = None) -> None:
        self._fd = fd
        self._on_taken = on_taken
        # SimpleQueue.put never blocks and may be interrupted by a signal handler that puts as well
        self._queue: SimpleQueue[object] = SimpleQueue()
        self._frames_in = 0
        self._frames_out = 0
        self._open = False
        self._broken = False
        self._thread = threading.Thread(target=self._run, name="terminal-output", daemon=True)
        self._thread.start()

    @property
    def depth(self) -> int:
        """Paints handed over and not yet taken by the terminal."""
        return self._frames_in - self._frames_out

    def write(self, text: str) -> None:
        """Queue `text`. Lone surrogates go out as `?`."""
        if text:
            self._open = True
            self._queue.put(text)

    def end_frame(self) -> None:
        """What was written since the last call is one paint. Without anything written, nothing."""
        if self._open:
            self._open = False
            self._frames_in += 1
            self._queue.put(_FRAME)

    def close(self, timeout: float) -> bool:
        """Write what is queued and end the thread. False when the terminal did not take it all in `timeout` seconds."""
        self._queue.put(_STOP)
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        get, pending = self._queue.get, list[str]()
        while True:
            item = get()
            if isinstance(item, str):
                pending.append(item)
                if not self._queue.empty():
                    continue
            data = "".join(pending)
            pending.clear()
            if data and not self._broken:
                self._broken = not write_all(self._fd, data.encode(errors="replace"))
            if item is _STOP:
                return
            if item is _FRAME:
                self._frames_out += 1
                if self._on_taken is not None:
                    self._on_taken()


def write_all(fd: int, data: bytes, patience: float | None = None) -> bool:
    """Write all of `data` to the terminal `fd`. False when it is gone, or took nothing for `patience` seconds.

    Copes with a descriptor that another program has switched to non-blocking.
    """
    view = memoryview(data)
    try:
        while view:
            if patience is not None and not select.select([], [fd], [], patience)[1]:
                return False
            try:
                # in pieces, so that a terminal that takes a little is seen to take it
                view = view[os.write(fd, view[:4096] if patience is not None else view) :]
            except BlockingIOError:
                select.select([], [fd], [], patience)
    except (OSError, ValueError):
        return False
    return True
