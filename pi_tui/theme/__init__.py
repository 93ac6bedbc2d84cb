"""Semantic colours: tokens, palettes, the theme in force. Importing this package loads neither Rich nor Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pi_tui.theme.detect import color_depth, dark_background
from pi_tui.theme.status import STATUS, Mark, Status
from pi_tui.theme.theme import Depth, Theme, built_in
from pi_tui.theme.tokens import BACKGROUNDS, TOKENS, Token

if TYPE_CHECKING:
    from rich.style import Style

__all__ = [
    "BACKGROUNDS",
    "STATUS",
    "TOKENS",
    "Depth",
    "Mark",
    "Status",
    "Theme",
    "Token",
    "built_in",
    "color_depth",
    "current_theme",
    "dark_background",
    "style_of",
    "use_theme",
]

_theme = built_in(dark=True)


def current_theme() -> Theme:
    """The theme in force. A process has one terminal, and so one theme."""
    return _theme


def use_theme(theme: Theme) -> None:
    """Put a theme in force. What has been rendered keeps its old styles until it is rendered again."""
    global _theme
    _theme = theme


def style_of(token: Token) -> Style:
    """The Rich style of a token in the theme in force."""
    return _theme[token]
