"""Where a top-level block may be cut when it gets long."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.token import Token

LIST_LINES = 40
"""Lines from which on a list is cut between its items, into parts of half of it or more."""
TABLE_LINES = 60
"""Lines from which on a table is cut between its rows; each part repeats the heading."""
BLOCK_LIMIT = 6_000
"""Characters from which on any block is cut between its lines, wherever that is."""
BLOCK_LINES = 150
"""Lines from which on too."""

_CLOSE = re.compile(r" {0,3}(`{3,}|~{3,}) *\Z")


@dataclass(slots=True)
class Chunk:
    """The lines from `begin` to `end` of a block. `head` is source to repeat before them.

    `gap` says whether a blank row parts it from the chunk before, `number` what its ordered list begins with.
    """

    begin: int
    end: int
    head: str = ""
    gap: bool = True
    number: int | None = None


def first_line(token: Token) -> int:
    """The line a block begins at."""
    assert token.map is not None
    return token.map[0]


def last_line(token: Token) -> int:
    """The line after the last of a block."""
    assert token.map is not None
    return token.map[1]


def closes(line: str, markup: str) -> bool:
    """True when `line` ends the fence that `markup` began."""
    match = _CLOSE.match(line)
    return match is not None and match[1][0] == markup[0] and len(match[1]) >= len(markup)


def is_closed(fence: Token, lines: list[str]) -> bool:
    """True when the fence ends with its closing markup and not with the text."""
    last = last_line(fence) - 1
    return first_line(fence) < last < len(lines) and closes(lines[last], fence.markup)


def can_grow(top: Token, lines: list[str]) -> bool:
    """True when more text could still belong to the block, which is the last one."""
    if top.type == "fence":
        return not is_closed(top, lines)
    if top.type == "hr" or (top.type == "heading_open" and top.markup.startswith("#")):
        return False
    if top.type in ("bullet_list_open", "ordered_list_open", "code_block"):
        return True
    return not any(not line.strip() for line in lines[last_line(top) - 1 : -1])


def chunks_of(tokens: list[Token], at: int, end: int, lines: list[str], number: int | None) -> list[Chunk]:
    """Cut the block whose first token is tokens[at] and whose lines go up to `end`; a short one gives one chunk.

    `number` is what an ordered list goes on with when its begin was cut off before.
    """
    top = tokens[at]
    begin = first_line(top)
    if top.type in ("bullet_list_open", "ordered_list_open"):
        if number is None and top.type == "ordered_list_open":
            number = int(top.attrs.get("start", 1))
        chunks = [Chunk(begin, end, number=number)]
        if end - begin > LIST_LINES:
            chunks = _list_chunks(tokens, at, end, lines, number)
        return [part for chunk in chunks for part in _by_size(chunk, lines)]
    if top.type == "table_open" and end - begin > TABLE_LINES:
        head = "\n".join(lines[begin : begin + 2]) + "\n"
        starts = [begin, *range(begin + 2 + TABLE_LINES, end, TABLE_LINES)]
        return _between(starts, end, head)
    return _by_size(Chunk(begin, end), lines)


def _by_size(chunk: Chunk, lines: list[str]) -> list[Chunk]:
    """Cut a chunk that is too large to be laid out again and again, at the cost of its structure."""
    begin, end = chunk.begin, chunk.end
    if end - begin <= BLOCK_LINES and sum([len(line) + 1 for line in lines[begin:end]]) <= BLOCK_LIMIT:
        return [chunk]
    starts, size = [begin], 0
    for row in range(begin, end):
        size += len(lines[row]) + 1
        if row > starts[-1] and (size > BLOCK_LIMIT or row - starts[-1] >= BLOCK_LINES):
            starts.append(row)
            size = len(lines[row]) + 1
    parts = _between(starts, end, "")
    parts[0].gap, parts[0].number = chunk.gap, chunk.number
    return parts


def _between(starts: list[int], end: int, head: str) -> list[Chunk]:
    ends = [*starts[1:], end]
    return [
        Chunk(start, stop, head if number else "", gap=not number)
        for number, (start, stop) in enumerate(zip(starts, ends, strict=True))
    ]


def _list_chunks(tokens: list[Token], at: int, end: int, lines: list[str], number: int | None) -> list[Chunk]:
    chunks = [Chunk(first_line(tokens[at]), end, number=number)]
    items = 0
    for token in tokens[at + 1 :]:
        if token.level == 0:
            break
        if token.type == "list_item_open" and token.level == 1:
            begin = first_line(token)
            if begin - chunks[-1].begin >= LIST_LINES // 2:
                chunks[-1].end = begin
                gap = not lines[begin - 1].strip()
                chunks.append(Chunk(begin, end, gap=gap, number=None if number is None else number + items))
            items += 1
    return chunks
