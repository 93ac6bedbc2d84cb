"""The transcript widget: a state in, rows out, on a frame clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip

from pi_tui.model import Changes, State, TextBlock, ThinkingBlock, ToolBlock
from pi_tui.render import Context, Line
from pi_tui.theme import Theme
from pi_tui.transcript.clock import Clock, FrameClock, LoopClock
from pi_tui.transcript.rows import RowsView
from pi_tui.transcript.viewport import Viewport

HURRY = 40_000
"""Characters per second from which on nobody can follow, so that frames may be fewer."""


class TranscriptView(RowsView):
    """Shows a `State`. The app folds events into it and hands the changes to `apply`; the rest happens here.

    It follows the end until the person scrolls up or selects text (`following`, `FollowChanged`). Put it into a
    container of its own, and what is beside it too: Textual paints every widget whose container a change touches.
    """

    DEFAULT_CSS = """
    TranscriptView {
        height: 1fr;
    }
    """

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
        """`expand_key` is named in hints; `backlog` tells how many paints the terminal has not taken yet."""
        super().__init__(id=id)
        self._timing = clock or LoopClock()
        self._frames = FrameClock(self._request_frame, self._timing, backlog)
        self._viewport = Viewport(state, Context(0, theme, expand_key=expand_key, clock=state.clock))
        self._changes = Changes()
        self._was_following = True
        self._held = False
        """True while only a selection keeps the view from following the end."""
        self._tick_due = float("inf")
        self._last_frame = 0.0

    # What the app calls

    def apply(self, changes: Changes) -> None:
        """Take note of what a fold step touched; it is shown with the next frame."""
        self._changes.merge(changes)
        if self.is_attached and (changes.blocks or changes.reset):
            self._frames.request()

    def show(self, state: State) -> None:
        """Show another session, from its end."""
        self._changes = Changes()
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
        """True while a label stands in place of the model's reasoning; setting it forgets single choices."""
        return self._look.thinking_hidden

    @thinking_hidden.setter
    def thinking_hidden(self, hidden: bool) -> None:
        self._restyle(replace(self._look, thinking_hidden=hidden))

    def toggle_block(self, index: int) -> None:
        """Show more or less of the block at this position; its first row stays where it is on the screen."""
        if self._viewport.toggle(index):
            self._update()

    def scroll_rows(self, rows: int) -> None:
        """Scroll down by `rows`, up when negative."""
        self._viewport.scroll(rows)
        self._update()

    @property
    def _look(self) -> Context:
        return self._viewport.flow.context

    def _restyle(self, context: Context) -> None:
        self._viewport.resize(context, self._viewport.height)
        self._update()

    # Actions

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
        """To the person's message above the first row, else to the first row."""
        self._viewport.previous_prompt()
        self._update()

    def action_next_prompt(self) -> None:
        """To the person's message under the first row, else to the end."""
        self._viewport.next_prompt()
        self._update()

    def action_toggle_tools(self) -> None:
        """Expand or collapse all tool calls."""
        self.tools_expanded = not self.tools_expanded

    def action_toggle_thinking(self) -> None:
        """Hide or show all reasoning."""
        self.thinking_hidden = not self.thinking_hidden

    def on_click(self, event: events.Click) -> None:
        """Toggle the block under the pointer, unless the click ended a selection."""
        event.prevent_default()  # Textual would select everything on a double click
        event.stop()
        rows = self._viewport.rows
        if self.text_selection is None and 0 <= event.y < len(rows):
            self.toggle_block(rows[event.y].place.block)

    # Frames

    def _request_frame(self) -> None:
        if self.is_attached:
            self.call_next(self._frame)

    def _frame(self) -> None:
        """Show what came in since the last frame."""
        now = self._timing.now()
        if now >= self._tick_due:
            for index in self._running_calls():
                self._viewport.flow.touch(index)
        arrived = sum(self._grown(index, offset) for index, offset in self._changes.blocks.items())
        self._frames.hurried = arrived > HURRY * max(now - self._last_frame, 0.001)
        self._last_frame = now
        self._viewport.apply(self._take_changes())
        self._update(now)
        self._frames.spent(self._timing.now() - now)

    def _take_changes(self) -> Changes:
        changes, self._changes = self._changes, Changes()
        return changes

    def _grown(self, index: int, offset: int) -> int:
        blocks = self.state.blocks
        block = blocks[index] if index < len(blocks) else None
        return len(block.text) - offset if isinstance(block, TextBlock | ThinkingBlock) else 0

    def _update(self, now: float | None = None) -> None:
        """Bring the screen up to the viewport, and say when the next frame is due for its own sake."""
        viewport = self._viewport
        lines = [row.line for row in viewport.rows]
        wait = self.put_rows(lines, viewport.top, max(viewport.flow.total, len(lines)), now)
        if self.is_attached:
            tick = self._next_tick()
            self._tick_due = self._timing.now() + tick
            if min(wait, tick) < float("inf"):
                self._frames.request(min(wait, tick))
        if viewport.following != self._was_following:
            self._was_following = viewport.following
            self.post_message(self.FollowChanged(self, viewport.following))

    def _running_calls(self) -> list[int]:
        """Positions of the calls on the screen that run."""
        blocks = self.state.blocks
        indices = {row.place.block for row in self._viewport.rows}
        return [index for index in indices if blocks[index].kind == "tool" and _started(blocks[index]) is not None]

    def _next_tick(self) -> float:
        """Seconds until the timer of a running call on the screen shows another second; infinity without one."""
        now = self.state.clock()
        starts = [_started(self.state.blocks[index]) for index in self._running_calls()]
        return min((1.0 - (now - start) % 1.0 for start in starts if start is not None), default=float("inf"))

    def on_unmount(self) -> None:
        """Leave no timer behind."""
        self._frames.stop()

    # Rows

    def fit(self, width: int, height: int) -> None:
        """Lay out for another size, before anything of it is painted."""
        look, viewport = self._look, self._viewport
        if (width, height) != (look.width, viewport.height):
            viewport.flow.apply(self._take_changes())
            viewport.resize(look if width == look.width else replace(look, width=width), height)
            self._update()

    def scrolled_to(self, row: int) -> None:
        """Go where Textual wants to scroll."""
        self._viewport.scroll_to(row)
        self._update()

    def lines_between(self, first: int, last: int) -> list[Line]:
        """Return rows for copying."""
        flow = self._viewport.flow
        return [row.line for row in flow.rows_from(flow.place_at(first), last - first + 1)]

    def render_lines(self, crop: Region) -> list[Strip]:
        """Paint, and tell the frame clock what it cost."""
        begun = self._timing.now()
        strips = super().render_lines(crop)
        self._frames.spent(self._timing.now() - begun)
        return strips

    def selection_updated(self, selection: Selection | None) -> None:
        """Hold still while text is selected, so that it does not run away under the pointer."""
        if selection is not None and self._viewport.following:
            self._held = True
            self._viewport.hold()
        elif selection is None and self._held:
            self._held = False
            self._viewport.to_end()
        self._update()
        super().selection_updated(selection)


def _started(block: object) -> float | None:
    return block.started_at if isinstance(block, ToolBlock) and block.status == "running" else None
