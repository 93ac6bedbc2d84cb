"""Pasted text on its way into the prompt: cleaned, and kept aside behind a marker when it is long."""

import re
from typing import Final, NamedTuple

from pi_tui.term.safe import safe_text

MARKER_LINES: Final = 10
MARKER_CHARACTERS: Final = 1000
"""A paste of more lines or more characters than these shows as a marker."""
TAB: Final = "    "

_MARKER: Final = re.compile(r"\[paste #(\d+) (?:\+\d+ lines|\d+ chars)\]")


class Span(NamedTuple):
    """Columns of a marker in its line, end excluded."""

    start: int
    end: int


def clean_text(text: str) -> str:
    """Text as the prompt holds it: newlines are `\\n`, a tab is four spaces, nothing in it can drive a terminal."""
    return safe_text(text.replace("\r\n", "\n").replace("\r", "\n")).replace("\t", TAB)


class PasteStore:
    """Long pastes by number. A number is not given twice until `clear`, so a marker brought back by undo stays true."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}

    def __bool__(self) -> bool:
        return bool(self._texts)

    def put(self, text: str) -> str:
        """What to insert for the cleaned `text`: itself, or the marker under which it is now kept."""
        lines = text.count("\n") + 1
        if lines <= MARKER_LINES and len(text) <= MARKER_CHARACTERS:
            return text
        number = len(self._texts) + 1
        self._texts[number] = text
        return self._marker(number)

    def _marker(self, number: int) -> str:
        text = self._texts[number]
        lines = text.count("\n") + 1
        return f"[paste #{number} +{lines} lines]" if lines > MARKER_LINES else f"[paste #{number} {len(text)} chars]"

    def spans(self, line: str) -> list[Span]:
        """Where markers of kept pastes stand in a line. What only looks like one is ordinary text."""
        if not self._texts or "[paste #" not in line:
            return []
        return [Span(*match.span()) for match in _MARKER.finditer(line) if self._number(match) is not None]

    def expand(self, text: str) -> str:
        """`text` with each marker replaced by the paste it stands for."""

        def paste(match: re.Match[str]) -> str:
            number = self._number(match)
            return match[0] if number is None else self._texts[number]

        return _MARKER.sub(paste, text) if self._texts else text

    def clear(self) -> None:
        """Forget all pastes; numbers begin at 1 again."""
        self._texts.clear()

    def _number(self, match: re.Match[str]) -> int | None:
        number = int(match[1][:9])
        return number if number in self._texts and self._marker(number) == match[0] else None
