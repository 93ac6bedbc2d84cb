"""What changed between two texts, from the places that changed: cost follows the change, not the file.

`display` is pi's form for the screen, one row per line: sign, line number, text. `patch` is a unified diff.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

CONTEXT = 4
"""Unchanged lines that are shown on each side of a change."""

MAX_ALIGNMENT_WORK = 20_000_000
"""Pairs of equal lines times lines of a changed block up to which its lines are aligned, which takes a second or two at
worst; beyond, the block is shown as removed and added as a whole."""


@dataclass(frozen=True, slots=True)
class Change:
    """Characters `start` to `end` of the old text become `new`."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class Diff:
    """A difference in both forms; `first_changed_line` counts from 1 in the new text, None when nothing changed."""

    display: str
    patch: str
    first_changed_line: int | None


@dataclass(frozen=True, slots=True)
class _Segment:
    """Lines `removed` at offset `start` to `end` of the old text become `added`. Line numbers count from 0."""

    old_line: int
    new_line: int
    start: int
    end: int
    removed: list[str]
    added: list[str]

    @property
    def next_line(self) -> int:
        return self.old_line + len(self.removed)


@dataclass(frozen=True, slots=True)
class _Hunk:
    """Segments with the lines around and between them, as rows of a sign and a line. Line numbers count from 0."""

    old_line: int
    new_line: int
    rows: list[tuple[str, str]]
    more: bool
    """Whether the old text goes on behind the last row."""


def common_prefix(one: str, two: str) -> int:
    """Return the number of characters that both texts start with."""
    low, high = 0, min(len(one), len(two))
    if one[:high] == two[:high]:
        return high
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == two[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix(one: str, two: str) -> int:
    """Return the number of characters that both texts end with."""
    return common_prefix(one[::-1], two[::-1])


def diff_texts(path: str, old: str, new: str) -> Diff:
    """Return the difference between two whole texts with LF line endings."""
    start = common_prefix(old, new)
    end = common_suffix(old[start:], new[start:])
    return diff_changes(path, old, [Change(start, len(old) - end, new[start : len(new) - end])])


def diff_changes(path: str, old: str, changes: Sequence[Change]) -> Diff:
    """Return the difference that `changes`, sorted and disjoint, make in `old`; both with LF line endings."""
    added = sum(change.new.count("\n") - old.count("\n", change.start, change.end) for change in changes)
    old_count = old.count("\n") + 1
    segments = list(_segments(old, changes))
    hunks = list(_hunks(old, segments))
    first = segments[0].new_line + 1 if segments else None
    return Diff(_display(hunks, len(str(max(old_count, old_count + added)))), _patch(path, hunks), first)


def _segments(old: str, changes: Sequence[Change]) -> Iterator[_Segment]:
    line = shift = counted = 0
    for start, end, block in _blocks(old, changes):
        line += old.count("\n", counted, start)
        counted = start
        old_lines, new_lines = _lines(old[start:end]), _lines(block)
        offset, passed = start, 0
        for one, two, three, four in _differences(old_lines, new_lines):
            offset += sum(map(len, old_lines[passed:one]))
            removed, added = old_lines[one:two], new_lines[three:four]
            size = sum(map(len, removed))
            yield _Segment(line + one, line + one + shift, offset, offset + size, removed, added)
            offset, passed = offset + size, two
            shift += len(added) - len(removed)


def _blocks(old: str, changes: Sequence[Change]) -> Iterator[tuple[int, int, str]]:
    """Widen the changes to whole lines, joining those that meet; yield start and end in `old` and the new text."""
    group: list[Change] = []
    start = end = 0
    for change in changes:
        line_start = old.rfind("\n", 0, change.start) + 1
        newline = old.find("\n", change.end)
        line_end = len(old) if newline < 0 else newline + 1
        if group and line_start > end:
            yield start, end, _replaced(old, start, end, group)
            group = []
        if not group:
            start = line_start
        group.append(change)
        end = line_end
    if group:
        yield start, end, _replaced(old, start, end, group)


def _replaced(old: str, start: int, end: int, changes: Sequence[Change]) -> str:
    pieces: list[str] = []
    for change in changes:
        pieces += (old[start : change.start], change.new)
        start = change.end
    return "".join(pieces) + old[start:end]


def _lines(text: str) -> list[str]:
    """Return the lines with their LF; the last may have none."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _differences(one: list[str], two: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the ranges of lines that differ: from and to in `one`, from and to in `two`."""
    head, limit = 0, min(len(one), len(two))
    while head < limit and one[head] == two[head]:
        head += 1
    tail = 0
    while tail < limit - head and one[-1 - tail] == two[-1 - tail]:
        tail += 1
    left, right = one[head : len(one) - tail], two[head : len(two) - tail]
    if not left and not right:
        return
    if not left or not right or _alignment_work(left, right) > MAX_ALIGNMENT_WORK:
        yield head, head + len(left), head, head + len(right)
        return
    for tag, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag != "equal":
            yield head + a, head + b, head + c, head + d


def _alignment_work(one: list[str], two: list[str]) -> int:
    counts = Counter(two)
    return sum(counts[line] for line in one) * min(len(one), len(two))


def _hunks(old: str, segments: Sequence[_Segment]) -> Iterator[_Hunk]:
    group: list[_Segment] = []
    for segment in segments:
        if group and segment.old_line - group[-1].next_line > 2 * CONTEXT:
            yield _hunk(old, group)
            group = []
        group.append(segment)
    if group:
        yield _hunk(old, group)


def _hunk(old: str, group: Sequence[_Segment]) -> _Hunk:
    first = group[0]
    start = first.start
    for _ in range(CONTEXT):
        start = old.rfind("\n", 0, max(start - 1, 0)) + 1 if start else 0
    before = _lines(old[start : first.start])
    rows: list[tuple[str, str]] = []
    for segment in group:
        rows += [(" ", line) for line in _lines(old[start : segment.start])]
        rows += [("-", line) for line in segment.removed] + [("+", line) for line in segment.added]
        start = segment.end
    end = start
    for _ in range(CONTEXT):
        end = old.find("\n", end) + 1 or len(old)
    rows += [(" ", line) for line in _lines(old[start:end])]
    return _Hunk(first.old_line - len(before), first.new_line - len(before), rows, end < len(old))


def _display(hunks: Sequence[_Hunk], width: int) -> str:
    gap = f" {'':{width}} ..."
    rows: list[str] = []
    for hunk in hunks:
        if hunk.old_line > 0 and (not rows or rows[-1] != gap):
            rows.append(gap)
        old_line, new_line = hunk.old_line, hunk.new_line
        for sign, line in hunk.rows:
            number = new_line if sign == "+" else old_line
            rows.append(f"{sign}{number + 1:>{width}} {line.removesuffix(chr(10))}")
            old_line += sign != "+"
            new_line += sign != "-"
        if hunk.more:
            rows.append(gap)
    return "\n".join(rows)


def _patch(path: str, hunks: Sequence[_Hunk]) -> str:
    rows = [f"--- {path}", f"+++ {path}"]
    for hunk in hunks:
        old_count = sum(sign != "+" for sign, _ in hunk.rows)
        new_count = sum(sign != "-" for sign, _ in hunk.rows)
        # An empty side is numbered by the line before it.
        old_first, new_first = hunk.old_line + (old_count > 0), hunk.new_line + (new_count > 0)
        rows.append(f"@@ -{old_first},{old_count} +{new_first},{new_count} @@")
        for sign, line in hunk.rows:
            rows.append(sign + line.removesuffix("\n"))
            if not line.endswith("\n"):
                rows.append("\\ No newline at end of file")
    return "\n".join(rows) + "\n"
