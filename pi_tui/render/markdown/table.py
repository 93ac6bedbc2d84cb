"""Tables with box characters, or as a list of records where the columns do not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from pi_tui.render.line import BOLD, Line, Run
from pi_tui.render.markdown.inline import runs_of
from pi_tui.render.wrap import split_lines, wrap
from pi_tui.theme import Theme

if TYPE_CHECKING:
    from markdown_it.token import Token

LEAST = 4
"""Cells below which a column is not worth having."""

Cell = list[Run]


def table_lines(tokens: list[Token], theme: Theme, base: Style, width: int) -> list[Line]:
    """Lay out the tokens between (and with) `table_open` and `table_close` within `width` cells."""
    rows: list[list[Cell]] = []
    aligns: list[str] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open") and len(rows) == 1:
            aligns.append(str(token.attrs.get("style", "")).removeprefix("text-align:"))
        elif token.type == "inline":
            style = base + BOLD if len(rows) == 1 else base
            rows[-1].append(runs_of(token.children or [], theme, style))
    columns = len(rows[0]) if rows else 0
    if not columns:
        return []
    room = width - 3 * columns - 1
    if room < LEAST * columns:
        return _records(rows, theme, base, width)
    widths = _fit([max(_natural(row[column]) for row in rows) for column in range(columns)], room)
    return _grid(rows, widths, aligns, base + theme["mdHr"])


def _natural(cell: Cell) -> int:
    return max(sum(cell_len(text) for text, _ in line) for line in split_lines(cell))


def _fit(natural: list[int], room: int) -> list[int]:
    """Share `room` cells out: a column keeps what it needs if that is less than an even share of what is left."""
    widths = [max(size, 1) for size in natural]
    if sum(widths) <= room:
        return widths
    left, open_columns = room, set(range(len(widths)))
    while True:
        share = left // len(open_columns)
        small = {column for column in open_columns if widths[column] <= share}
        if not small:
            break
        left -= sum(widths[column] for column in small)
        open_columns -= small
    for position, column in enumerate(sorted(open_columns)):
        widths[column] = left // (len(open_columns) - position)
        left -= widths[column]
    return widths


def _grid(rows: list[list[Cell]], widths: list[int], aligns: list[str], border: Style) -> list[Line]:
    total = sum(widths) + 3 * len(widths) + 1

    def rule(left: str, middle: str, right: str) -> Line:
        text = left + middle.join("─" * (width + 2) for width in widths) + right
        return Line([Segment(text, border)], total)

    lines = [rule("┌", "┬", "┐")]
    for number, row in enumerate(rows):
        if number == 1:
            lines.append(rule("├", "┼", "┤"))
        cells = [wrap(cell, width) for cell, width in zip(row, widths, strict=True)]
        for height in range(max(map(len, cells))):
            segments = []
            for cell, width, align in zip(cells, widths, aligns, strict=True):
                segments.append(Segment("│ ", border))
                line = cell[height] if height < len(cell) else Line()
                space = max(width - line.width, 0)
                left = {"right": space, "center": space // 2}.get(align, 0)
                if left:
                    segments.append(Segment(" " * left))
                segments += line.segments
                segments.append(Segment(" " * (space - left + 1)))
            segments.append(Segment("│", border))
            lines.append(Line(segments, total))
    lines.append(rule("└", "┴", "┘"))
    return lines


def _records(rows: list[list[Cell]], theme: Theme, base: Style, width: int) -> list[Line]:
    """One `heading: value` row per cell, records apart by a blank row."""
    header, *body = rows
    lines: list[Line] = []
    for row in body:
        if lines:
            lines.append(Line())
        for name, cell in zip(header, row, strict=True):
            lines += wrap([*name, (": ", base), *cell], width)
    return lines or wrap([run for cell in header for run in (*cell, (" ", base))], width)
