"""The geometry of a transcript: blocks under each other, measured only where somebody looks.

Heights of unseen blocks are estimated from the length of their text. Whoever shows rows asks for them from a place (a
block, a piece of it, a row of that) on or up to the end; what is asked for is laid out and from then on exact. No
Textual here.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

from pi_tui.model import Changes, State
from pi_tui.render import BlockView, Context, Line, default_expanded, estimate, gap_between, view_of
from pi_tui.transcript.heights import Heights

KEPT_VIEWS = 300
"""Blocks whose rows stay in memory; of the others only the heights do."""


class Place(NamedTuple):
    """A row of the transcript: row `row` of piece `piece` of block `block`."""

    block: int
    piece: int
    row: int


class Row(NamedTuple):
    """A row and where it is."""

    place: Place
    line: Line


START = Place(0, 0, 0)


class Flow:
    """Lays out `state.blocks` for `context`."""

    def __init__(self, state: State, context: Context) -> None:
        self.context = context
        self.show(state)

    def show(self, state: State) -> None:
        """Show another state from scratch."""
        self.state = state
        self._views: OrderedDict[int, BlockView] = OrderedDict()
        self._forget_at = KEPT_VIEWS
        self._chosen: dict[int, bool] = {}
        """Blocks that the person expanded or collapsed."""
        self._heights = Heights(self._estimate(index) for index in range(len(state.blocks)))

    def apply(self, changes: Changes) -> None:
        """Take in what changed since the last call."""
        if changes.reset:
            self.show(self.state)
            return
        for index, offset in changes.blocks.items():
            if index >= len(self._heights):
                continue
            view = self._views.get(index)
            if view is None:
                self._heights.set(index, self._estimate(index))
            else:
                view.sync(self.context, offset)
                self._heights.set(index, view.height)
        for index in range(len(self._heights), len(self.state.blocks)):
            self._heights.append(self._estimate(index))

    def restyle(self, context: Context) -> None:
        """Lay out anew for another width, theme or setting; only what is seen costs anything but an estimate."""
        settings_changed = (context.tools_expanded, context.thinking_hidden) != (
            self.context.tools_expanded,
            self.context.thinking_hidden,
        )
        self.context = context
        if settings_changed:
            self._chosen.clear()
            self._views.clear()
        for view in self._views.values():
            view.restyle(context)
        heights = []
        for index in range(len(self.state.blocks)):
            view = self._views.get(index)
            heights.append(self._estimate(index) if view is None else view.height)
        self._heights = Heights(heights)

    def toggle(self, index: int) -> None:
        """Expand a block that is collapsed, or the other way round."""
        self._chosen[index] = not self.is_expanded(index)
        self._views.pop(index, None)
        self._heights.set(index, self._estimate(index))

    def touch(self, index: int) -> None:
        """Lay out a block anew although nothing in it changed: its timer goes on."""
        view = self._views.get(index)
        if view is not None:
            view.sync(self.context)
            self._heights.set(index, view.height)

    def is_expanded(self, index: int) -> bool:
        """True when the block is shown in full."""
        chosen = self._chosen.get(index)
        return default_expanded(self.state.blocks[index], self.context) if chosen is None else chosen

    @property
    def total(self) -> int:
        """Rows in all; an estimate as far as blocks were not seen."""
        return self._heights.total

    def __len__(self) -> int:
        return len(self._heights)

    # Places

    def row_of(self, place: Place) -> int:
        """Return the row of `place` from the top of the transcript."""
        if place.block >= len(self._heights):
            return self.total
        row = self._heights.before(place.block) + place.row
        return row + self._view(place.block).starts()[place.piece] if place.piece else row

    def place_at(self, row: int) -> Place:
        """Return the place `row` rows from the top; where nobody has looked yet this is as true as the estimates."""
        index, inside = self._heights.find(max(row, 0))
        while index < len(self._heights):
            view = self._view(index)
            if view.height:
                piece, inside = view.find(min(inside, view.height - 1))
                height = len(self._rows(index, piece))
                return Place(index, piece, min(inside, max(height - 1, 0)))
            index, inside = index + 1, 0
        return Place(len(self._heights), 0, 0)

    def valid(self, place: Place) -> Place:
        """Return `place`, or the nearest one where a change took it away."""
        if place.block >= len(self._heights):
            return Place(len(self._heights), 0, 0)
        view = self._view(place.block)
        if place.piece >= len(view.pieces):
            return Place(place.block, max(len(view.pieces) - 1, 0), 0)
        return Place(place.block, place.piece, min(place.row, max(len(self._rows(*place[:2])) - 1, 0)))

    def height_of(self, place: Place) -> int:
        """Return the rows of the piece that `place` is in."""
        place = self.valid(place)
        return len(self._rows(place.block, place.piece)) if place.block < len(self._heights) else 0

    def move(self, place: Place, rows: int) -> Place:
        """Return the place `rows` rows further down (up when negative), exactly, or the first or last one."""
        block, piece, row = self.valid(place)
        row += rows
        while row < 0:
            before = self._previous(block, piece)
            if before is None:
                return Place(block, piece, 0)
            block, piece = before
            row += len(self._rows(block, piece))
        while block < len(self._heights):
            height = len(self._rows(block, piece)) if self._view(block).pieces else 0
            if row < height:
                return Place(block, piece, row)
            row -= height
            block, piece = (block, piece + 1) if piece + 1 < len(self._view(block).pieces) else (block + 1, 0)
        return Place(block, 0, 0)

    # Rows

    def rows_from(self, place: Place, count: int) -> list[Row]:
        """Return up to `count` rows from `place` on."""
        block, piece, row = self.valid(place)
        out: list[Row] = []
        while block < len(self._heights) and len(out) < count:
            view = self._view(block)
            while piece < len(view.pieces) and len(out) < count:
                lines = self._rows(block, piece)
                for inside in range(row, min(len(lines), row + count - len(out))):
                    out.append(Row(Place(block, piece, inside), lines[inside]))
                piece, row = piece + 1, 0
            block, piece, row = block + 1, 0, 0
        return out

    def rows_at_end(self, count: int) -> list[Row]:
        """Return the last `count` rows, or all if there are fewer."""
        parts: list[list[Row]] = []
        missing = count
        at = self._previous(len(self._heights), 0)
        while at is not None and missing > 0:
            block, piece = at
            lines = self._rows(block, piece)
            first = max(len(lines) - missing, 0)
            parts.append([Row(Place(block, piece, row), lines[row]) for row in range(first, len(lines))])
            missing -= len(lines) - first
            at = self._previous(block, piece)
        return [row for part in reversed(parts) for row in part]

    def _previous(self, block: int, piece: int) -> tuple[int, int] | None:
        if piece > 0:
            return block, piece - 1
        while block > 0:
            block -= 1
            pieces = len(self._view(block).pieces)
            if pieces:
                return block, pieces - 1
        return None

    def _rows(self, block: int, piece: int) -> list[Line]:
        view = self._view(block)
        if not view.pieces:
            return []
        lines = view.rows(piece, self.context)
        self._heights.set(block, view.height)
        return lines

    def _view(self, index: int) -> BlockView:
        view = self._views.get(index)
        if view is not None:
            self._views.move_to_end(index)
            return view
        block = self.state.blocks[index]
        view = view_of(block, self.context, gap=self._gap(index), expanded=self.is_expanded(index))
        self._views[index] = view
        self._heights.set(index, view.height)
        if len(self._views) > self._forget_at:
            self._forget_at = len(self._views) + KEPT_VIEWS // 2
            for stale in list(self._views.values())[: -KEPT_VIEWS // 2]:
                stale.forget()
        return view

    def _gap(self, index: int) -> bool:
        blocks = self.state.blocks
        return gap_between(blocks[index - 1] if index else None, blocks[index])

    def _estimate(self, index: int) -> int:
        block = self.state.blocks[index]
        if not self.context.width:  # not laid out yet: nobody needs a guess for no width
            return 0
        return estimate(block, self.context, gap=self._gap(index), expanded=self.is_expanded(index))
