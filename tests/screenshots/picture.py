"""A screen as runs of styled text, with its colours resolved: what the SVG and the PNG writer draw."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import TerminalTheme

ANSI_DARK = [
    *((40, 44, 52), (224, 108, 117), (152, 195, 121), (229, 192, 123), (97, 175, 239), (198, 120, 221), (86, 182, 194)),
    (171, 178, 191),
]
ANSI_BRIGHT = [
    *((92, 99, 112), (240, 130, 138), (170, 212, 140), (240, 208, 145), (120, 192, 250), (214, 145, 236)),
    *((110, 200, 212), (220, 223, 228)),
]
ANSI_LIGHT = [
    *((36, 41, 47), (176, 32, 40), (30, 110, 50), (130, 90, 0), (10, 90, 190), (120, 50, 150), (0, 110, 125)),
    (110, 119, 129),
]
DARK = TerminalTheme((22, 24, 29), (214, 218, 224), ANSI_DARK, ANSI_BRIGHT)
LIGHT = TerminalTheme((255, 255, 255), (36, 41, 47), ANSI_LIGHT)


@dataclass(frozen=True, slots=True)
class Run:
    """Text of one look. Colours are `#rrggbb`; `background` is empty for the picture's own. `column` counts cells."""

    text: str
    column: int
    colour: str
    background: str = ""
    bold: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False

    @property
    def cells(self) -> int:
        """The width in terminal cells."""
        return cell_len(self.text)


@dataclass(frozen=True, slots=True)
class Picture:
    """`rows` hold what is not blank on the picture's background."""

    columns: int
    rows: tuple[tuple[Run, ...], ...]
    colour: str
    background: str

    @property
    def lines(self) -> list[str]:
        """The screen as text, blanks at the ends removed."""
        lines = []
        for row in self.rows:
            line = ""
            for run in row:
                line += " " * (run.column - cell_len(line)) + run.text
            lines.append(line.rstrip())
        return lines

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self.lines)


def picture_of(strips: Sequence[Iterable[Segment]], columns: int, theme: TerminalTheme) -> Picture:
    """Return the picture of rows of segments."""
    colour, background = theme.foreground_color.hex, theme.background_color.hex
    return Picture(columns, tuple(tuple(_row(strip, theme, background)) for strip in strips), colour, background)


def _row(segments: Iterable[Segment], theme: TerminalTheme, background: str) -> Iterable[Run]:
    """The runs of one row: neighbours of one look joined, blanks on the picture's background left out."""
    runs: list[Run] = []
    column = 0
    for segment in segments:
        if segment.control or not segment.text:
            continue
        run = _run(segment.text, column, segment.style or Style.null(), theme, background)
        column += run.cells
        last = runs[-1] if runs else None
        if last and replace(last, text="", column=0) == replace(run, text="", column=0):
            runs[-1] = replace(last, text=last.text + run.text)
        else:
            runs.append(run)
    for run in runs:
        decorated = run.background or run.underline or run.strike
        if decorated:
            yield run
        elif text := run.text.strip(" "):
            yield replace(run, text=text, column=run.column + len(run.text) - len(run.text.lstrip(" ")))


def _run(text: str, column: int, style: Style, theme: TerminalTheme, own: str) -> Run:
    front = _resolved(style.color, theme, foreground=True)
    back = _resolved(style.bgcolor, theme, foreground=False)
    if style.reverse:
        front, back = back, front
    if style.dim:
        front = _between(front, back)
    return Run(
        text,
        column,
        front,
        "" if back == own else back,
        bold=bool(style.bold),
        italic=bool(style.italic),
        underline=bool(style.underline),
        strike=bool(style.strike),
    )


def _resolved(colour: Color | None, theme: TerminalTheme, *, foreground: bool) -> str:
    return (colour or Color.default()).get_truecolor(theme, foreground).hex


def _between(front: str, back: str) -> str:
    parts = ((int(front[i : i + 2], 16), int(back[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{(2 * near + far) // 3:02x}" for near, far in parts)
