"""Text out of rows: soft wraps joined, margins and gutters dropped."""

from __future__ import annotations

from collections.abc import Iterable

from pi_tui.render import Line

Span = tuple[Line, int, int]
"""A row and the characters of it that are selected: from, to."""


def joined(spans: Iterable[Span]) -> str:
    """Return the text of the selected characters as it was written: one line per logical line."""
    out: list[str] = []
    first = True
    for line, start, end in spans:
        text = line.text[max(start, line.gutter) : end]
        if first:
            out.append(text)
        elif line.glue is None:
            out += ["\n", text]
        else:
            out += [line.glue, text]
        first = False
    return "\n".join(row.rstrip() for row in "".join(out).split("\n"))
