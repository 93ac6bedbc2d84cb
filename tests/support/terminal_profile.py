"""Which terminal the screen model is, and what it answers when a program asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tests.support.grid import Grid

MOUSE_MODES = frozenset({9, 1000, 1001, 1002, 1003, 1005, 1006, 1015, 1016})
ALTERNATE_MODES = frozenset({47, 1047, 1049})
INITIAL_MODES = frozenset({7, 25})
"""Auto-wrap and the visible cursor."""
_KNOWN_MODES = MOUSE_MODES | ALTERNATE_MODES | INITIAL_MODES | {1, 12, 1004, 1007, 2004}


class Asked(Protocol):
    """What an answer may depend on."""

    @property
    def grid(self) -> Grid: ...
    @property
    def modes(self) -> set[int]: ...
    @property
    def keyboard_flags(self) -> int: ...


@dataclass(frozen=True)
class Profile:
    """Which terminal to be. The default is an xterm with true colour and a dark background."""

    light: bool = False
    kitty_keyboard: bool = False
    """Answer the Kitty keyboard query and take its flags."""
    synchronized: bool = True
    """Report mode 2026 as supported."""
    in_band_resize: bool = False
    """Report mode 2048 as supported and send size reports while it is set."""
    version: str = "XTerm(390)"

    @property
    def foreground(self) -> str:
        return "rgb:0000/0000/0000" if self.light else "rgb:d0d0/d0d0/d0d0"

    @property
    def background(self) -> str:
        return "rgb:ffff/ffff/ffff" if self.light else "rgb:0000/0000/0000"

    def answer(self, key: str, first: int, asked: Asked) -> str | None:
        """The answer to `CSI key` (prefix, intermediate, final) as xterm gives it; None if it is no question."""
        cursor, grid = asked.grid.cursor, asked.grid
        match key, first:
            case "c", 0:
                return "\x1b[?64;1;2;6;9;15;16;17;18;21;22;28c"
            case ">c", 0:
                return "\x1b[>41;390;0c"
            case ">q", 0:
                return f"\x1bP>|{self.version}\x1b\\"
            case "n", 5:
                return "\x1b[0n"
            case "n", 6:
                return f"\x1b[{cursor.y + 1};{cursor.x + 1}R"
            case "?n", 6:
                return f"\x1b[?{cursor.y + 1};{cursor.x + 1}R"
            case "?n", 996:
                return ""  # xterm does not know the colour scheme report
            case "?$p", mode:
                return f"\x1b[?{mode};{self._state(mode, asked.modes)}$y"
            case "?u", _:
                return f"\x1b[?{asked.keyboard_flags}u" if self.kitty_keyboard else ""
            case "t", 14:
                return f"\x1b[4;{grid.height * 20};{grid.width * 10}t"
            case "t", 16:
                return "\x1b[6;20;10t"
            case "t", 18:
                return f"\x1b[8;{grid.height};{grid.width}t"
        return None

    def size_report(self, grid: Grid) -> str:
        """The in-band size report of mode 2048."""
        return f"\x1b[48;{grid.height};{grid.width};{grid.height * 20};{grid.width * 10}t"

    def _state(self, mode: int, modes: set[int]) -> int:
        """DECRQM: 0 unknown, 1 set, 2 reset."""
        known = _KNOWN_MODES | ({2026} if self.synchronized else set()) | ({2048} if self.in_band_resize else set())
        if mode not in known:
            return 0
        return 1 if mode in modes else 2
