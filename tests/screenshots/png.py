"""Draws a picture as PNG. Needs Pillow and the font DejaVu Sans Mono, which are not part of the environment.

NoPng        they are missing; the text says how to get them
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from rich.cells import cell_len

from tests.screenshots.picture import Picture, Run

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

SIZE, CELL, LINE, MARGIN = 28, 17, 36, 24
"""Pixels; twice as fine as a screen usually is."""

COLOURS = 96
FOLDERS = ("/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/TTF", "/Library/Fonts", "~/Library/Fonts", "~/.fonts")
FACES = {
    (False, False): "DejaVuSansMono.ttf",
    (True, False): "DejaVuSansMono-Bold.ttf",
    (False, True): "DejaVuSansMono-Oblique.ttf",
    (True, True): "DejaVuSansMono-BoldOblique.ttf",
}
BRAILLE = range(0x2800, 0x2900)
BOX = {
    "─": "lr",
    "│": "ud",
    "┌": "rd",
    "┐": "ld",
    "└": "ru",
    "┘": "lu",
    "├": "rud",
    "┤": "lud",
    "┬": "lrd",
    "┴": "lru",
    "┼": "lrud",
}
DOTS = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))
"""Column and row of the dots of a braille pattern, by bit: the font has none, and the spinner is made of them."""


class NoPng(RuntimeError):
    """What it takes is not installed."""


class Painter:
    """Draws pictures. Raises NoPng."""

    def __init__(self) -> None:
        try:
            from PIL import ImageFont
        except ImportError as error:
            raise NoPng("PNG files need Pillow: pip install pillow") from error
        paths = [Path(folder).expanduser() for folder in FOLDERS]
        folder = next((path for path in paths if (path / FACES[False, False]).is_file()), None)
        if folder is None:
            raise NoPng("PNG files need the font DejaVu Sans Mono (Debian: apt install fonts-dejavu)")
        plain = folder / FACES[False, False]
        self._fonts = {
            look: ImageFont.truetype(folder / name if (folder / name).is_file() else plain, SIZE)
            for look, name in FACES.items()
        }

    def png_of(self, picture: Picture) -> bytes:
        """Return the PNG file."""
        from PIL import Image, ImageDraw

        size = (picture.columns * CELL + 2 * MARGIN, len(picture.rows) * LINE + 2 * MARGIN)
        image = Image.new("RGB", size, picture.background)
        draw = ImageDraw.Draw(image)
        for number, row in enumerate(picture.rows):
            for run in row:
                self._run(draw, run, MARGIN + number * LINE)
        out = BytesIO()
        image.quantize(COLOURS).save(out, "PNG", optimize=True)
        return out.getvalue()

    def _run(self, draw: ImageDraw, run: Run, top: int) -> None:
        left, right = MARGIN + run.column * CELL, MARGIN + (run.column + run.cells) * CELL
        if run.background:
            draw.rectangle((left, top, right - 1, top + LINE - 1), fill=run.background)
        font = self._fonts[run.bold, run.italic]
        x = left
        for char in run.text:
            if ord(char) in BRAILLE:
                _braille(draw, ord(char) - BRAILLE.start, x, top, run.colour)
            elif char in BOX:
                _box(draw, BOX[char], x, top, run.colour)
            else:
                draw.text((x, top + 3), char, font=font, fill=run.colour)
            x += cell_len(char) * CELL
        for on, y in ((run.underline, top + LINE - 5), (run.strike, top + LINE // 2)):
            if on:
                draw.line((left, y, right - 1, y), fill=run.colour, width=2)


def _box(draw: ImageDraw, arms: str, x: int, top: int, colour: str) -> None:
    """Lines from the middle of the cell, so that they meet those of its neighbours."""
    middle, centre = x + CELL // 2, top + LINE // 2
    boxes = {
        "l": (x, centre, middle + 1, centre + 1),
        "r": (middle, centre, x + CELL - 1, centre + 1),
        "u": (middle, top, middle + 1, centre + 1),
        "d": (middle, centre, middle + 1, top + LINE - 1),
    }
    for arm in arms:
        draw.rectangle(boxes[arm], fill=colour)


def _braille(draw: ImageDraw, bits: int, x: int, top: int, colour: str) -> None:
    for bit, (column, row) in enumerate(DOTS):
        if bits >> bit & 1:
            left, upper = x + 3 + column * 7, top + 6 + row * 7
            draw.ellipse((left, upper, left + 4, upper + 4), fill=colour)
