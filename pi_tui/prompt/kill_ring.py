"""Deleted text, to be inserted again: the kill ring of Emacs and readline."""

from typing import Final

LIMIT: Final = 60


class KillRing:
    """The last `LIMIT` kills; deletions in a row are one kill."""

    def __init__(self) -> None:
        self._kills: list[str] = []
        self._at = 0

    def kill(self, text: str, *, forward: bool, joined: bool) -> None:
        """Keep `text`. `joined` adds it to the newest kill, behind it for a `forward` deletion, else before it."""
        if not text:
            return
        if joined and self._kills:
            newest = self._kills.pop()
            text = newest + text if forward else text + newest
        self._kills.append(text)
        del self._kills[:-LIMIT]
        self._at = len(self._kills) - 1

    def yank(self) -> str:
        """The newest kill, or "" without one."""
        self._at = len(self._kills) - 1
        return self._kills[self._at] if self._kills else ""

    def rotate(self) -> str:
        """The kill before the one given last; after the oldest comes the newest."""
        self._at = (self._at - 1) % len(self._kills) if self._kills else 0
        return self._kills[self._at] if self._kills else ""
