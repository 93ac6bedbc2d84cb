"""Rows to Textual strips: margin, background, filters, each done once per row and kept on it."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter
from textual.strip import Strip

from pi_tui.render import Line

MARGIN = 1
"""Empty cells left and right of the text, from `ROOMY` cells on."""
ROOMY = 20


def margin_of(width: int) -> int:
    """Return the margin of a view that is `width` cells wide."""
    return MARGIN if width >= ROOMY else 0


class Strips:
    """Makes strips for one width, base style and set of filters."""

    def __init__(self) -> None:
        self.width = 0
        self._base = Style.null()
        self._background = Color(0, 0, 0)
        self._filters: tuple[LineFilter, ...] = ()
        self._key = object()
        self.blank = Strip([])

    def configure(self, width: int, base: Style, background: Color, filters: tuple[LineFilter, ...]) -> bool:
        """Take over what a widget looks like; True when it looks different from before."""
        if (width, base, filters) == (self.width, self._base, self._filters):
            return False
        self.width, self._base, self._background, self._filters = width, base, background, filters
        self._key = object()
        self.blank = self._filtered(Strip([Segment(" " * width, base)], width))
        return True

    def of(self, line: Line) -> Strip:
        """Return the strip of a row, as wide as the view."""
        if not line.segments and line.fill is None:
            return self.blank
        if line.strip_key is self._key:
            assert isinstance(line.strip, Strip)
            return line.strip
        strip = line.strip = self._filtered(self._plain(line))
        line.strip_key = self._key
        return strip

    def selected(self, line: Line, start: int, end: int, style: Style) -> Strip:
        """Return the strip of a row whose characters from `start` to `end` (margin counted) are selected."""
        segments = []
        at = 0
        for text, own, _ in self._plain(line):
            before, inside, after = (
                text[: max(start - at, 0)],
                text[max(start - at, 0) : max(end - at, 0)],
                text[max(end - at, 0) :],
            )
            at += len(text)
            segments += [Segment(before, own), Segment(inside, (own or Style.null()) + style), Segment(after, own)]
        return self._filtered(Strip([segment for segment in segments if segment.text], self.width))

    def _plain(self, line: Line) -> Strip:
        base = self._base
        fill = base if line.fill is None else base + line.fill
        margin = margin_of(self.width)
        segments = [Segment(" " * margin, fill)] if margin else []
        segments += [Segment(text, base + style if style else base) for text, style, _ in line.segments]
        rest = self.width - margin - line.width
        if rest > 0:
            segments.append(Segment(" " * rest, fill))
            return Strip(segments, self.width)
        strip = Strip(segments, margin + line.width)
        return strip if rest == 0 else strip.crop(0, self.width)

    def _filtered(self, strip: Strip) -> Strip:
        for each in self._filters:
            strip = strip.apply_filter(each, self._background)
        return strip
