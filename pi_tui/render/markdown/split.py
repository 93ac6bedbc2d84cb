"""Cutting Markdown that arrives in pieces into parts that cannot change any more and a short live end.

A top-level block is final once another one begins after it, so only the last block (and an unfinished line) is ever
laid out again. Blocks that grow without end are cut: an open code fence every 40 lines, a list between its items, a
table between its rows, a line without end anywhere. So one step costs the new text plus a bounded rest.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from pi_tui.render.markdown.cuts import Chunk, can_grow, chunks_of, closes, first_line, is_closed
from pi_tui.render.markdown.parser import parse_blocks
from pi_tui.render.markdown.parts import Fence, Part

FENCE_LINES = 40
LINE_LIMIT = 4_000
"""Characters of a line; a longer one is not parsed but shown as it is: nobody wrote it to be read."""
CHUNK = 2_000
"""Characters of a part of such a line."""
SLICE = 32_000
"""Characters that are looked at in one go."""


class Splitter:
    """Takes clean text in pieces; `parts[:frozen]` stay as they are, the rest is the live end.

    `env` collects the link definitions, for laying out the parts.
    """

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.frozen = 0
        self.env: dict[str, Any] = {}
        self._pending = ""
        self._scanned = 0
        """Characters of `_pending` that were parsed before and hold no more final blocks."""
        self._fence: Fence | None = None
        self._fence_begin = 0
        """The position of the first part of the latest fence."""
        self._recoloured: int | None = None
        self._in_long_line = False
        self._gap = True
        self._number: int | None = None

    def feed(self, text: str, *, final: bool = False) -> int:
        """Take in more text and return the position of the first part that is new or changed."""
        first = self.frozen
        del self.parts[first:]
        self._recoloured = None
        for at in range(0, max(len(text), 1), SLICE):
            self._pending += text[at : at + SLICE]
            while self._advance(final and at + SLICE >= len(text)):
                pass
        self.frozen = len(self.parts)
        live = self._live()
        if live is not None:
            self.parts.append(live)
        return first if self._recoloured is None else min(first, self._recoloured)

    def _advance(self, final: bool) -> bool:
        """Freeze what can be frozen; True when there may be more."""
        if self._fence is not None:
            return self._advance_fence(self._fence, final)
        if self._in_long_line:
            return self._advance_long_line(final)
        return bool(self._pending) and self._advance_blocks(final)

    def _live(self) -> Part | None:
        text = self._pending
        if self._fence is not None:
            return self._live_code(self._fence, text)
        if self._in_long_line:
            return Part("plain", text, gap=False, joined=True) if text else None
        if not text.strip():
            return None
        return Part("markdown", text.rstrip("\n"), self._gap, self._number)

    # Blocks

    def _advance_blocks(self, final: bool) -> bool:
        pending = self._pending
        if len(pending) > LINE_LIMIT and (at := _long_line(pending)) is not None:
            return self._enter_long_line(at)
        end = len(pending) if final else pending.rfind("\n") + 1
        if end <= self._scanned:
            return False
        lines = pending[:end].split("\n")
        offsets = [0, *accumulate(len(line) + 1 for line in lines)]
        tokens = parse_blocks(pending[:end], self.env)
        tops = [at for at, token in enumerate(tokens) if token.level == 0 and token.nesting >= 0 and token.map]
        rest = 0 if tops else end  # nothing but link definitions
        for position, at in enumerate(tops):
            top = tokens[at]
            is_last = position + 1 == len(tops)
            stop = len(lines) if is_last else first_line(tokens[tops[position + 1]])
            if top.type == "fence" and (stop - first_line(top) > FENCE_LINES or not is_closed(top, lines)):
                self._open_fence(top.info.strip(), top.markup, lines[first_line(top)])
                self._pending = pending[offsets[first_line(top) + 1] :]
                return True
            chunks = chunks_of(tokens, at, stop, lines, self._number)
            live = chunks.pop() if is_last and not final and can_grow(top, lines) else None
            for chunk in chunks:
                self._freeze(chunk, pending, offsets, end)
            rest = end
            if live is not None:
                if chunks:
                    self._gap = live.gap
                self._number = live.number
                rest = offsets[live.begin]
                pending, end = live.head + pending[rest:], len(live.head) + end - rest
                rest = 0
        self._pending = "" if final else pending[rest:]
        self._scanned = end - rest
        return False

    def _freeze(self, chunk: Chunk, source: str, offsets: list[int], end: int) -> None:
        text = source[offsets[chunk.begin] : min(offsets[chunk.end], end)].strip("\n")
        gap = chunk.gap if self._gap else False
        self.parts.append(Part("markdown", chunk.head + text, gap, chunk.number))
        self._gap, self._number = True, None

    # A line without end

    def _enter_long_line(self, at: int) -> bool:
        """Freeze what stands before the overlong line at `at` and go into it."""
        rest = self._pending[at:]
        self._pending, self._scanned = self._pending[:at], 0
        while self._pending and self._fence is None and self._advance(True):
            pass
        if self._fence is not None:
            self._pending += rest
            return True
        self.parts.append(Part("plain", rest[:CHUNK], self._gap))
        self._pending, self._gap, self._number, self._in_long_line = rest[CHUNK:], False, None, True
        return True

    def _advance_long_line(self, final: bool) -> bool:
        pending = self._pending
        newline = pending.find("\n")
        stop = newline if newline >= 0 else len(pending) if final else len(pending) - CHUNK
        at = 0
        while at < stop:
            self.parts.append(Part("plain", pending[at : min(at + CHUNK, stop)], gap=False, joined=True))
            at = min(at + CHUNK, stop)
        if newline < 0:
            self._pending = pending[at:]
            return False
        self._pending, self._scanned, self._in_long_line = pending[newline + 1 :], 0, False
        return True

    # Fences

    def _open_fence(self, info: str, markup: str, opening: str) -> None:
        self._fence = Fence(info, markup, len(opening) - len(opening.lstrip(" ")))
        self._fence_begin, self._number, self._scanned = len(self.parts), None, 0

    def _advance_fence(self, fence: Fence, final: bool) -> bool:
        pending, at, kept = self._pending, 0, 0
        taken: list[str] = []
        while at < len(pending) and not fence.closed:
            newline = pending.find("\n", at)
            if newline < 0 and not final:
                break
            line = pending[at:] if newline < 0 else pending[at:newline]
            at = len(pending) if newline < 0 else newline + 1
            if closes(line, fence.markup):
                fence.closed = True
                break
            taken.append(_dedent(line, fence.indent))
            if len(taken) == FENCE_LINES:
                self._freeze_code(fence, taken)
                taken, kept = [], at
        if not fence.closed and not final:
            self._pending = pending[kept:]
            return False
        fence.closed = True
        self._freeze_code(fence, taken)
        if fence.whole:
            self._recoloured = self._fence_begin
        self._pending, self._scanned, self._fence, self._gap = pending[at:], 0, None, True
        return bool(self._pending)

    def _freeze_code(self, fence: Fence, lines: list[str]) -> None:
        opens, row = len(self.parts) == self._fence_begin, len(fence.texts)
        gap = opens and self._gap
        text = "\n".join(lines)
        part = Part("code", text, gap, fence=fence, row=row, rows=len(lines), opens=opens, closes=fence.closed)
        self.parts.append(part)
        fence.texts += lines

    def _live_code(self, fence: Fence, text: str) -> Part | None:
        lines = [_dedent(line, fence.indent) for line in text.split("\n")]
        if not lines[-1].strip(fence.markup[0] + " "):
            lines.pop()  # nothing yet, or the begin of the closing markup
        opens, row = len(self.parts) == self._fence_begin, len(fence.texts)
        if not lines and not opens:
            return None
        gap = opens and self._gap
        return Part("code", "\n".join(lines), gap, fence=fence, row=row, rows=len(lines), opens=opens)


def _dedent(line: str, indent: int) -> str:
    if not indent:
        return line
    return line[min(indent, len(line) - len(line.lstrip(" "))) :]


def _long_line(text: str) -> int | None:
    """Return where the first overlong line begins."""
    at = 0
    while at < len(text):
        newline = text.find("\n", at)
        stop = len(text) if newline < 0 else newline
        if stop - at > LINE_LIMIT:
            return at
        at = stop + 1
    return None
