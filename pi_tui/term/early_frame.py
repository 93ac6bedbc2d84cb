"""The picture that stands while the app is loaded: a header, and the prompt box where the app will draw it. No Textual.

Plain text with bold and dim only: which theme and how many colours is not known yet.
"""

import re
import unicodedata
from typing import Final

PROMPT_ROWS: Final = 5
"""The prompt may always grow to so many rows, and to 30 % of the screen."""
SMALL_ROWS: Final = 14
TINY_ROWS: Final = 9
"""Heights below which the footer keeps one line, and below which footer and activity line go."""

_CHUNK: Final = re.compile(r"\S+\s*|\s+")
_BOLD, _DIM, _CURSOR, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[7m", "\x1b[0m"


def most_prompt_rows(rows: int) -> int:
    """How many rows of text the prompt shows at most on a screen of `rows` rows."""
    return max(1, min(max(PROMPT_ROWS, rows * 3 // 10), rows - 5))


def rows_below_prompt(rows: int) -> int:
    """How many rows stand below the prompt on a screen of `rows` rows."""
    return 0 if rows < TINY_ROWS else 1 if rows < SMALL_ROWS else 2


class EarlyFrame:
    """Writes the picture for a text and a size. Texts must be harmless for the terminal."""

    def __init__(self, header: str, placeholder: str) -> None:
        self._header = header
        self._placeholder = placeholder
        self._size = (0, 0)
        self._top = 0
        """Row of the frame's upper edge as drawn last, from 0."""

    def paint(self, columns: int, rows: int, text: str) -> str:
        """Return what to write so that the screen shows `text`, its end in view; the cursor is left behind it."""
        if columns < 4 or rows < 3:
            return ""
        lines = wrapped(text, columns - 3) if text else self._empty(columns - 2)
        hidden = max(0, len(lines) - most_prompt_rows(rows))
        lines = lines[hidden:]
        bottom = rows - 1 - rows_below_prompt(rows)
        top = max(0, bottom - len(lines) - 1)
        shown = [_edge(columns, f"↑ {hidden} more" if hidden else ""), *(f" {line}" for line in lines), _edge(columns)]
        if text:
            shown[-2] += f"{_CURSOR} {_PLAIN}"
        parts: list[str] = []
        if (columns, rows) != self._size:
            self._size, self._top = (columns, rows), top
            parts.append("\x1b[2J")
            if rows >= SMALL_ROWS:
                parts.append(f"{_at(0, 1)}{_BOLD}{self._header[: columns - 1]}{_PLAIN}")
        # erased before and not after: behind the last column there is nothing, and the terminal would erase that one
        parts += [f"{_at(row, 0)}\x1b[K" for row in range(self._top, top)]
        parts += [f"{_at(top + row, 0)}\x1b[K{line}" for row, line in enumerate(shown)]
        parts.append(_at(bottom - 1, 1 + (cells(lines[-1]) if text else 0)))
        self._top = top
        return "".join(parts)

    def _empty(self, width: int) -> list[str]:
        line = self._placeholder
        while len(line) > width:  # the words that fit, or as much as fits of the first one
            line = line[: max(line.rfind(" ", 0, width + 1), 0) or width]
        return [f"{_CURSOR}{line[:1]}{_PLAIN}{line[1:]}"]


def wrapped(text: str, width: int) -> list[str]:
    """Return `text` in rows of at most `width` cells, broken between words as the prompt box does it."""
    return [row for line in text.split("\n") for row in _wrapped_line(line, max(2, width))]


def _wrapped_line(line: str, width: int) -> list[str]:
    rows, used = [""], 0
    for chunk in _CHUNK.findall(line):
        size = cells(chunk)
        if used + size <= width:
            rows[-1] += chunk
            used += size
            continue
        if used:
            rows.append("")
        used = 0
        for character in chunk:  # a chunk that no row can hold is cut
            size = cells(character)
            if used + size > width:
                rows.append("")
                used = 0
            rows[-1] += character
            used += size
    return rows


def cells(text: str) -> int:
    """How many cells `text` takes; joined emoji count as their parts."""
    return len(text) if text.isascii() else sum(map(_character_cells, text))


def _character_cells(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _edge(columns: int, title: str = "") -> str:
    line = f"─{title}" if len(title) + 2 <= columns else ""
    return f"{_DIM}{line:─<{columns}}{_PLAIN}"


def _at(row: int, column: int) -> str:
    return f"\x1b[{row + 1};{column + 1}H"
