"""Text that grows by small pieces."""

from __future__ import annotations


class TextBuffer:
    """Append-only text: appending costs the piece, reading the end costs the end, reading all joins once.

    >>> buffer = TextBuffer("one ")
    >>> buffer.append("two")
    >>> buffer.tail(2), len(buffer), str(buffer)
    ('e two', 7, 'one two')
    """

    __slots__ = ("_length", "_parts")

    def __init__(self, text: str = "") -> None:
        self._parts = [text] if text else []
        self._length = len(text)

    def append(self, piece: str) -> None:
        """Add `piece` at the end."""
        self._parts.append(piece)
        self._length += len(piece)

    def replace(self, text: str) -> int:
        """Make `text` the whole content and return the offset of the first character that differs from before.

        The length of `text` means that nothing but the joining changed.
        """
        before = str(self)
        self._parts = [text] if text else []
        self._length = len(text)
        if text.startswith(before):
            return len(before)
        return next(
            (offset for offset, (old, new) in enumerate(zip(before, text, strict=False)) if old != new), len(text)
        )

    def tail(self, start: int) -> str:
        """Return the text from character `start` on, without touching what stands before it."""
        missing = self._length - max(start, 0)
        if missing <= 0:
            return ""
        taken: list[str] = []
        for part in reversed(self._parts):
            taken.append(part if len(part) <= missing else part[-missing:])
            missing -= len(part)
            if missing <= 0:
                break
        taken.reverse()
        return "".join(taken)

    def __len__(self) -> int:
        return self._length

    def __str__(self) -> str:
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0] if self._parts else ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TextBuffer) and self._length == other._length and str(self) == str(other)

    __hash__ = None

    def __repr__(self) -> str:
        text = str(self)
        return f"TextBuffer({text!r})" if len(text) <= 60 else f"TextBuffer({text[:57]!r}... {len(text)} characters)"
