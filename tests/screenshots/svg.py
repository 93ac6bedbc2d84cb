"""Draws a picture as SVG: plain shapes and text, no script, no remote font, the same bytes for the same picture."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from tests.screenshots.picture import Picture, Run

CELL, LINE, SIZE, MARGIN = 8.4, 19, 14, 12
"""Pixels: a cell's width, a row's height, the font's size, the space around."""

FONTS = "ui-monospace, 'JetBrains Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace"


def svg_of(picture: Picture, title: str) -> str:
    """Return the SVG document; `title` is its accessible name."""
    width, height = picture.columns * CELL + 2 * MARGIN, len(picture.rows) * LINE + 2 * MARGIN
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" font-family="{FONTS}" font-size="{SIZE}" fill="{picture.colour}">\n'
        f"<title>{escape(title)}</title>\n"
        f'<rect width="100%" height="100%" rx="8" fill="{picture.background}"/>\n'
    )
    return head + "".join(f"{line}\n" for line in _rows(picture)) + "</svg>\n"


def _rows(picture: Picture) -> Iterator[str]:
    for number, row in enumerate(picture.rows):
        top = MARGIN + number * LINE
        for run in row:
            if run.background:
                x, width = MARGIN + run.column * CELL, run.cells * CELL
                yield f'<rect x="{x:g}" y="{top}" width="{width:g}" height="{LINE}" fill="{run.background}"/>'
        for run in row:
            if run.text.strip():
                yield _text(run, top, picture.colour)


def _text(run: Run, top: int, own: str) -> str:
    text = run.text.rstrip(" ")
    blanks = len(text) - len(text.lstrip(" "))
    x = MARGIN + (run.column + blanks) * CELL
    cells = run.cells - (len(run.text) - len(text)) - blanks
    looks = [f' fill="{run.colour}"' if run.colour != own else ""]
    looks.append(' font-weight="bold"' if run.bold else "")
    looks.append(' font-style="italic"' if run.italic else "")
    lines = [name for name, on in (("underline", run.underline), ("line-through", run.strike)) if on]
    looks.append(f' text-decoration="{" ".join(lines)}"' if lines else "")
    return (
        f'<text x="{x:g}" y="{top + SIZE}" textLength="{cells * CELL:g}" xml:space="preserve"{"".join(looks)}>'
        f"{escape(text.lstrip(' '), quote=False)}</text>"
    )
