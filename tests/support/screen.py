"""A terminal as a program sees it: what it wrote becomes cells and modes, and its questions are answered.

`ScreenModel` understands what xterm understands of what full-screen programs send. A sequence that it does not know
changes nothing on the screen and is kept in `unknown`; the raw C1 controls count as controls, as in xterm.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from collections.abc import Callable
from dataclasses import replace

from tests.support.grid import Grid, Style, row_text
from tests.support.sgr import apply_sgr
from tests.support.terminal_profile import ALTERNATE_MODES, INITIAL_MODES, MOUSE_MODES, Profile

_C1 = {code: f"\x1b{chr(code - 0x40)}" for code in range(0x80, 0xA0)}
_TOKEN = re.compile(
    r"""(?P<text>[^\x00-\x1f\x7f]+)
      |\x1b\[(?P<prefix>[<=>?]?)(?P<params>[0-9:;]*)(?P<middle>[ -/]*)(?P<final>[@-~])
      |\x1b\](?P<osc>[^\x07\x1b]*)(?:\x07|\x1b\\)
      |\x1b(?P<string>[PX^_][^\x1b]*)\x1b\\
      |\x1b(?P<escape>[ -/]*[0-OQ-WYZ\\`-~])
      |(?P<broken>\x1b\[[0-?]*[ -/]*(?:[@-~]|(?=[^ -~]))|\x1b[\]PX^_][^\x07\x1b]*(?=\x1b[^\\]))
      |(?P<control>[\x00-\x1a\x1c-\x1f\x7f])""",
    re.VERBOSE,
)
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)$")


class ScreenModel:
    """The screen, the modes and what else the program told the terminal."""

    def __init__(self, columns: int, rows: int, profile: Profile, reply: Callable[[bytes], None]) -> None:
        self.profile = profile
        self._reply_bytes = reply
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._rest = ""
        self._reset(columns, rows)
        self.title = ""
        self.bells = 0
        self.osc: list[tuple[str, str]] = []
        """Every operating system command in order, as (number, payload)."""
        self.unknown: list[str] = []
        """Sequences that were not understood."""

    def _reset(self, columns: int, rows: int) -> None:
        self.main = Grid(columns, rows, history=True)
        self.alternate = Grid(columns, rows, history=False)
        self.grid = self.main
        self.modes: set[int] = set(INITIAL_MODES)
        """Private modes that are set."""
        self.kitty_flags: dict[bool, list[int]] = {False: [], True: []}
        """Pushed Kitty keyboard flags of the main (False) and the alternate (True) screen."""
        self.modify_other_keys = 0
        self.application_keypad = False
        self.cursor_style = 0

    @property
    def on_alternate(self) -> bool:
        return self.grid is self.alternate

    @property
    def cursor_visible(self) -> bool:
        return 25 in self.modes

    @property
    def mouse_modes(self) -> set[int]:
        return self.modes & MOUSE_MODES

    @property
    def in_update(self) -> bool:
        """Inside a synchronized update: a real terminal does not show what has been drawn so far."""
        return 2026 in self.modes

    @property
    def clipboard(self) -> list[str]:
        """The texts that were sent to the clipboard with OSC 52."""
        texts = []
        for number, payload in self.osc:
            data = payload.partition(";")[2]
            if number == "52" and data != "?":
                try:
                    texts.append(base64.b64decode(data, validate=True).decode("utf-8", "replace"))
                except binascii.Error:
                    self.unknown.append(f"OSC 52 with {data[:40]!r}")
        return texts

    def main_lines(self) -> list[str]:
        """What a person finds in the scrollback and on the main screen, blank lines at the end removed."""
        lines = [row_text(row) for row in (*self.main.scrollback, *self.main.rows)]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def unrestored(self) -> list[str]:
        """What differs from the state a shell expects, in words; empty when the terminal was restored."""
        wrong = [f"mode {mode} is set" for mode in sorted(self.modes - INITIAL_MODES)]
        wrong += [f"mode {mode} is reset" for mode in sorted(INITIAL_MODES - self.modes)]
        wrong += [f"kitty keyboard flags {flags}" for flags in self.kitty_flags.values() if flags]
        if self.modify_other_keys:
            wrong.append(f"modifyOtherKeys is {self.modify_other_keys}")
        if self.application_keypad:
            wrong.append("application keypad")
        if self.grid.cursor.style != Style():
            wrong.append(f"text attributes {self.grid.cursor.style}")
        if (self.grid.top, self.grid.bottom) != (0, self.grid.height - 1):
            wrong.append("scroll margins")
        return wrong

    def resize(self, columns: int, rows: int) -> None:
        self.main.resize(columns, rows)
        self.alternate.resize(columns, rows)
        if 2048 in self.modes and self.profile.in_band_resize:
            self._reply(self.profile.size_report(self.grid))

    def feed(self, data: bytes) -> None:
        """Take what the program wrote; an unfinished sequence waits for its rest."""
        text = (self._rest + self._decode(data)).translate(_C1)
        at = 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                if _UNFINISHED.match(text, at):
                    break
                self.unknown.append(text[at : at + 12])
                at += 1
                continue
            at = match.end()
            self._token(match)
        self._rest = text[at:]

    def _token(self, match: re.Match[str]) -> None:
        kind = match.lastgroup
        if kind == "text":
            self.grid.put(match["text"])
        elif kind == "final":
            self._csi(match["prefix"], match["params"], match["middle"], match["final"])
        elif kind == "osc":
            self._osc(match["osc"])
        elif kind == "escape":
            self._escape(match["escape"])
        elif kind == "control":
            self._control(match["control"])
        elif kind == "string":
            self._string(match["string"])
        else:
            self.unknown.append(match["broken"])

    def _reply(self, text: str) -> None:
        if text:
            self._reply_bytes(text.encode())

    def _control(self, char: str) -> None:
        grid = self.grid
        match char:
            case "\r":
                grid.move(0, grid.cursor.y)
            case "\n" | "\x0b" | "\x0c":
                grid.line_feed()
            case "\b":
                grid.move(grid.cursor.x - 1, grid.cursor.y)
            case "\t":
                grid.tab()
            case "\a":
                self.bells += 1
            case "\x00" | "\x0e" | "\x0f" | "\x7f":
                pass
            case _:
                self.unknown.append(char)

    def _escape(self, code: str) -> None:
        grid = self.grid
        match code:
            case "7":
                grid.save()
            case "8":
                grid.restore()
            case "D":
                grid.line_feed()
            case "E":
                grid.move(0, grid.cursor.y)
                grid.line_feed()
            case "M":
                grid.reverse_line_feed()
            case "=":
                self.application_keypad = True
            case ">":
                self.application_keypad = False
            case "c":
                self._reset(grid.width, grid.height)
            case "(B" | ")B" | "H" | "\\":
                pass
            case _:
                self.unknown.append(f"ESC {code}")

    def _string(self, payload: str) -> None:
        if payload.startswith(("P+q", "P$q")):
            self._reply(f"\x1bP0{payload[1]}r\x1b\\")
        else:
            self.unknown.append(f"ESC {payload[:40]}")

    def _osc(self, payload: str) -> None:
        number, _, rest = payload.partition(";")
        self.osc.append((number, rest))
        if number in ("0", "2"):
            self.title = rest
        elif number == "8":
            target = rest.partition(";")[2]
            self.grid.cursor.style = replace(self.grid.cursor.style, link=target)
        elif number in ("10", "11", "12") and rest == "?":
            colour = self.profile.background if number == "11" else self.profile.foreground
            self._reply(f"\x1b]{number};{colour}\x1b\\")

    def _csi(self, prefix: str, params: str, middle: str, final: str) -> None:
        key = prefix + middle + final
        numbers = [int(part or 0) for part in re.split("[;:]", params)] if params else []
        first = numbers[0] if numbers else 0
        if key == "m":
            self.grid.cursor.style = apply_sgr(self.grid.cursor.style, params)
        elif key in ("?h", "?l"):
            for mode in numbers:
                self._private_mode(mode, final == "h")
        elif (answer := self.profile.answer(key, first, self)) is not None:
            self._reply(answer)
        elif not self._edit(key, first, numbers) and not self._keyboard(key, numbers):
            self.unknown.append(f"CSI {prefix}{params}{middle}{final}")

    def _edit(self, key: str, first: int, numbers: list[int]) -> bool:
        """Cursor motion, erasing, inserting, scrolling. False if `key` is none of these."""
        grid, count = self.grid, max(1, first)
        x, y = grid.cursor.x, grid.cursor.y
        second = numbers[1] if len(numbers) > 1 else 0
        match key:
            case "A":
                grid.move(x, max(y - count, grid.top if y >= grid.top else 0))
            case "B" | "e":
                grid.move(x, min(y + count, grid.bottom if y <= grid.bottom else grid.height - 1))
            case "C" | "a":
                grid.move(x + count, y)
            case "D":
                grid.move(x - count, y)
            case "E":
                grid.move(0, y + count)
            case "F":
                grid.move(0, y - count)
            case "G" | "`":
                grid.move(count - 1, y)
            case "d":
                grid.move(x, count - 1)
            case "H" | "f":
                grid.move(max(1, second) - 1, count - 1)
            case "J" | "?J" if first <= 3:
                grid.erase_display(first)
            case "K" | "?K" if first <= 2:
                grid.erase_line(first)
            case "L":
                grid.insert_lines(count)
            case "M":
                grid.delete_lines(count)
            case "P":
                grid.delete_cells(count)
            case "@":
                grid.insert_cells(count)
            case "X":
                grid.erase_cells(count)
            case "S":
                grid.scroll_up(count)
            case "T":
                grid.scroll_down(count)
            case "b":
                grid.repeat(count)
            case "r":
                grid.set_margins(count - 1, (second or grid.height) - 1)
            case "s":
                grid.save()
            case "u":
                grid.restore()
            case "h" | "l":
                grid.insert = (key == "h") if first == 4 else grid.insert
            case " q":
                self.cursor_style = first
            case "!p":
                self._soft_reset()
            case "t" if first in (22, 23):
                pass
            case _:
                return False
        return True

    @property
    def keyboard_flags(self) -> int:
        """The Kitty keyboard flags in force on the present screen."""
        stack = self.kitty_flags[self.on_alternate]
        return stack[-1] if stack else 0

    def _keyboard(self, key: str, numbers: list[int]) -> bool:
        """The Kitty keyboard protocol and modifyOtherKeys; an xterm takes the latter only."""
        stack = self.kitty_flags[self.on_alternate]
        first = numbers[0] if numbers else 0
        match key:
            case ">u":
                stack.append(first)
            case "<u":
                del stack[max(0, len(stack) - max(1, first)) :]
            case "=u":
                stack[-1:] = [first]
            case ">m" if first == 4:
                self.modify_other_keys = numbers[1] if len(numbers) > 1 else 0
            case ">n" if first == 4:
                self.modify_other_keys = 0
            case _:
                return False
        return True

    def _private_mode(self, mode: int, on: bool) -> None:
        (self.modes.add if on else self.modes.discard)(mode)
        if mode in ALTERNATE_MODES:
            self._switch(mode, on)
        elif mode == 7:
            self.main.auto_wrap = self.alternate.auto_wrap = on
        elif mode == 1048:
            self.modes.discard(mode)
            (self.grid.save if on else self.grid.restore)()
        elif mode == 2048 and on and self.profile.in_band_resize:
            self._reply(self.profile.size_report(self.grid))

    def _switch(self, mode: int, on: bool) -> None:
        if on == self.on_alternate:
            return
        style = self.grid.cursor.style
        if on:
            self.main.save()
            self.alternate.cursor.style = style
            self.alternate.move(self.main.cursor.x, self.main.cursor.y)
            self.grid = self.alternate
            if mode != 47:
                self.alternate.erase_display(2)
        else:
            self.grid = self.main
            if mode == 1049:
                self.main.restore()
            self.main.cursor.style = style

    def _soft_reset(self) -> None:
        self.modes |= INITIAL_MODES
        self.modes.discard(1)
        self.grid.insert = False
        self.grid.cursor.style = Style()
        self.grid.top, self.grid.bottom = 0, self.grid.height - 1
