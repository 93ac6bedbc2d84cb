"""One view per block: which pieces it has, how high each one is, and its rows, laid out when first seen.

A view keeps no copy of what it can ask the block for; `sync` takes in what changed, `rows` lays out one piece.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate

from rich.segment import Segment
from rich.style import Style

from pi_tui.model.blocks import TextBlock, ThinkingBlock, UserBlock
from pi_tui.render.context import Context
from pi_tui.render.line import BLANK, Line, indent, tint
from pi_tui.render.markdown.parts import Part
from pi_tui.render.markdown.split import Splitter
from pi_tui.render.text import clean, image_label, rows_of
from pi_tui.render.wrap import wrap_plain


class Piece:
    """A stretch of a block. `height` is estimated until `exact`; `lines` may be dropped and laid out again."""

    __slots__ = ("exact", "height", "lines")

    def __init__(self, height: int) -> None:
        self.height = height
        self.exact = False
        self.lines: list[Line] | None = None


class BlockView:
    """Base of all views. `gap` puts a blank row before the block; `expanded` is what the person chose for it."""

    def __init__(self, *, gap: bool, expanded: bool) -> None:
        self.gap = gap
        self.expanded = expanded
        self.pieces: list[Piece] = []
        self.height = 0
        self._starts: list[int] | None = None

    def sync(self, context: Context, offset: int = 0) -> None:
        """Take in that the block's text differs from `offset` on (0: anything may have changed)."""
        raise NotImplementedError

    def restyle(self, context: Context) -> None:
        """Take in that the width or the colours changed: nothing is exact any more."""
        self.sync(context)

    def layout(self, index: int, context: Context) -> list[Line]:
        """Return the rows of a piece, without the gap before the block."""
        raise NotImplementedError

    def rows(self, index: int, context: Context) -> list[Line]:
        """Return the rows of a piece, from the cache if it has them; its height is exact afterwards."""
        piece = self.pieces[index]
        if piece.lines is None:
            lines = self.layout(index, context)
            piece.lines = [BLANK, *lines] if self.gap and index == 0 and lines else lines
            if piece.height != len(piece.lines):
                self.height += len(piece.lines) - piece.height
                piece.height = len(piece.lines)
                self._starts = None
            piece.exact = True
        return piece.lines

    def find(self, row: int) -> tuple[int, int]:
        """Return the piece that holds `row` of the block and the row within it."""
        starts = self.starts()
        low, high = 0, len(self.pieces)
        while low < high:
            middle = (low + high) // 2
            if starts[middle] + self.pieces[middle].height <= row:
                low = middle + 1
            else:
                high = middle
        if low >= len(self.pieces):
            low = len(self.pieces) - 1
            return low, max(self.pieces[low].height - 1, 0)
        return low, row - starts[low]

    def starts(self) -> list[int]:
        """Return the row each piece begins at."""
        if self._starts is None:
            self._starts = [0, *accumulate([piece.height for piece in self.pieces])]
        return self._starts

    def forget(self) -> None:
        """Drop all rows; heights stay."""
        for piece in self.pieces:
            piece.lines = None

    def _set(self, first: int, heights: list[int]) -> None:
        """Replace the pieces from `first` on by unseen ones of these heights."""
        if first == 0 and heights and self.gap:
            heights[0] += 1
        before = sum([piece.height for piece in self.pieces[first:]])
        self.pieces[first:] = [Piece(height) for height in heights]
        self.height += sum(heights) - before
        self._starts = None


class WholeView(BlockView):
    """A block that is laid out in one go by `lay_out(context, expanded)`. `height` is a first guess."""

    def __init__(
        self, lay_out: Callable[[Context, bool], list[Line]], *, gap: bool, expanded: bool, height: int
    ) -> None:
        super().__init__(gap=gap, expanded=expanded)
        self._lay_out = lay_out
        self._guess = height

    def sync(self, context: Context, offset: int = 0) -> None:
        guess = self.pieces[0].height - self.gap if self.pieces else self._guess
        self._set(0, [guess])

    def layout(self, index: int, context: Context) -> list[Line]:
        return self._lay_out(context, self.expanded)


class MarkdownView(BlockView):
    """Text of the model, and its reasoning, as Markdown in parts."""

    def __init__(self, block: TextBlock | ThinkingBlock, *, gap: bool, expanded: bool) -> None:
        super().__init__(gap=gap, expanded=expanded)
        self.block = block
        self._restart()

    def _restart(self) -> None:
        self._splitter = Splitter()
        self._taken = 0
        self._has_escape = False
        self._label = False

    @property
    def _hidden(self) -> bool:
        return isinstance(self.block, ThinkingBlock) and not self.expanded

    def sync(self, context: Context, offset: int = 0) -> None:
        block = self.block
        if self._hidden:
            self._restart()
            self._label = True
            self._set(0, [1] if len(block.text) else [])
            return
        if self._label or offset < self._taken or (block.final and self._has_escape):
            self._restart()
        fresh = block.text.tail(self._taken)
        self._taken = len(block.text)
        if "\x1b" in fresh and not block.final:
            self._has_escape = True  # a sequence cut in two leaves scraps: read all of it again at the end
        first = self._splitter.feed(clean(fresh), final=block.final)
        self._set(first, self._estimates(first, context))

    def restyle(self, context: Context) -> None:
        if self._label:
            self.pieces[0:] = [Piece(piece.height) for piece in self.pieces]
        else:
            self._set(0, self._estimates(0, context))

    def _estimates(self, first: int, context: Context) -> list[int]:
        width = max(context.width, 1)
        heights = [part.estimate(width) for part in self._splitter.parts[first:]]
        if first == 0 and heights:
            heights[0] -= self._splitter.parts[0].gap
        return heights

    def layout(self, index: int, context: Context) -> list[Line]:
        base = Style.null()
        if isinstance(self.block, ThinkingBlock):
            base = context.theme["thinkingText"]
            if self._label:
                return wrap_plain("Thinking...", base, context.width)
        part = self._splitter.parts[index]
        lines = part.lines(context.theme, base, context.width, self._splitter.env)
        return lines[1:] if index == 0 and lines and lines[0] is BLANK else lines


class UserView(BlockView):
    """What a person sent, exactly as typed, on a background with a row of it above and below."""

    CHUNK = 6_000
    """Characters of a piece of a long message."""

    def __init__(self, block: UserBlock, *, gap: bool, expanded: bool) -> None:
        super().__init__(gap=gap, expanded=expanded)
        self.block = block

    def sync(self, context: Context, offset: int = 0) -> None:
        self._parts: list[Part] = []
        for text in self._chunks():
            self._parts.append(Part("plain", text, gap=False))
        heights = [rows_of(part.text, max(context.width, 1)) for part in self._parts]
        heights[0] += 1
        heights[-1] += 1
        self._set(0, heights)

    def _chunks(self) -> list[str]:
        text = clean(self.block.text).strip("\n")
        labels = [image_label(kind) for kind in self.block.images]
        text = "\n".join([text, *labels] if text else labels)
        chunks, at = [], 0
        while len(text) - at > self.CHUNK:
            cut = text.rfind("\n", at, at + self.CHUNK) + 1
            if cut <= at:
                cut = at + self.CHUNK
            chunks.append(text[at:cut].removesuffix("\n"))
            at = cut
        return [*chunks, text[at:]]

    def layout(self, index: int, context: Context) -> list[Line]:
        theme = context.theme
        has_bar = theme.depth != "full" and context.width > 10
        cells = context.width - 2 * has_bar
        lines = wrap_plain(self._parts[index].text, theme["userMessageText"], cells)
        if has_bar:  # without shades the background does not tell whose text it is
            bar = [Segment("▌ ", theme["accent"])]
            lines = indent(lines, bar, bar, 2)
        if index == 0:
            lines.insert(0, Line())
        if index == len(self._parts) - 1:
            lines.append(Line())
        return tint(lines, theme["userMessageBg"])
