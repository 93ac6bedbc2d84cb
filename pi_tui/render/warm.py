"""Loading ahead what the first frame does without."""

from __future__ import annotations

from rich.cells import cell_len

from pi_tui.render.code import highlight, language_of
from pi_tui.render.markdown.parser import parse
from pi_tui.theme import current_theme


def warm_up() -> None:
    """Import what the first Markdown and the first code need: 0.2 s of CPU, for a thread after the first frame."""
    cell_len("中")  # the table of widths
    parse("`x`", {})
    highlight("x", language_of("x.py"), current_theme())
