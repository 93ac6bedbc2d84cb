"""Plain output of programs and tools: its head or its tail, or all of it up to a bound."""

from __future__ import annotations

from rich.style import Style

from pi_tui.render.context import Context
from pi_tui.render.hints import hint, more
from pi_tui.render.line import Line
from pi_tui.render.wrap import wrap_plain

EXPANDED_ROWS = 2_000
"""Rows of one block, however far it is expanded."""
ROW_LIMIT = 2_000
"""Characters of one line of output that are shown."""


def tail(text: str, rows: int, style: Style, context: Context) -> list[Line]:
    """The last `rows` rows of clean text, under a remark on what came before.

    Only the end of the text is looked at, so that a long live output costs no more than a short one.
    """
    end = len(text.rstrip("\n"))
    shown: list[Line] = []
    while end > 0 and len(shown) < rows:
        begin = text.rfind("\n", 0, end) + 1
        line = (
            text[max(begin, end - rows * context.width) : end]
            if end - begin > rows * context.width
            else text[begin:end]
        )
        shown = [*wrap_plain(line, style, context.width), *shown]
        end = begin - 1
    shown = shown[-rows:]
    earlier = text.count("\n", 0, end) + 1 if end > 0 else 0
    return [*more(earlier, "earlier", context), *shown]


def head(text: str, rows: int, style: Style, context: Context) -> list[Line]:
    """The first `rows` lines of clean text, over a remark on what follows."""
    lines = text.rstrip("\n").split("\n")
    shown = [line[:ROW_LIMIT] for line in lines[:rows]]
    return [*wrap_plain("\n".join(shown), style, context.width), *more(len(lines) - rows, "more", context)]


def whole(text: str, style: Style, context: Context) -> list[Line]:
    """All of the clean text, up to the bound."""
    if not text.strip():
        return []
    lines = wrap_plain(text.rstrip("\n"), style, context.width)
    if len(lines) <= EXPANDED_ROWS:
        return lines
    rest = len(lines) - EXPANDED_ROWS
    return [*lines[:EXPANDED_ROWS], *hint(f"… {rest:,} more rows, not shown", context)]
