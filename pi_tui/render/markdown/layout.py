"""Block tokens to lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.segment import Segment
from rich.style import Style

from pi_tui.render.code import highlight
from pi_tui.render.line import BLANK, UNDERLINE, Line, Run, indent
from pi_tui.render.markdown.inline import runs_of
from pi_tui.render.markdown.parser import NESTING, parse
from pi_tui.render.markdown.table import table_lines
from pi_tui.render.wrap import wrap, wrap_plain
from pi_tui.theme import Theme

if TYPE_CHECKING:
    from markdown_it.token import Token

TOO_DEEP = NESTING - 2
"""Levels of nesting from which on the parser may drop what is inside: such text is shown as it is."""
NARROW = 8
"""Cells that text keeps: where less would be left, nested lists and quotes are not indented any further."""


def markdown_lines(
    text: str,
    theme: Theme,
    base: Style,
    width: int,
    env: dict[str, Any] | None = None,
    start: int | None = None,
) -> list[Line]:
    """Lay out clean Markdown text within `width` cells, over the style `base`.

    `env` holds link definitions met so far; `start` is the number that an ordered list at the beginning goes on with.
    """
    tokens = parse(text, {} if env is None else env)
    if max([token.level for token in tokens], default=0) >= TOO_DEEP:
        return wrap_plain(text, base, width)
    if start is not None and tokens and tokens[0].type == "ordered_list_open":
        tokens[0].attrs["start"] = start
    return _Layout(text, tokens, theme).blocks(0, len(tokens), width, base)


def code_lines(code: str, coloured: list[list[Run]] | None, theme: Theme, base: Style, width: int) -> list[Line]:
    """Lay out code, with the coloured runs of its lines where there are some, in two columns of indentation."""
    plain = base + theme["mdCodeBlock"]
    pad = [Segment("  ")] if width > NARROW else []
    cells = width - 2 if pad else width
    lines: list[Line] = []
    if coloured is None:
        lines = wrap_plain(code, plain, cells, words=False)
    else:
        for runs in coloured:
            lines += wrap(runs, cells, words=False)
    return indent(lines, pad, pad, len(pad) * 2)


def fence_line(info: str, markup: str, theme: Theme, base: Style, width: int) -> Line:
    """The row that opens or closes a code block."""
    return wrap_plain(f"{markup}{info}", base + theme["mdCodeBlockBorder"], width, words=False)[0]


class _Layout:
    def __init__(self, text: str, tokens: list[Token], theme: Theme) -> None:
        self.source = text.split("\n")
        self.tokens = tokens
        self.theme = theme

    def blocks(self, start: int, end: int, width: int, base: Style, *, in_list: bool = False) -> list[Line]:
        """Lay out the sibling blocks of tokens[start:end], apart by a blank row.

        In a list there is one only where the source has one: going by CommonMark's "loose" instead would move the items
        while the rest of the list arrives.
        """
        lines: list[Line] = []
        at = start
        while at < end:
            token = self.tokens[at]
            stop = self._end_of(at)
            block = self._block(token, at, stop, width, base)
            if lines and block and (not in_list or self._blank_before(token)):
                lines.append(BLANK)
            lines += block
            at = stop + 1
        return lines

    def _blank_before(self, token: Token) -> bool:
        line = token.map[0] if token.map else 0
        return line > 0 and not self.source[line - 1].strip(" >")

    def _end_of(self, at: int) -> int:
        """Return the position of the token that closes the one at `at`."""
        token = self.tokens[at]
        if token.nesting != 1:
            return at
        at += 1
        while not (self.tokens[at].nesting == -1 and self.tokens[at].level == token.level):
            at += 1
        return at

    def _block(self, token: Token, at: int, stop: int, width: int, base: Style) -> list[Line]:
        theme, kind = self.theme, token.type
        if kind == "paragraph_open":
            return wrap(runs_of(self.tokens[at + 1].children or [], theme, base), width)
        if kind == "heading_open":
            style = base + theme["mdHeading"]
            if token.tag == "h1":
                style += UNDERLINE
            return wrap(runs_of(self.tokens[at + 1].children or [], theme, style), width)
        if kind in ("bullet_list_open", "ordered_list_open"):
            return self._list(token, at, stop, width, base)
        if kind in ("fence", "code_block"):
            return self._code(token, width, base)
        if kind == "blockquote_open":
            return self._quote(at, stop, width, base)
        if kind == "table_open":
            return table_lines(self.tokens[at : stop + 1], theme, base, width)
        if kind == "hr":
            cells = min(width, 60)
            return [Line([Segment("─" * cells, base + theme["mdHr"])], cells)]
        return wrap_plain(token.content.rstrip("\n"), base, width) if token.content else []

    def _code(self, token: Token, width: int, base: Style) -> list[Line]:
        code = token.content.removesuffix("\n")
        language = token.info.split()[0] if token.info.strip() else ""
        body: list[Line] = []
        if token.content:
            body = code_lines(code, highlight(code, language, self.theme), self.theme, base, width)
        if token.type == "code_block":
            return body
        markup = token.markup
        head = fence_line(token.info.strip(), markup, self.theme, base, width)
        return [head, *body, fence_line("", markup, self.theme, base, width)]

    def _quote(self, at: int, stop: int, width: int, base: Style) -> list[Line]:
        style = base + self.theme["mdQuote"]
        if width - 2 < NARROW:
            return self.blocks(at + 1, stop, width, style)
        bar = [Segment("│ ", base + self.theme["mdQuoteBorder"])]
        return indent(self.blocks(at + 1, stop, width - 2, style), bar, bar, 2)

    def _list(self, token: Token, at: int, stop: int, width: int, base: Style) -> list[Line]:
        ordered = token.type == "ordered_list_open"
        number = int(token.attrs.get("start", 1)) if ordered else 0
        items = []
        inner = at + 1
        while inner < stop:
            end = self._end_of(inner)
            items.append((inner + 1, end))
            inner = end + 1
        size = len(str(number + len(items) - 1)) + 2 if ordered else 2
        if width - size < NARROW:
            size = 0
        lines: list[Line] = []
        for position, (first, end) in enumerate(items):
            marker = f"{number + position}." if ordered else "•"
            body = self.blocks(first, end, width - size, base, in_list=True) or [Line()]
            if lines and self._blank_before(self.tokens[first - 1]):
                lines.append(BLANK)
            if not size:
                lines += wrap([(marker + " ", base + self.theme["mdListBullet"])], width) + body
                continue
            head = [Segment(marker.ljust(size), base + self.theme["mdListBullet"])]
            lines += indent(body, head, [Segment(" " * size)], size, marker=True)
        return lines
