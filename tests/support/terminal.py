"""A program in a real pseudo-terminal with a screen model: type at it, wait for what it shows, look at what it left.

    with Terminal(["cat"], columns=80, rows=24) as term:
        term.send("hello\\r")
        term.wait_for("hello")

Waiting is on conditions; nothing here sleeps. The methods block: in an async test call them through
`asyncio.to_thread`, or run the model server in a `ServerThread`.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.support.grid import Cell, Grid
from tests.support.keystrokes import encode_key
from tests.support.screen import ScreenModel
from tests.support.terminal_profile import Profile

_QUESTION = re.compile(rb"\x1b\[[<=>?]?[0-9;]*(?:[cnqu]|\$p|t)|\x1b\]1[012];\?|\x1bP[+$]q|\x1b\[\?[0-9;]*2048h")
_TTY_SHELL = 'tty=$1; shift; exec "$@" <"$tty" >"$tty" 2>&1'
"""Opening the terminal as leader of a new session makes it the controlling one: no code runs between fork and exec."""

Wanted = str | re.Pattern[str] | Callable[["Terminal"], bool]


class Terminal:
    """`argv` in a pty of `columns` x `rows`. `env` adds to this process's environment; None takes a variable away."""

    def __init__(
        self,
        argv: Sequence[str | Path],
        *,
        columns: int = 120,
        rows: int = 40,
        cwd: Path | str | None = None,
        env: Mapping[str, str | None] | None = None,
        profile: Profile | None = None,
        timeout: float = 10.0,
        echo: bool = True,
    ) -> None:
        self.argv = [str(word) for word in argv]
        self.columns, self.rows = columns, rows
        self.timeout = timeout
        """Seconds that every wait may take unless it says otherwise."""
        self._echo = echo
        """Whether the terminal itself echoes until the program takes over; without, every echo is the program's."""
        self._cwd = cwd
        changed = {"TERM": "xterm-256color", "COLORTERM": "truecolor", **(env or {})}
        self._env = {name: value for name, value in (os.environ | changed).items() if value is not None}
        self._changed = threading.Condition()
        self._reading = threading.Event()
        self._reading.set()
        self._screen = ScreenModel(columns, rows, profile or Profile(), self._write)
        self._fed = 0
        self._raw = bytearray()
        self._arrivals: list[tuple[float, int]] = []
        self._closed = False
        self._master = -1
        self._wake = (-1, -1)
        self._code: int | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._reader = threading.Thread(target=self._read_all, name="pty-reader", daemon=True)

    # life

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Start the program. `started_at` is the `time.monotonic()` just before."""
        self._master, slave = pty.openpty()
        self._wake = os.pipe()
        self._set_size()
        if not self._echo:
            attributes = termios.tcgetattr(slave)
            attributes[3] &= ~termios.ECHO
            termios.tcsetattr(slave, termios.TCSANOW, attributes)
        try:
            self.started_at = time.monotonic()
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", _TTY_SHELL, "sh", os.ttyname(slave), *self.argv],
                cwd=self._cwd,
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            self._reader.start()
            # the slave stays open here until the child has it: else the reader would see the end before the start
            self.wait_until(lambda: bool(self._raw) or self._opened(), self.timeout, "the program to start")
        finally:
            os.close(slave)

    def _opened(self) -> bool:
        if self._process is None or self._process.poll() is not None:
            return True
        try:
            return os.tcgetpgrp(self._master) == self._process.pid
        except OSError:
            return False

    @property
    def pid(self) -> int:
        """The program's process id, also the id of its session and first process group."""
        assert self._process is not None
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        if self._process is not None:
            self._code = self._process.poll()
        return self._code

    def wait_exit(self, timeout: float | None = None) -> int:
        """Wait until the program has ended and all its output has been read; return the exit code."""
        assert self._process is not None
        try:
            code = self._process.wait(timeout or self.timeout)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"still running after {timeout or self.timeout} s\n{self.dump()}") from None
        self.wait_until(lambda: self._closed, 1.0, "the end of the output", must=False)
        return code

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal to the program itself."""
        os.kill(self.pid, number)

    def close(self) -> None:
        """Hang up, and kill what is left of the program's process group."""
        if self._process is None:
            return
        if self._process.poll() is None:
            os.killpg(self.pid, signal.SIGKILL)
            self._process.wait()
        self._code = self._process.returncode
        # a grandchild may hold the terminal open: the reader must not wait for it to end
        os.write(self._wake[1], b"x")
        self._reading.set()
        self._reader.join()
        for descriptor in (self._master, *self._wake):
            os.close(descriptor)
        self._process = None

    # input

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._master, view) :]

    def send(self, data: str | bytes) -> None:
        """Send text or bytes as they are."""
        self._write(data.encode() if isinstance(data, str) else data)

    def press(self, *names: str) -> None:
        """Press keys by name (`tests.support.keystrokes`), encoded as the program asked for them."""
        screen = self.screen
        for name in names:
            flags = screen.keyboard_flags if screen.profile.kitty_keyboard else 0
            self._write(encode_key(name, kitty=bool(flags), modify_other=screen.modify_other_keys >= 2))

    def paste(self, text: str) -> None:
        """Paste, bracketed if the program asked for that."""
        data = text.replace("\n", "\r")
        self.send(f"\x1b[200~{data}\x1b[201~" if 2004 in self.screen.modes else data)

    def mouse(self, button: int, column: int, row: int, *, release: bool = False) -> None:
        """A mouse event in SGR form: buttons 0 left, 1 middle, 2 right, 64 wheel up, 65 wheel down; cells from 0."""
        self.send(f"\x1b[<{button};{column + 1};{row + 1}{'m' if release else 'M'}")

    def click(self, column: int, row: int) -> None:
        self.mouse(0, column, row)
        self.mouse(0, column, row, release=True)

    def resize(self, columns: int, rows: int) -> None:
        """Change the size; the program gets SIGWINCH."""
        with self._changed:
            self._feed()
            self.columns, self.rows = columns, rows
            self._screen.resize(columns, rows)
        self._set_size()

    def _set_size(self) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", self.rows, self.columns, 0, 0))

    def pause(self) -> None:
        """Stop reading, as a terminal that hangs; `resume` goes on."""
        self._reading.clear()

    def resume(self) -> None:
        self._reading.set()

    # output

    def _read_all(self) -> None:
        tail = b""
        while True:
            self._reading.wait()
            ready, _, _ = select.select([self._master, self._wake[0]], [], [])
            try:
                data = os.read(self._master, 65536) if self._master in ready else b""
            except OSError:
                data = b""
            now = time.monotonic()
            with self._changed:
                self._closed = not data
                self._raw += data
                self._arrivals.append((now, len(self._raw)))
                # the screen is fed when someone looks; a question must be answered at once
                if _QUESTION.search(tail + data):
                    self._feed()
                tail = data[-16:]
                self._changed.notify_all()
            if not data:
                return

    def _feed(self) -> None:
        fresh = bytes(self._raw[self._fed :])
        self._fed = len(self._raw)
        self._screen.feed(fresh)

    @property
    def screen(self) -> ScreenModel:
        """The screen model with everything that has been read so far."""
        with self._changed:
            self._feed()
            return self._screen

    @property
    def grid(self) -> Grid:
        """The buffer that is shown."""
        return self.screen.grid

    @property
    def lines(self) -> list[str]:
        """The shown rows as text, blanks at their ends removed."""
        return self.grid.text()

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def cursor(self) -> tuple[int, int]:
        """(column, row), from 0."""
        cursor = self.grid.cursor
        return cursor.x, cursor.y

    @property
    def main_lines(self) -> list[str]:
        """Scrollback and main screen: what a person finds after the program has left the alternate screen."""
        return self.screen.main_lines()

    @property
    def raw(self) -> bytes:
        """All output so far."""
        with self._changed:
            return bytes(self._raw)

    def cell(self, column: int, row: int) -> Cell:
        return self.grid.rows[row][column]

    def find(self, text: str) -> tuple[int, int] | None:
        """The (column, row) of the first cell of `text` on the screen, or None."""
        for row, cells in enumerate(self.grid.rows):
            chars = "".join(cell.char for cell in cells)
            if (at := chars.find(text)) >= 0:
                length = 0
                for column, cell in enumerate(cells):
                    if length >= at and cell.char:
                        return column, row
                    length += len(cell.char)
        return None

    @property
    def written(self) -> int:
        """How many bytes of output have come."""
        with self._changed:
            return len(self._raw)

    def arrival(self, needle: bytes, start: int = 0) -> float | None:
        """When the raw output first contained `needle` at or after offset `start` (`time.monotonic()`), or None."""
        with self._changed:
            at = self._raw.find(needle, start)
            if at < 0:
                return None
            totals = bisect_left(self._arrivals, at + len(needle), key=lambda arrival: arrival[1])
            return self._arrivals[totals][0]

    def dump(self) -> str:
        """The screen in a frame, for messages."""
        edge = "+" + "-" * self.columns + "+"
        return "\n".join([edge, *("|" + line for line in self.lines), edge, f"exit code {self.exit_code}"])

    # waiting

    def wait_for(self, wanted: Wanted, timeout: float | None = None) -> Self:
        """Wait until the screen shows a text or a match, or a function of this terminal is true.

        Half-drawn frames (inside a synchronized update) are not looked at. Raises `TimeoutError` with the screen.
        """
        self.wait_until(lambda: self._shows(wanted), timeout or self.timeout, f"{wanted!r}")
        return self

    def wait_gone(self, wanted: Wanted, timeout: float | None = None) -> Self:
        """Wait until the screen does not show it."""
        self.wait_until(
            lambda: not self.screen.in_update and not self._shows(wanted), timeout or self.timeout, f"no {wanted!r}"
        )
        return self

    def wait_raw(self, needle: bytes, start: int = 0, timeout: float | None = None) -> float:
        """Wait until the raw output contains `needle` from offset `start` on; return when it came."""
        found: list[float] = []

        def arrived() -> bool:
            when = self.arrival(needle, start)
            found.extend([] if when is None else [when])
            return bool(found)

        self.wait_until(arrived, timeout or self.timeout, f"the bytes {needle!r}")
        return found[0]

    def wait_quiet(self, seconds: float = 0.2, timeout: float | None = None) -> Self:
        """Wait until nothing was written for so long. For measurements and pictures, not to synchronise a test."""
        end = time.monotonic() + (timeout or self.timeout)
        with self._changed:
            while time.monotonic() < end:
                size = len(self._raw)
                if not self._changed.wait_for(lambda size=size: len(self._raw) > size or self._closed, seconds):
                    return self
                if self._closed:
                    return self
        raise TimeoutError(f"output never paused for {seconds} s\n{self.dump()}")

    def _shows(self, wanted: Wanted) -> bool:
        if self.screen.in_update and not self._closed:
            return False
        if isinstance(wanted, str):
            return wanted in self.text
        if isinstance(wanted, re.Pattern):
            return wanted.search(self.text) is not None
        return wanted(self)

    def wait_until(
        self, condition: Callable[[], bool], timeout: float, what: str = "a condition", *, must: bool = True
    ) -> None:
        """Wait for any condition; it is looked at after each output, and twenty times a second."""
        end = time.monotonic() + timeout
        while not condition():
            with self._changed:
                size, closed = len(self._raw), self._closed
                left = end - time.monotonic()
                self._changed.wait_for(
                    lambda size=size, closed=closed: (len(self._raw), self._closed) != (size, closed),
                    max(0.0, min(left, 0.05)),
                )
            if time.monotonic() >= end and not condition():
                if must:
                    raise TimeoutError(f"waited {timeout} s for {what}\n{self.dump()}")
                return
