"""The cells of one terminal buffer and the editing operations on them; rows and columns count from 0."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from wcwidth import wcwidth

Colour = int | str | None
"""None is the terminal's default, 0..255 a palette entry, `#rrggbb` a true colour."""


@dataclass(frozen=True, slots=True)
class Style:
    """The attributes of a cell."""

    fg: Colour = None
    bg: Colour = None
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    blink: bool = False
    reverse: bool = False
    hidden: bool = False
    strike: bool = False
    link: str = ""
    """The target of an OSC 8 hyperlink."""


class Cell(NamedTuple):
    """One cell. `char` is empty in the right half of a wide character; combining characters are part of it."""

    char: str = " "
    style: Style = Style()


BLANK = Cell()
Row = list[Cell]

width_of = lru_cache(maxsize=8192)(wcwidth)


@dataclass
class Cursor:
    """Where the next character goes. `wrap` means that the last column was filled and the next character wraps."""

    x: int = 0
    y: int = 0
    wrap: bool = False
    style: Style = field(default_factory=Style)


def row_text(row: Row) -> str:
    """The row's characters, blanks at its end removed."""
    return "".join(cell.char for cell in row).rstrip()


class Grid:
    """A buffer of `height` rows of `width` cells. With `history`, rows that scroll off the top go to `scrollback`."""

    def __init__(self, width: int, height: int, *, history: bool) -> None:
        self.width = width
        self.height = height
        self.cursor = Cursor()
        self.saved = Cursor()
        self.top = 0
        self.bottom = height - 1
        self.auto_wrap = True
        self.insert = False
        self.rows: list[Row] = [self._blank_row() for _ in range(height)]
        self.scrollback: list[Row] = []
        self._history = history
        self._last = ""

    def _blank_row(self) -> Row:
        return [BLANK] * self.width

    def _erased(self) -> Cell:
        """What erasing leaves: the current background (as xterm does)."""
        background = self.cursor.style.bg
        return BLANK if background is None else Cell(" ", Style(bg=background))

    def text(self) -> list[str]:
        """The rows as text, blanks at their ends removed."""
        return [row_text(row) for row in self.rows]

    def resize(self, width: int, height: int) -> None:
        """Cut or fill at the right; rows leave at the top and blank ones come at the bottom. Nothing is reflowed."""
        excess = max(0, self.cursor.y + 1 - height)
        if self._history:
            self.scrollback.extend(self.rows[:excess])
        rows = self.rows[excess : excess + height]
        self.width, self.height = width, height
        self.rows = [(row + [BLANK] * (width - len(row)))[:width] for row in rows]
        self.rows.extend(self._blank_row() for _ in range(height - len(rows)))
        self.top, self.bottom = 0, height - 1
        self.move(self.cursor.x, self.cursor.y - excess)

    # the cursor

    def move(self, x: int, y: int) -> None:
        """Put the cursor there, kept inside the buffer."""
        self.cursor.x = max(0, min(x, self.width - 1))
        self.cursor.y = max(0, min(y, self.height - 1))
        self.cursor.wrap = False

    def save(self) -> None:
        self.saved = Cursor(**vars(self.cursor))

    def restore(self) -> None:
        self.cursor = Cursor(**vars(self.saved))
        self.move(self.cursor.x, self.cursor.y)

    # text

    def put(self, text: str) -> None:
        """Write printable text at the cursor."""
        for char in text:
            width = width_of(char)
            if width <= 0:
                self._combine(char)
                continue
            cursor = self.cursor
            if cursor.wrap or cursor.x + width > self.width:
                if self.auto_wrap:
                    cursor.x, cursor.wrap = 0, False
                    self.line_feed()
                else:
                    cursor.x = self.width - width
            if self.insert:
                self.insert_cells(width)
            row = self.rows[cursor.y]
            self._split_wide(row, cursor.x)
            self._split_wide(row, cursor.x + width)
            row[cursor.x] = Cell(char, cursor.style)
            if width == 2:
                row[cursor.x + 1] = Cell("", cursor.style)
            cursor.wrap = cursor.x + width >= self.width
            cursor.x = min(cursor.x + width, self.width - 1)
            self._last = char

    def _split_wide(self, row: Row, x: int) -> None:
        """Before column `x` is written or left: a wide character that lies across it becomes blanks."""
        if 0 < x < self.width and row[x].char == "":
            row[x - 1] = row[x - 1]._replace(char=" ")
            row[x] = row[x]._replace(char=" ")

    def _combine(self, char: str) -> None:
        """Add a character without a width to the one before the cursor."""
        row = self.rows[self.cursor.y]
        x = self.cursor.x if self.cursor.wrap else self.cursor.x - 1
        if x > 0 and row[x].char == "":
            x -= 1
        if x >= 0:
            row[x] = row[x]._replace(char=row[x].char + char)

    def repeat(self, count: int) -> None:
        """Write the last character again."""
        self.put(self._last * count)

    def line_feed(self) -> None:
        """One row down; at the bottom margin the region scrolls."""
        self.cursor.wrap = False
        if self.cursor.y == self.bottom:
            self.scroll_up(1)
        else:
            self.cursor.y = min(self.cursor.y + 1, self.height - 1)

    def reverse_line_feed(self) -> None:
        """One row up; at the top margin the region scrolls down."""
        self.cursor.wrap = False
        if self.cursor.y == self.top:
            self.scroll_down(1)
        else:
            self.cursor.y = max(self.cursor.y - 1, 0)

    def tab(self) -> None:
        self.move(min((self.cursor.x // 8 + 1) * 8, self.width - 1), self.cursor.y)

    # scrolling, inserting, deleting, erasing

    def set_margins(self, top: int, bottom: int) -> None:
        """The scrolling region, inclusive; an impossible one is ignored."""
        if 0 <= top < bottom < self.height:
            self.top, self.bottom = top, bottom
            self.move(0, 0)

    def scroll_up(self, count: int) -> None:
        """The region's first rows leave, blank ones come in below."""
        self._shift(self.top, count)

    def scroll_down(self, count: int) -> None:
        self._shift(self.top, -count)

    def insert_lines(self, count: int) -> None:
        if self.top <= self.cursor.y <= self.bottom:
            self._shift(self.cursor.y, -count)

    def delete_lines(self, count: int) -> None:
        if self.top <= self.cursor.y <= self.bottom:
            self._shift(self.cursor.y, count, keep=False)

    def _shift(self, first: int, count: int, *, keep: bool = True) -> None:
        """Move the rows from `first` to the bottom margin up by `count` (down when negative)."""
        region = self.rows[first : self.bottom + 1]
        size = min(abs(count), len(region))
        blank = [[self._erased()] * self.width for _ in range(size)]
        if count > 0:
            if keep and self._history and first == 0:
                self.scrollback.extend(region[:size])
            region = region[size:] + blank
        else:
            region = blank + region[: len(region) - size]
        self.rows[first : self.bottom + 1] = region

    def insert_cells(self, count: int) -> None:
        row = self.rows[self.cursor.y]
        row[self.cursor.x : self.cursor.x] = [self._erased()] * count
        del row[self.width :]

    def delete_cells(self, count: int) -> None:
        row = self.rows[self.cursor.y]
        del row[self.cursor.x : self.cursor.x + count]
        row.extend([self._erased()] * (self.width - len(row)))

    def erase_cells(self, count: int) -> None:
        self._erase(self.cursor.y, self.cursor.x, self.cursor.x + count)

    def erase_line(self, part: int) -> None:
        """0 from the cursor, 1 up to and with the cursor, 2 all."""
        start, end = [(self.cursor.x, self.width), (0, self.cursor.x + 1), (0, self.width)][part]
        self._erase(self.cursor.y, start, end)

    def erase_display(self, part: int) -> None:
        """0 from the cursor, 1 up to and with the cursor, 2 all, 3 the scrollback."""
        if part == 3:
            self.scrollback.clear()
            return
        if part != 2:
            self.erase_line(part)
        for y in self._rows_of(part):
            self._erase(y, 0, self.width)

    def _rows_of(self, part: int) -> Iterator[int]:
        y = self.cursor.y
        yield from [range(y + 1, self.height), range(y), range(self.height)][part]

    def _erase(self, y: int, start: int, end: int) -> None:
        row = self.rows[y]
        end = min(end, self.width)
        self._split_wide(row, start)
        self._split_wide(row, end)
        row[start:end] = [self._erased()] * (end - start)
