"""Numbered diffs: `+12 new`, `-12 old`, ` 12 same`, as the edit tool hands them over."""

from __future__ import annotations

import re

from rich.segment import Segment
from rich.style import Style

from pi_tui.render.context import Context
from pi_tui.render.line import Line, indent
from pi_tui.render.wrap import wrap_plain

_ROW = re.compile(r"([+\- ])(\s*\d+) ?(.*)", re.DOTALL)


def diff_lines(diff: str, context: Context) -> list[Line]:
    """Lay out a clean diff: sign and colour tell what was added or removed, wrapped rows hang under their text."""
    theme = context.theme
    styles = {"+": theme["toolDiffAdded"], "-": theme["toolDiffRemoved"], " ": theme["toolDiffContext"]}
    lines: list[Line] = []
    for row in diff.rstrip("\n").split("\n"):
        match = _ROW.fullmatch(row)
        if match is None:
            lines += wrap_plain(row, styles.get(row[:1], theme["dim"]), context.width)
            continue
        sign, number, text = match.groups()
        lines += _numbered(sign, number, text, styles[sign], context)
    return lines


def _numbered(sign: str, number: str, text: str, style: Style, context: Context) -> list[Line]:
    head = f"{number} {sign} "
    if context.width - len(head) < 8:
        return wrap_plain(f"{sign}{number} {text}", style, context.width, words=False)
    dim = context.theme["dim"] if sign == " " else style
    first = [Segment(number + " ", dim), Segment(f"{sign} ", style)]
    rest = [Segment(" " * len(head))]
    return indent(wrap_plain(text, style, context.width - len(head), words=False), first, rest, len(head), marker=True)
