"""Blocks to rows of the screen. Everything foreign passes `clean`; nothing here knows a widget."""

from pi_tui.render.build import can_expand, default_expanded, estimate, gap_between, view_of
from pi_tui.render.context import Context
from pi_tui.render.line import BLANK, Line, Run
from pi_tui.render.views import BlockView, Piece
from pi_tui.render.warm import warm_up

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
