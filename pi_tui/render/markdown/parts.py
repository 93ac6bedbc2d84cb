"""The parts that streamed Markdown is cut into, each laid out on its own and only when it is seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from rich.style import Style

from pi_tui.render.code import highlight
from pi_tui.render.line import BLANK, Line, Run
from pi_tui.render.markdown.layout import code_lines, fence_line, markdown_lines
from pi_tui.render.text import rows_of
from pi_tui.render.wrap import wrap_plain
from pi_tui.theme import Theme

WHOLE_FENCE = 16_000
"""Characters up to which a closed fence is coloured as a whole; a longer one is coloured part by part."""


@dataclass(slots=True)
class Fence:
    """A code block that is cut into parts. `info` is the text after the opening markup."""

    info: str
    markup: str
    indent: int
    closed: bool = False
    texts: list[str] = field(default_factory=list)
    _coloured: tuple[Theme, str, list[list[Run]] | None] | None = None

    @property
    def language(self) -> str:
        """The first word of the info text."""
        return self.info.split()[0] if self.info else ""

    @property
    def whole(self) -> bool:
        """True when all of it is there and short enough to be coloured in one go."""
        return self.closed and sum(map(len, self.texts)) <= WHOLE_FENCE

    def coloured(self, code: str, theme: Theme) -> list[list[Run]] | None:
        """Return the coloured lines of `code`; the latest answer is kept."""
        kept = self._coloured
        if kept is None or kept[0] is not theme or kept[1] != code:
            kept = self._coloured = (theme, code, highlight(code, self.language, theme))
        return kept[2]


@dataclass(slots=True)
class Part:
    """A stretch of Markdown source that is laid out by itself.

    `gap`: a blank row stands before it. `start`: the number its ordered list goes on with. `joined`: its first row goes
    on where the part before was cut in mid-line. Parts of a `fence` say which of its lines they hold, and whether its
    opening and closing markup.
    """

    kind: Literal["markdown", "code", "plain"]
    text: str
    gap: bool = True
    start: int | None = None
    joined: bool = False
    fence: Fence | None = None
    row: int = 0
    rows: int = 0
    opens: bool = False
    closes: bool = False

    def estimate(self, width: int) -> int:
        """Return about how many rows it takes."""
        return rows_of(self.text, max(width, 1)) + self.gap + self.opens + self.closes

    def lines(self, theme: Theme, base: Style, width: int, env: dict[str, Any]) -> list[Line]:
        """Lay it out within `width` cells."""
        if self.kind == "markdown":
            lines = markdown_lines(self.text, theme, base, width, env, self.start)
        elif self.fence is not None:
            lines = self._code(self.fence, theme, base, width)
        else:
            lines = wrap_plain(self.text, base, width)
        if self.joined and lines:
            lines[0].glue = ""
        return [BLANK, *lines] if self.gap and lines else lines

    def _code(self, fence: Fence, theme: Theme, base: Style, width: int) -> list[Line]:
        lines: list[Line] = []
        if self.opens:
            lines.append(fence_line(fence.info, fence.markup, theme, base, width))
        if self.rows:
            lines += code_lines(self.text, self._coloured(fence, theme), theme, base, width)
        if self.closes:
            lines.append(fence_line("", fence.markup, theme, base, width))
        return lines

    def _coloured(self, fence: Fence, theme: Theme) -> list[list[Run]] | None:
        if fence.whole:
            whole = fence.coloured("\n".join(fence.texts), theme)
            return None if whole is None else whole[self.row : self.row + self.rows]
        if self.row < len(fence.texts) or fence.closed:
            return highlight(self.text, fence.language, theme)
        complete, newline, rest = self.text.rpartition("\n")
        above = fence.coloured(complete, theme) if newline else []
        last = highlight(rest, fence.language, theme)
        return None if above is None or last is None else [*above, *last]
