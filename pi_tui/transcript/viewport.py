"""Which rows are on the screen: following the end, or held at a place that survives whatever changes around it.

No Textual here: the widget asks for the rows and paints them.
"""

from __future__ import annotations

from collections.abc import Iterable

from pi_tui.model import Changes, State, UserBlock
from pi_tui.render import Context, can_expand
from pi_tui.transcript.flow import START, Flow, Place, Row

EXACT = 4
"""Screens up to which scrolling lays out all it passes; further jumps go by the estimates."""


class Viewport:
    """A window of `height` rows over a `Flow`. Every change of it ends with new `rows`, `top` and `following`.

    `top` is the number of rows above, as far as they were measured an exact one.
    """

    def __init__(self, state: State, context: Context) -> None:
        self.flow = Flow(state, context)
        self.rows: list[Row] = []
        self.top = 0
        self.height = 0
        self.following = True
        self._anchor = START
        self._origin: tuple[Place, int] | None = None
        """Where the person last went and how high that piece was: sizes in between must not make the place drift."""

    @property
    def state(self) -> State:
        """The state that is shown."""
        return self.flow.state

    @property
    def rows_below(self) -> int:
        """About how many rows lie under the last one shown."""
        return max(self.flow.total - self.top - len(self.rows), 0)

    def show(self, state: State) -> None:
        """Show another state, from its end."""
        self.flow.show(state)
        self.following, self._anchor = True, START
        self.lay_out()

    def apply(self, changes: Changes) -> None:
        """Take in changes."""
        self.flow.apply(changes)
        self.lay_out()

    def resize(self, context: Context, height: int) -> None:
        """Take over another size, theme or setting; the first row stays the same text as nearly as can be."""
        if context is not self.flow.context:
            if not self.following and self._origin is None:
                self._origin = self._anchor, self.flow.height_of(self._anchor)
            self.flow.restyle(context)
            if not self.following and self._origin is not None and self._origin[1]:
                place, before = self._origin
                self._anchor = place._replace(row=place.row * self.flow.height_of(place) // before)
        self.height = height
        self.lay_out()

    def lay_out(self, *, downward: bool = False) -> None:
        """Choose the rows anew. `downward`: the person went down, so reaching the end means to follow it again."""
        flow, height = self.flow, self.height
        if not height:
            self.rows = []
            return
        if not self.following:
            self.rows = flow.rows_from(self._anchor, height)
            at_end = len(self.rows) < height or (downward and self._ends_at_end())
            self.following = at_end
        if self.following:
            self.rows, self._origin = flow.rows_at_end(height), None
        self._anchor = self.rows[0].place if self.rows else START
        self.top = flow.row_of(self._anchor)

    def _ends_at_end(self) -> bool:
        return bool(self.rows) and self.flow.move(self.rows[-1].place, 1).block >= len(self.flow)

    # Moving

    def scroll(self, rows: int) -> None:
        """Go down by `rows`, up when negative, laying out all that is passed."""
        if rows and self.rows and not (rows > 0 and self.following):
            self._go(self.flow.move(self._anchor, rows), downward=rows > 0)

    def scroll_to(self, row: int) -> None:
        """Go to where `row` is on top: exactly when it is near, else as true as the estimates are."""
        distance = row - self.top
        if abs(distance) <= EXACT * self.height:
            self.scroll(distance)
        else:
            self._go(self.flow.place_at(row), downward=distance > 0)

    def to_top(self) -> None:
        """Go to the first row."""
        self._go(START)

    def to_end(self) -> None:
        """Go to the end and follow it."""
        self.following = True
        self.lay_out()

    def hold(self) -> None:
        """Cease to follow the end, where the view stands."""
        self.following = self.following and not self.rows

    def previous_prompt(self) -> None:
        """Go to the last message of the person above the first row, else to the first row."""
        if not self._to_prompt(range(min(self._anchor.block, len(self.flow) - 1), -1, -1), above=True):
            self.to_top()

    def next_prompt(self) -> None:
        """Go to the next message of the person under the first row, else to the end."""
        if self.following or not self._to_prompt(range(self._anchor.block, len(self.flow)), above=False):
            self.to_end()

    def _to_prompt(self, indices: Iterable[int], *, above: bool) -> bool:
        for index in indices:
            place = Place(index, 0, 1 if index else 0)  # under the blank row that parts it from the block before
            beyond = place < self._anchor if above else place > self._anchor
            if beyond and isinstance(self.state.blocks[index], UserBlock):
                self._go(place, downward=not above)
                return True
        return False

    def _go(self, place: Place, *, downward: bool = False) -> None:
        self._anchor, self._origin, self.following = place, None, False
        self.lay_out(downward=downward)

    def toggle(self, index: int) -> bool:
        """Show more or less of a block, whose first row stays where it is; False when there is nothing to toggle."""
        if not can_expand(self.state.blocks[index]):
            return False
        above = next((y for y, row in enumerate(self.rows) if row.place.block == index), 0)
        begins_above = bool(self.rows) and self.rows[above].place > Place(index, 0, 0)
        self.flow.toggle(index)
        first = Place(index, 0, 0)
        self._go(first if begins_above else self.flow.move(first, -above), downward=True)
        return True
