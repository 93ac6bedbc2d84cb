"""Select Graphic Rendition: `CSI ... m` in every common spelling, applied to a `Style`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from tests.support.grid import Colour, Style

_FLAGS: dict[int, Callable[[Style, bool], Style]] = {
    1: lambda style, on: replace(style, bold=on),
    2: lambda style, on: replace(style, dim=on),
    3: lambda style, on: replace(style, italic=on),
    4: lambda style, on: replace(style, underline=on),
    5: lambda style, on: replace(style, blink=on),
    7: lambda style, on: replace(style, reverse=on),
    8: lambda style, on: replace(style, hidden=on),
    9: lambda style, on: replace(style, strike=on),
}


@lru_cache(maxsize=4096)
def apply_sgr(style: Style, params: str) -> Style:
    """The style after `CSI params m`."""
    link = style.link
    parts = params.split(";")
    while parts:
        part = parts.pop(0)
        if ":" in part:
            style = _sgr_with_colons(style, part)
            continue
        code = int(part or 0)
        if code == 0:
            style = Style(link=link)
        elif code in (38, 48, 58):
            kind = parts.pop(0) if parts else ""
            taken = [int(parts.pop(0) or 0) for _ in range({"2": 3, "5": 1}.get(kind, 0)) if parts]
            style = _coloured(style, code, taken)
        else:
            style = _sgr_flag(style, code)
    return style


def _sgr_with_colons(style: Style, part: str) -> Style:
    numbers = [int(number or 0) for number in part.split(":")]
    if numbers[0] == 4:
        return replace(style, underline=numbers[1] != 0)
    return _coloured(style, numbers[0], numbers[-3:] if numbers[1] == 2 else numbers[-1:])


def _coloured(style: Style, code: int, numbers: list[int]) -> Style:
    colour: Colour = None
    if len(numbers) == 3:
        colour = "#{:02x}{:02x}{:02x}".format(*numbers)
    elif numbers:
        colour = numbers[0]
    if code == 38:
        return replace(style, fg=colour)
    return replace(style, bg=colour) if code == 48 else style


def _sgr_flag(style: Style, code: int) -> Style:
    if code in _FLAGS:
        return _FLAGS[code](style, True)
    if code == 21:
        return replace(style, underline=True)
    if code == 22:
        return replace(style, bold=False, dim=False)
    if 23 <= code <= 29 and code - 20 in _FLAGS:
        return _FLAGS[code - 20](style, False)
    for base, offset in ((30, 0), (90, 8)):
        if base <= code <= base + 7:
            return replace(style, fg=code - base + offset)
        if base + 10 <= code <= base + 17:
            return replace(style, bg=code - base - 10 + offset)
    if code == 39:
        return replace(style, fg=None)
    return replace(style, bg=None) if code == 49 else style
