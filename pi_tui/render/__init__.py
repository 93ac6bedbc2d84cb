"""Blocks to rows of the screen. Everything foreign passes `clean`; nothing here knows a widget."""

from pi_tui.render.build import can_expand, default_expanded, estimate, gap_between, view_of
from pi_tui.render.code import highlight, language_of
from pi_tui.render.context import Context
from pi_tui.render.line import BLANK, Line, Run
from pi_tui.render.markdown.parser import parse
from pi_tui.render.views import BlockView, Piece
from pi_tui.theme import built_in


def warm_up() -> None:
    """Import what the first Markdown and the first code need: 0.2 s of CPU, for a thread after the first frame."""
    parse("`x`", {})
    highlight("x", language_of("x.py"), built_in(dark=True))


__all__ = [
    "BLANK",
    "BlockView",
    "Context",
    "Line",
    "Piece",
    "Run",
    "can_expand",
    "default_expanded",
    "estimate",
    "gap_between",
    "view_of",
    "warm_up",
]
