"""Textual's driver for Unix terminals, ours: input in whole strings, output that never waits, and a sure way back.

The terminal is put in order on exit, on an exception, on SIGTERM, SIGHUP and SIGINT, when it hangs up, and on Ctrl+Z
(with `fg` bringing our screen back). Only kill -9 cannot be answered.
"""

import atexit
import contextlib
import os
import select
import signal
import sys
import termios
import threading
from codecs import getincrementaldecoder
from collections.abc import Iterable
from types import FrameType
from typing import Any, Final

from textual import events
from textual.app import App
from textual.driver import Driver
from textual.geometry import Size
from textual.message import Message

from pi_tui.term import early, modes
from pi_tui.term.messages import QueriesAnswered, TerminationRequested
from pi_tui.term.output import OutputQueue, write_all
from pi_tui.term.parser import InputParser

MAX_DEPTH: Final = 2
"""Paints that may be queued before further ones are skipped."""
CLOSE_PATIENCE: Final = 1.0
"""Seconds the terminal has to take what is queued when we leave."""
ANSWER_PATIENCE: Final = 0.1
"""Seconds we wait on leaving for answers that would otherwise be typed into the shell."""
TERMINATION_PATIENCE: Final = 5.0
"""Seconds the app has to end after a signal until the process ends itself."""

_READ_SIZE: Final = 1 << 16
_ENDING: Final = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class TerminalDriver(Driver):
    """Full-screen driver. Chosen by `TerminalApp`; reads from stdin, writes to stdout or, if that is no tty, stderr."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        assert sys.__stdin__ is not None
        assert sys.__stdout__ is not None
        assert sys.__stderr__ is not None
        self._input = sys.__stdin__.fileno()
        out, err = sys.__stdout__.fileno(), sys.__stderr__.fileno()
        self._fd = out if os.isatty(out) or not os.isatty(err) else err
        self._early = early.current()
        self._output: OutputQueue | None = None
        self._reader: threading.Thread | None = None
        self._wake: tuple[int, int] | None = None
        self._attributes: list[Any] | None = None
        self._answered = threading.Event()
        self._repaint_owed = False
        self._title = ""
        self._ending = False
        for signum in _ENDING:
            signal.signal(signum, self._on_ending_signal)
        atexit.register(self._restore_now)

    @property
    def can_suspend(self) -> bool:
        return True

    @property
    def queue_depth(self) -> int:
        """Paints that the terminal has not taken yet. Above `MAX_DEPTH` the app skips paints."""
        return 0 if self._output is None else self._output.depth

    def owe_repaint(self) -> None:
        """A paint was skipped: paint the whole screen as soon as the terminal has caught up."""
        self._repaint_owed = True
        if self.queue_depth == 0:  # it caught up in between
            self._on_taken()

    def set_title(self, title: str) -> None:
        """Set the window title, now and after each suspension. Control characters are taken out of it."""
        self._title = title
        self.write(modes.title_sequence(title))

    def write(self, data: str) -> None:
        """Queue `data` for the terminal. Dropped while we are suspended or have left."""
        if self._output is not None:
            self._output.write(data)

    def flush(self) -> None:
        """Textual calls this at the end of each paint."""
        if self._output is not None:
            self._output.end_frame()

    def start_application_mode(self) -> None:
        self._output = OutputQueue(self._fd, self._on_taken)
        self._answered.clear()
        if self._early is not None:
            self._attributes = self._early.attributes
            self._hand_on(InputParser().feed(self._early.take_answers()))
        else:
            self._make_raw()
            self.write(modes.SCREEN_ON)
            self._begin(b"")
            if os.isatty(self._fd):
                self.write(modes.QUERY)
            else:
                self._answered.set()
        if self._title:
            self.write(modes.title_sequence(self._title))
        self.flush()
        self._loop.add_signal_handler(signal.SIGWINCH, self._send_size)
        self._loop.add_signal_handler(signal.SIGTSTP, self._stop_job)
        self._loop.add_signal_handler(signal.SIGCONT, self._on_continue)
        if self._terminal_size() != self._app.size:  # it knows from the environment or from before a suspension
            self._send_size()

    @property
    def to_be_taken_over(self) -> bool:
        """The early screen still holds the terminal: `take_over` must come before the first paint."""
        return self._early is not None

    def take_over(self) -> str:
        """Take the terminal from the early screen; returns what was typed on it."""
        screen, self._early = self._early, None
        given = None if screen is None else screen.hand_over()
        if given is None:
            return ""
        self._begin(given.pending)
        return given.text

    def _begin(self, pending: bytes) -> None:
        """Read keys, those first that were read before us and not understood."""
        self.write(modes.KEYS_ON + (modes.MOUSE_ON if self._mouse else ""))
        self._start_reading(pending)

    def disable_input(self) -> None:
        """Stop reading. What was typed and not read is thrown away."""
        if self._reader is None or self._wake is None:
            return
        if not self._ending:
            self._answered.wait(ANSWER_PATIENCE)
        reading, waking = self._wake
        os.write(waking, b"x")
        self._reader.join()
        self._reader, self._wake = None, None
        os.close(reading)
        os.close(waking)
        with contextlib.suppress(termios.error):  # not a terminal, or gone
            termios.tcflush(self._input, termios.TCIFLUSH)

    def stop_application_mode(self) -> None:
        if self._output is None:
            return
        self.take_over()
        for signum in (signal.SIGWINCH, signal.SIGTSTP, signal.SIGCONT):
            self._loop.remove_signal_handler(signum)
        self.write(modes.MOUSE_OFF)
        self.flush()
        self.disable_input()
        self.write(modes.LEAVE)
        self.flush()
        self._output.close(CLOSE_PATIENCE)
        self._output = None
        self._make_cooked()

    def suspend_application_mode(self) -> None:
        """Give the terminal to another program. Its Ctrl+C is then not ours to answer."""
        self.stop_application_mode()
        signal.signal(signal.SIGINT, _ignore)

    def resume_application_mode(self) -> None:
        signal.signal(signal.SIGINT, self._on_ending_signal)
        self.start_application_mode()

    def close(self) -> None:
        """Leave for good. Signals and exits are the process's own again, but for one Ctrl+C too many: we are ending."""
        self.stop_application_mode()
        atexit.unregister(self._restore_now)
        for signum in _ENDING:
            signal.signal(signum, _ignore if signum == signal.SIGINT else signal.SIG_DFL)

    def process_message(self, message: Message) -> None:
        if isinstance(message, QueriesAnswered):
            self._answered.set()
        else:
            super().process_message(message)

    # --- input

    def _start_reading(self, pending: bytes) -> None:
        self._wake = os.pipe()
        # a daemon, so that an interpreter that is on its way out does not wait for a key
        self._reader = threading.Thread(
            target=self._read, args=(self._wake[0], pending), name="terminal-input", daemon=True
        )
        self._reader.start()

    def _read(self, wake: int, pending: bytes) -> None:
        """Runs on the input thread until woken: reads, parses, hands over. Sleeps without a timer when idle."""
        parser = InputParser()
        decode = getincrementaldecoder("utf-8")(errors="replace").decode
        if text := decode(pending):
            self._hand_on(parser.feed(text))
        while True:
            ready, _, _ = select.select([self._input, wake], [], [], parser.timeout)
            if wake in ready:
                return
            if ready:
                try:
                    data = os.read(self._input, _READ_SIZE)
                except OSError:
                    data = b""
                if not data:
                    self._app.post_message(TerminationRequested(signal.SIGHUP))
                    return
                found = parser.feed(decode(data))
            else:
                found = parser.tick()
            self._hand_on(found)

    def _hand_on(self, found: Iterable[Message]) -> None:
        for message in found:
            self.process_message(message)

    def _send_size(self) -> None:
        size = self._terminal_size()
        self._app.post_message(events.Resize(size, size))

    def _terminal_size(self) -> Size:
        # not `_size`: the app keeps the size there that it was told last
        try:
            columns, rows = os.get_terminal_size(self._fd)
        except OSError:
            columns, rows = 0, 0
        return Size(columns or 80, rows or 24)

    # --- output

    def _on_taken(self) -> None:
        """A paint was taken (output thread): make up for skipped ones once no more than one is queued."""
        if self._repaint_owed and self.queue_depth <= 1:
            self._repaint_owed = False
            self._app.call_later(self._app.refresh)

    # --- terminal attributes

    def _make_raw(self) -> None:
        try:
            attributes = termios.tcgetattr(self._input)
        except termios.error:
            return  # stdin is not a terminal
        if self._attributes is None:
            self._attributes = [*attributes[:6], [*attributes[6]]]
        termios.tcsetattr(self._input, termios.TCSANOW, modes.raw(attributes))

    def _make_cooked(self) -> None:
        if self._attributes is not None:
            with contextlib.suppress(termios.error):  # the terminal is gone
                termios.tcsetattr(self._input, termios.TCSANOW, self._attributes)
            self._attributes = None

    def _restore_now(self) -> None:
        """Put the terminal in order without the loop, the queue or Textual; for exits that pass all of them by."""
        if self._early is not None:
            self._early.leave(hurry=True)
        elif self._output is not None:
            self._output = None
            write_all(self._fd, modes.RESET.encode(), patience=0.2)
            self._make_cooked()

    # --- signals

    def _on_ending_signal(self, signum: int, _frame: FrameType | None) -> None:
        """First time: ask the app to end, and see that it does. Second time: end at once."""
        if signum == signal.SIGINT and self._app._exit:
            return  # one Ctrl+C too many, after the terminal was given back
        if self._ending:
            self._end_process(signum)
            return
        self._ending = True
        watchdog = threading.Timer(TERMINATION_PATIENCE, self._end_process, (signum,))
        watchdog.daemon = True
        watchdog.start()
        self._loop.call_soon_threadsafe(self._app.post_message, TerminationRequested(signum))

    def _end_process(self, signum: int) -> None:
        self._restore_now()
        os._exit(128 + signum)

    def _stop_job(self) -> None:
        """Ctrl+Z: leave the screen and stop the whole job; returns after `fg`, back on our screen.

        The signal goes to the process group, since a launcher such as `uv run` or `make` must stop with us for the
        shell to take over.
        """
        if not self._auto_restart:
            return
        self.suspend_application_mode()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.killpg(0, signal.SIGTSTP)
        # here again once continued, or at once where no shell could continue us and the kernel ignores the signal
        while not self._in_foreground():
            os.kill(os.getpid(), signal.SIGSTOP)
        self._come_back()

    def _on_continue(self) -> None:
        """Stopped and continued behind our back (kill -STOP): the shell has used the terminal, so begin anew."""
        if self._output is not None and self._auto_restart and self._in_foreground():
            self.suspend_application_mode()
            self._come_back()

    def _come_back(self) -> None:
        self.resume_application_mode()
        self._app.post_message(self.SignalResume())
        self._app.call_later(self._app.refresh, layout=True)

    def _in_foreground(self) -> bool:
        """Whether our job may use the terminal. True also where there is no job control."""
        try:
            return os.tcgetpgrp(self._input) == os.getpgrp()
        except OSError:
            return True


def _ignore(_signum: int, _frame: FrameType | None) -> None:
    """A handler instead of SIG_IGN, which programs that we start would inherit."""
