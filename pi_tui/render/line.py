"""Lines: what every renderer yields and the view paints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

BOLD = Style(bold=True)
ITALIC = Style(italic=True)
STRIKE = Style(strike=True)
UNDERLINE = Style(underline=True)

Run: TypeAlias = tuple[str, Style]
"""Text in one style, not yet broken into lines."""


class Line:
    """One row of the screen, never wider than it was rendered for.

    `glue` is None for the begin of a logical line; a row that goes on after a soft wrap has the text that the wrap took
    away (a space, or nothing), so that copied text comes out as it was written. The first `gutter` characters are
    decoration and not copied. `fill` is the style of the rest of the row.
    """

    __slots__ = ("fill", "glue", "gutter", "segments", "strip", "strip_key", "width")

    def __init__(
        self,
        segments: Sequence[Segment] = (),
        width: int = 0,
        *,
        glue: str | None = None,
        gutter: int = 0,
        fill: Style | None = None,
    ) -> None:
        self.segments = segments
        self.width = width
        self.glue = glue
        self.gutter = gutter
        self.fill = fill
        self.strip: object = None
        self.strip_key: object = None

    @property
    def text(self) -> str:
        """The characters of the row, without what fills it up."""
        return "".join([segment.text for segment in self.segments])

    def same(self, other: Line) -> bool:
        """True when both look alike."""
        return self is other or (self.segments == other.segments and self.fill == other.fill)

    def __repr__(self) -> str:
        return f"Line({self.text!r})"


BLANK = Line()
"""An empty row."""


def line_of(*runs: Run, fill: Style | None = None, gutter: int = 0) -> Line:
    """Return the row of `runs`, which must fit."""
    segments = [Segment(text, style) for text, style in runs if text]
    return Line(segments, sum([cell_len(text) for text, _ in runs]), fill=fill, gutter=gutter)


def indent(
    lines: Iterable[Line], first: Sequence[Segment], rest: Sequence[Segment], width: int, *, marker: bool = False
) -> list[Line]:
    """Put `first` before the first row and `rest` before the others, in place; both are `width` cells wide.

    They count as gutter, except that with `marker` the first row's prefix is text (the bullet of a list).
    """
    out = list(lines)
    characters = sum([len(segment.text) for segment in rest])
    for number, line in enumerate(out):
        if line is BLANK:
            line = out[number] = Line()
        line.segments = [*(rest if number else first), *line.segments]
        line.width += width
        if number or not marker:
            line.gutter += characters
    return out


def tint(lines: Iterable[Line], background: Style) -> list[Line]:
    """Lay `background` under every row, from edge to edge, in place."""
    out = []
    for line in lines:
        if line is BLANK:
            line = Line()
        line.segments = [Segment(text, background + style if style else background) for text, style, _ in line.segments]
        line.fill = background
        out.append(line)
    return out
