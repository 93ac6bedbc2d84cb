"""A scroll view that paints rows it is given, without Textual laying anything out again.

Textual's way (`virtual_size` with a layout, style cache per row, scroll bar with every change) costs about 15 ms of CPU
for each new row on a 120 x 40 screen, most of it not for the row. Here growing and scrolling set the offsets without a
layout, only rows that look different are painted, and the scroll bar follows at its own pace.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual.geometry import Offset, Region, Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from pi_tui.render import Line
from pi_tui.transcript.copying import Span, joined
from pi_tui.transcript.strips import Strips, margin_of

SCROLLBAR_PACE = 0.5
"""Seconds between two states of the scroll bar while text streams: painting it costs as much as painting the text."""


class RowsView(ScrollView):
    """Shows rows; subclasses say which (`fit`, `scrolled_to`, `lines_between`) and call `put_rows`."""

    DEFAULT_CSS = """
    RowsView {
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
    }
    """
    can_focus = False

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._strips = Strips()
        self._shown: Sequence[Line] = ()
        self._first_row = 0
        self._bar_due = 0.0

    # For subclasses

    def fit(self, width: int, height: int) -> None:
        """Lay out for `width` cells of text and `height` rows, if that is new, and call `put_rows`."""
        raise NotImplementedError

    def scrolled_to(self, row: int) -> None:
        """Textual wants `row` on top (wheel, scroll bar, selecting over the edge): go there or near."""
        raise NotImplementedError

    def lines_between(self, first: int, last: int) -> list[Line]:
        """Return the rows from `first` to `last`, for copying."""
        raise NotImplementedError

    def put_rows(self, lines: Sequence[Line], first: int, total: int, now: float | None = None) -> float:
        """Show `lines`, the first of which is row `first` of `total`; paint what differs.

        With the time `now` the scroll bar may lag behind; the return value is in how many seconds it wants to be set
        then (infinity: it is right).
        """
        old, self._shown = self._shown, lines
        if first != self._first_row:
            self._move_selection(old, first)
        self._first_row = first
        if not self.is_attached:
            return float("inf")
        self._paint_differences(old, lines)
        self.set_reactive(Widget.virtual_size, Size(self.scrollable_content_region.width, total))
        self.set_reactive(Widget.scroll_y, float(first))
        self.set_reactive(Widget.scroll_target_y, float(first))
        return self._set_bar(total, first, now)

    # Painting

    def _paint_differences(self, old: Sequence[Line], new: Sequence[Line]) -> None:
        width, count = self.region.width, max(len(old), len(new))
        both = min(len(old), len(new))
        regions: list[Region] = []
        begin: int | None = None
        for y in range(count + 1):
            differs = y < count and (y >= both or not old[y].same(new[y]))
            if differs and begin is None:
                begin = y
            elif not differs and begin is not None:
                regions.append(Region(0, begin, width, y - begin))
                begin = None
        if regions:
            self.refresh(*regions)

    def _set_bar(self, total: int, first: int, now: float | None) -> float:
        bar, height = self.vertical_scrollbar, self.scrollable_content_region.height
        if (bar.window_virtual_size, bar.window_size, bar.position) == (total, height, first):
            return float("inf")
        if now is not None and now < self._bar_due:
            return self._bar_due - now
        if now is not None:
            self._bar_due = now + SCROLLBAR_PACE
        bar.window_virtual_size, bar.window_size, bar.position = total, height, first
        return float("inf")

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the strips to paint. Textual's style cache is passed by, since rows carry all their styles."""
        self._fit()
        region = self.scrollable_content_region
        _, background = self.background_colors
        style, filters = self.visual_style.rich_style, tuple(self.get_line_filters())
        self._strips.configure(region.width, style, background, filters)
        selection = self.text_selection
        strips = [self._strip(y, selection) for y in crop.line_range]
        left, right = crop.column_span
        if left or right < region.width:
            strips = [strip.crop(left, right) for strip in strips]
        return strips

    def _strip(self, y: int, selection: Selection | None) -> Strip:
        if y >= len(self._shown):
            return self._strips.blank
        line = self._shown[y]
        span = None if selection is None else selection.get_span(self._first_row + y)
        if span is None:
            return self._strips.of(line)
        style = self.screen.get_component_rich_style("screen--selection")
        end = margin_of(self._strips.width) + len(line.text)
        return self._strips.selected(line, span[0], end if span[1] < 0 else min(span[1], end), style)

    def _fit(self) -> None:
        region = self.scrollable_content_region
        if region.width and region.height:
            self.fit(max(region.width - 2 * margin_of(region.width), 1), region.height)

    def on_resize(self) -> None:
        """Lay out for the new size."""
        self._fit()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Textual scrolled: in place of its own repaint, go there.

        A new size makes Textual clamp the offset before anything is laid out for it: that is not a wish to scroll.
        """
        self._fit()
        if round(self.scroll_y) != self._first_row:
            self.scrolled_to(round(self.scroll_y))

    # Selecting and copying

    def render_line(self, y: int) -> Strip:
        """Return a row with the offsets that selecting reads; painting does without them."""
        strip = self.render_lines(Region(0, y, self.scrollable_content_region.width, 1))[0]
        return strip.apply_offsets(0, self._first_row + y)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the selected text as it was written: soft wraps joined, margins and gutters dropped."""
        margin = margin_of(self._strips.width)
        first = 0 if selection.start is None else selection.start.y
        last = self.virtual_size.height - 1 if selection.end is None else selection.end.y
        spans: list[Span] = []
        for row, line in enumerate(self.lines_between(first, last), first):
            start, end = selection.get_span(row) or (0, 0)
            spans.append((line, max(start - margin, 0), len(line.text) if end < 0 else max(end - margin, 0)))
        return joined(spans), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Paint the selection."""
        if selection is not None and (bounded := self._bounded(selection)) != selection:
            self.screen.selections = {**self.screen.selections, self: bounded}
        else:
            self.refresh(self.size.region)

    def _bounded(self, selection: Selection) -> Selection:
        """End a selection whose other end is outside (on the scroll bar, say) at the pointer's row."""
        if (selection.start is None) == (selection.end is None):
            return selection
        y = min(max(self.app.mouse_position.y - self.region.y, 0), max(len(self._shown) - 1, 0))
        row = self._first_row + y
        if selection.end is None:
            return Selection(selection.start, Offset(self.region.width, row))
        return Selection(Offset(0, row), selection.end)

    def _move_selection(self, old: Sequence[Line], first: int) -> None:
        """Keep the selection on its text when estimates above it turned out wrong and all rows got other numbers."""
        selection = self.text_selection if self.is_attached else None
        if selection is None or selection.start is None or selection.end is None or not old or not self._shown:
            return
        shift = first - self._first_row
        if old[0] is self._shown[0]:
            moved = Selection(selection.start + Offset(0, shift), selection.end + Offset(0, shift))
            self.screen.selections = {**self.screen.selections, self: moved}
