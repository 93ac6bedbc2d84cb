"""The transcript widget: one scroll view over all blocks, painted from a frame clock.

Textual lays the widget out once and not again while text streams: growing and scrolling change the scroll offset and
the scroll bar without a layout, and only rows that differ from those on the screen are painted.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from pi_tui.model import Changes, State, TextBlock, ThinkingBlock, ToolBlock
from pi_tui.render import Context, Line
from pi_tui.theme import Theme
from pi_tui.transcript.clock import Clock, FrameClock, LoopClock
from pi_tui.transcript.copying import joined
from pi_tui.transcript.strips import Strips, margin_of
from pi_tui.transcript.viewport import Viewport

HURRY = 40_000
"""Characters per second from which on nobody can follow, so that frames may be fewer."""
SCROLLBAR_PACE = 0.5
"""Seconds between two states of the scroll bar while text streams: painting it costs as much as painting the text."""


class TranscriptView(ScrollView):
    """Shows a `State`. The app folds events into it and hands the changes to `apply`; the rest happens here.

    It follows the end until the person scrolls up or selects text (`following`, `FollowChanged`).
    """

    DEFAULT_CSS = """
    TranscriptView {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
    }
    """
    can_focus = False

    class FollowChanged(Message):
        """The view began or ceased to follow the end."""

        def __init__(self, view: TranscriptView, following: bool) -> None:
            super().__init__()
            self.view = view
            self.following = following

        @property
        def control(self) -> TranscriptView:
            """The view."""
            return self.view

    def __init__(
        self,
        state: State,
        theme: Theme,
        *,
        expand_key: str = "ctrl+o",
        clock: Clock | None = None,
        backlog: Callable[[], int] = lambda: 0,
        id: str | None = None,
    ) -> None:
        """`expand_key` is named in hints; `backlog` tells how many frames wait for the terminal."""
        super().__init__(id=id)
        self._clock = clock or LoopClock()
        self._frames = FrameClock(self._request_frame, self._clock, backlog)
        self._viewport = Viewport(state, Context(80, theme, expand_key=expand_key, clock=state.clock))
        self._strips = Strips()
        self._pending = Changes()
        self._lines: list[Line] = []
        """What is on the screen."""
        self._was_following = True
        self._held = False
        self._scrollbar_due = 0.0
        self._tick_due = float("inf")
        self._last_frame = 0.0

    # What the app calls

    def apply(self, changes: Changes) -> None:
        """Take note of what a fold step touched; it is shown with the next frame."""
        self._pending.merge(changes)
        if changes.blocks or changes.reset:
            self._frames.request()

    def show(self, state: State) -> None:
        """Show another session, from its end."""
        self._pending = Changes()
        self._viewport.flow.context = replace(self._viewport.flow.context, clock=state.clock)
        self._viewport.show(state)
        self._update()

    @property
    def state(self) -> State:
        """The state that is shown."""
        return self._viewport.state

    @property
    def following(self) -> bool:
        """True while the view keeps to the end."""
        return self._viewport.following

    @property
    def rows_below(self) -> int:
        """About how many rows lie under the last one on the screen."""
        return self._viewport.rows_below

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._restyle(replace(self._look, theme=theme))

    @property
    def tools_expanded(self) -> bool:
        """True while tool calls, commands and summaries are shown in full; setting it forgets single choices."""
        return self._look.tools_expanded

    @tools_expanded.setter
    def tools_expanded(self, expanded: bool) -> None:
        self._restyle(replace(self._look, tools_expanded=expanded))

    @property
    def thinking_hidden(self) -> bool:
        """True while a label stands in place of the model's reasoning."""
        return self._look.thinking_hidden

    @thinking_hidden.setter
    def thinking_hidden(self, hidden: bool) -> None:
        self._restyle(replace(self._look, thinking_hidden=hidden))

    @property
    def _look(self) -> Context:
        return self._viewport.flow.context

    def toggle_block(self, index: int) -> None:
        """Show more or less of the block at this position; its first row stays where it is on the screen."""
        if self._viewport.toggle(index):
            self._update()

    def _restyle(self, context: Context) -> None:
        self._viewport.resize(context, self._viewport.height)
        self._update()

    # Scrolling

    def scroll_rows(self, rows: int) -> None:
        """Scroll down by `rows`, up when negative."""
        self._viewport.scroll(rows)
        self._update()

    def action_page_up(self) -> None:
        """One screen up, but for one row."""
        self.scroll_rows(-max(self._viewport.height - 1, 1))

    def action_page_down(self) -> None:
        """One screen down, but for one row."""
        self.scroll_rows(max(self._viewport.height - 1, 1))

    def action_half_page_up(self) -> None:
        """Half a screen up."""
        self.scroll_rows(-max(self._viewport.height // 2, 1))

    def action_half_page_down(self) -> None:
        """Half a screen down."""
        self.scroll_rows(max(self._viewport.height // 2, 1))

    def action_line_up(self) -> None:
        """One row up."""
        self.scroll_rows(-1)

    def action_line_down(self) -> None:
        """One row down."""
        self.scroll_rows(1)

    def action_to_top(self) -> None:
        """To the first row."""
        self._viewport.to_top()
        self._update()

    def action_to_bottom(self) -> None:
        """To the end, and follow it."""
        self._viewport.to_end()
        self._update()

    def action_previous_prompt(self) -> None:
        """To the person's message above the first row."""
        self._viewport.previous_prompt()
        self._update()

    def action_next_prompt(self) -> None:
        """To the person's message under the first row, or to the end."""
        self._viewport.next_prompt()
        self._update()

    def action_toggle_tools(self) -> None:
        """Expand or collapse all tool calls."""
        self.tools_expanded = not self.tools_expanded

    def action_toggle_thinking(self) -> None:
        """Hide or show all reasoning."""
        self.thinking_hidden = not self.thinking_hidden

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Textual scrolled (wheel, bar, selecting): go there, and let what is found decide where that is."""
        if round(new_value) != self._viewport.top:
            self._viewport.scroll_to(round(new_value))
        self._update()

    # Frames

    def _request_frame(self) -> None:
        if self.is_attached:
            self.call_next(self._frame)

    def _frame(self) -> None:
        """Show what came in since the last frame."""
        now = self._clock.now()
        changes, self._pending = self._pending, Changes()
        if now >= self._tick_due:
            for index in {row.place.block for row in self._viewport.rows}:
                if _runs(self.state, index):
                    self._viewport.flow.touch(index)
        arrived = sum(self._grown(index, offset) for index, offset in changes.blocks.items())
        self._frames.hurried = arrived > HURRY * max(now - self._last_frame, 0.001)
        self._last_frame = now
        self._viewport.apply(changes)
        self._update(now)

    def _grown(self, index: int, offset: int) -> int:
        blocks = self.state.blocks
        block = blocks[index] if index < len(blocks) else None
        return len(block.text) - offset if isinstance(block, TextBlock | ThinkingBlock) else 0

    def _update(self, now: float | None = None) -> None:
        """Bring the screen up to the viewport: paint rows that differ, move the scroll bar, tell of following."""
        viewport, old = self._viewport, self._lines
        self._lines = [row.line for row in viewport.rows]
        if self.is_attached:
            self._paint_differences(old)
            self._place_scrollbar(self._clock.now() if now is None else now, at_once=now is None)
            self._schedule_tick()
        if viewport.following != self._was_following:
            self._was_following = viewport.following
            self.post_message(self.FollowChanged(self, viewport.following))

    def _paint_differences(self, old: list[Line]) -> None:
        new, width = self._lines, self.region.width
        count = max(len(old), len(new))
        begin: int | None = None
        regions: list[Region] = []
        for y in range(count + 1):
            differs = y < count and (y >= len(old) or y >= len(new) or not old[y].same(new[y]))
            if differs and begin is None:
                begin = y
            elif not differs and begin is not None:
                regions.append(Region(0, begin, width, y - begin))
                begin = None
        if regions:
            self.refresh(*regions)

    def _place_scrollbar(self, now: float, *, at_once: bool) -> None:
        viewport = self._viewport
        total = max(viewport.flow.total, len(viewport.rows))
        size = Size(self.scrollable_content_region.width, total)
        if size != self.virtual_size:
            self.set_reactive(Widget.virtual_size, size)
        if self.scroll_y != viewport.top:
            self.set_reactive(Widget.scroll_y, float(viewport.top))
        self.set_reactive(Widget.scroll_target_y, float(viewport.top))
        bar = self.vertical_scrollbar
        if (bar.window_virtual_size, bar.window_size, bar.position) == (total, viewport.height, viewport.top):
            return
        if not at_once and now < self._scrollbar_due:
            self._frames.request(self._scrollbar_due - now)
            return
        self._scrollbar_due = now + SCROLLBAR_PACE
        bar.window_virtual_size, bar.window_size, bar.position = total, viewport.height, viewport.top

    def _schedule_tick(self) -> None:
        """Ask for a frame when the next second of a running call's timer is full."""
        now, due = self.state.clock(), float("inf")
        for index in {row.place.block for row in self._viewport.rows}:
            block = self.state.blocks[index]
            if isinstance(block, ToolBlock) and block.status == "running" and block.started_at is not None:
                due = min(due, 1.0 - (now - block.started_at) % 1.0)
        self._tick_due = self._clock.now() + due
        if due < float("inf"):
            self._frames.request(due)

    def on_unmount(self) -> None:
        """Leave no timer behind."""
        self._frames.stop()

    # Textual

    def _fit(self) -> None:
        """Lay out for the size that Textual gave us, before anything of it is painted."""
        region = self.scrollable_content_region
        width = max(region.width - 2 * margin_of(region.width), 1)
        context, viewport = self._viewport.flow.context, self._viewport
        if (width, region.height) != (context.width, viewport.height) and region.width and region.height:
            viewport.apply(self._take_pending())
            viewport.resize(context if width == context.width else replace(context, width=width), region.height)
            self._lines = [row.line for row in viewport.rows]
            self._place_scrollbar(self._clock.now(), at_once=True)

    def _take_pending(self) -> Changes:
        changes, self._pending = self._pending, Changes()
        return changes

    def on_resize(self) -> None:
        """Lay out for the new size."""
        self._fit()
        self._update()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the strips to paint; Textual's own style cache is passed by, since rows carry all their styles."""
        begun = time.perf_counter()
        self._fit()
        _, background = self.background_colors
        filters = tuple(self.get_line_filters())
        self._strips.configure(self.scrollable_content_region.width, self.visual_style.rich_style, background, filters)
        selection = self.text_selection
        strips = [self._strip(y, selection) for y in crop.line_range]
        left, right = crop.column_span
        if left or right < self._strips.width:
            strips = [strip.crop(left, right) for strip in strips]
        self._frames.spent(time.perf_counter() - begun)
        return strips

    def render_line(self, y: int) -> Strip:
        """Return a row with the offsets that selecting needs; painting goes through `render_lines`."""
        return self.render_lines(Region(0, y, self.region.width, 1))[0].apply_offsets(0, self._viewport.top + y)

    def _strip(self, y: int, selection: Selection | None) -> Strip:
        if y >= len(self._lines):
            return self._strips.blank
        line = self._lines[y]
        span = None if selection is None else selection.get_span(self._viewport.top + y)
        if span is None:
            return self._strips.of(line)
        start, end = span
        style = self.screen.get_component_rich_style("screen--selection")
        length = margin_of(self._strips.width) + len(line.text)
        return self._strips.selected(line, start, length if end < 0 else min(end, length), style)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the selected text as it was written, soft wraps joined and gutters dropped."""
        flow, margin = self._viewport.flow, margin_of(self._strips.width)
        first = 0 if selection.start is None else selection.start.y
        last = flow.total - 1 if selection.end is None else selection.end.y
        spans = []
        for y, row in enumerate(flow.rows_from(flow.place_at(first), last - first + 1), first):
            start, end = selection.get_span(y) or (0, 0)
            length = len(row.line.text)
            spans.append((row.line, max(start - margin, 0), length if end < 0 else max(end - margin, 0)))
        return joined(spans), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Hold still while text is selected, so that it does not run away under the pointer."""
        if selection is not None and self._viewport.following:
            self._held = True
            self._viewport.hold()
        elif selection is None and self._held:
            self._held = False
            self._viewport.to_end()
        self._update()
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Toggle the block under the pointer."""
        event.prevent_default()
        event.stop()
        rows = self._viewport.rows
        if self.text_selection is None and 0 <= event.y < len(rows):
            self.toggle_block(rows[event.y].place.block)


def _runs(state: State, index: int) -> bool:
    block = state.blocks[index]
    return isinstance(block, ToolBlock) and block.status == "running"
