"""Foreign text made fit for rows: harmless, without tabs, and how many rows it may need."""

from __future__ import annotations

from pi_tui.term.safe import safe_line, safe_text

TAB = 4


def clean(text: str) -> str:
    """Return `text` without anything that drives the terminal, tabs as spaces, lines ending in newlines only."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = safe_text(text)
    return text.expandtabs(TAB) if "\t" in text else text


def image_label(mime_type: str) -> str:
    """Return the words that stand for an image."""
    return f"[image: {safe_line(mime_type)}]"


def rows_of(text: str, width: int) -> int:
    """Return about how many rows of `width` cells `text` takes, counting each character as one cell."""
    length = len(text)
    if length <= width and "\n" not in text:
        return 1
    return sum([(len(line) - 1) // width + 1 if line else 1 for line in text.split("\n")])
