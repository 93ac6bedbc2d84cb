"""The early screen: from the first moments of a start it holds the terminal, shows a prompt and takes what is typed.

It imports nothing heavy, so it stands long before Textual is loaded; a thread of its own keeps it alive while the main
thread imports. Once the app's first frame is ready the driver takes over with `hand_over`: the terminal is already ours
then and is not cleared again, and no key is lost, doubled or put in another order. Whoever gives up before that calls
`leave`; signals, a hang-up and Ctrl+C on an empty prompt restore the terminal and end the process from here.
"""

import contextlib
import os
import select
import signal
import termios
import threading
import time
from types import FrameType
from typing import Any, Final, NamedTuple

from pi_tui.term import modes
from pi_tui.term.early_frame import EarlyFrame
from pi_tui.term.output import write_all
from pi_tui.term.type_ahead import TypeAhead

LOOK_EVERY: Final = 0.1
"""Seconds after which the terminal's size is looked at again."""
PATIENCE: Final = 0.2
"""Seconds the terminal has to take a picture, and to give answers that would otherwise be typed into the shell."""

_INPUT, _OUTPUT = 0, 1
_ENDING: Final = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class HandOver(NamedTuple):
    """What the next owner of the terminal is given: the text so far, and input that no one has looked at yet."""

    text: str
    pending: bytes


class EarlyScreen:
    """Takes the terminal on stdin and stdout; raises `termios.error` when there is none."""

    def __init__(self, header: str, placeholder: str) -> None:
        self.attributes: list[Any] = termios.tcgetattr(_INPUT)
        """The terminal's attributes as they were; whoever leaves the screen last puts them back."""
        self._frame = EarlyFrame(header, placeholder)
        self._typed = TypeAhead()
        self._drawn: tuple[int, int, str] | None = None
        self._stopping = False
        self._drawing = threading.Lock()
        self._owned = threading.Lock()
        """Taken once and never given back: by the one who leaves the screen or takes it over."""
        self._wake = os.pipe()
        self._handlers = {number: signal.signal(number, self._on_signal) for number in _ENDING}
        termios.tcsetattr(_INPUT, termios.TCSANOW, modes.raw(self.attributes))
        write_all(_OUTPUT, (modes.SCREEN_ON + self._picture() + modes.QUERY).encode(), PATIENCE)
        self._thread = threading.Thread(target=self._run, name="early-screen", daemon=True)
        self._thread.start()

    def take_answers(self) -> str:
        """Return what the terminal has answered to `modes.QUERY` since the last call."""
        return self._typed.take_answers()

    def hand_over(self) -> HandOver | None:
        """End the early screen and leave the terminal as it is. None when someone was faster."""
        if not self._owned.acquire(blocking=False):
            return None
        self._stop()
        return HandOver(self._typed.text, self._typed.take_answers().encode() + self._typed.pending)

    def leave(self, *, hurry: bool = False) -> None:
        """Put the terminal in order, unless that was done or it was handed over. With `hurry` nothing is waited for."""
        if not self._owned.acquire(blocking=False):
            return
        if hurry:
            self._stopping = True
            self._drawing.acquire(timeout=PATIENCE)  # a picture that is being written comes before the way back
        else:
            self._stop()
            for number, handler in self._handlers.items():
                signal.signal(number, handler)
            self._wait_for_answers()
        self._restore()

    # --- the thread

    def _run(self) -> None:
        """Read, edit and draw until stopped."""
        while not self._stopping:
            ready, _, _ = select.select([_INPUT, self._wake[0]], [], [], self._timeout())
            if self._stopping:
                return  # what there is to read is for who comes after us
            if _INPUT not in ready:
                self._typed.tick()
            elif data := read():
                self._typed.feed(data)
            else:
                self._end(128 + signal.SIGHUP)
                return
            if self._typed.exit_code is not None:
                self._end(self._typed.exit_code)
                return
            with self._drawing:
                if not self._stopping:
                    write_all(_OUTPUT, self._picture().encode(errors="replace"), PATIENCE)

    def _timeout(self) -> float:
        due = self._typed.timeout
        return LOOK_EVERY if due is None else min(LOOK_EVERY, due)

    def _picture(self) -> str:
        try:
            columns, rows = os.get_terminal_size(_OUTPUT)
        except OSError:
            columns, rows = 0, 0
        now = (columns or 80, rows or 24, self._typed.text)
        if now == self._drawn:
            return ""
        self._drawn = now
        return self._frame.paint(*now)

    # --- ends

    def _stop(self) -> None:
        """End the thread. One that the terminal holds up is not waited for: it will look at nothing any more."""
        self._stopping = True
        os.write(self._wake[1], b"x")
        self._thread.join(2 * PATIENCE)
        if not self._thread.is_alive():
            os.close(self._wake[0])
            os.close(self._wake[1])

    def _end(self, code: int) -> None:
        """Restore the terminal and end the process, from the thread: nothing was begun that would have to be finished.

        Returns when the screen is being left or taken over at this very moment.
        """
        if self._owned.acquire(blocking=False):
            self._wait_for_answers()
            self._restore()
            os._exit(code)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        self.leave(hurry=True)
        os._exit(128 + number)

    def _wait_for_answers(self) -> None:
        end = time.monotonic() + PATIENCE
        while not self._typed.answered and select.select([_INPUT], [], [], max(0.0, end - time.monotonic()))[0]:
            if not (data := read()):
                return
            self._typed.feed(data)

    def _restore(self) -> None:
        write_all(_OUTPUT, modes.RESET.encode(), PATIENCE)
        with contextlib.suppress(termios.error):  # the terminal is gone
            termios.tcflush(_INPUT, termios.TCIFLUSH)
            termios.tcsetattr(_INPUT, termios.TCSANOW, self.attributes)


def read() -> bytes:
    """Read what there is on the terminal; b"" when it is gone."""
    try:
        return os.read(_INPUT, 1 << 16)
    except OSError:
        return b""


_screen: EarlyScreen | None = None
"""A process has one terminal. The driver is made by Textual, so nobody could pass it along."""


def start(header: str, placeholder: str) -> None:
    """Show the early screen if it is not shown yet. The terminal is on stdin and stdout."""
    global _screen
    if _screen is None:
        _screen = EarlyScreen(header, placeholder)


def current() -> EarlyScreen | None:
    """Return the early screen, None when this process has shown none."""
    return _screen
