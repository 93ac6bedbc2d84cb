"""Why a text was not found: the nearest region of the file, and in what it differs.

What is invisible is made visible: a tab shows as →, a carriage return as ␍, blanks at the end of a line as ·, and
spaces and characters that look like others by their code point.
"""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher

BUDGET = 2_000_000
"""Characters that are compared at most in the search for the nearest line."""

MAX_CANDIDATES = 500
MAX_COMPARED = 5
MAX_BY_CHARACTER = 600
"""Characters of two regions up to which they are compared by character, not by line: that takes cubic time."""

MAX_LINE = 200

MAX_SHOWN = 8
MIN_RATIO = 0.6
MAX_WORDS = 50
_WORD = re.compile(r"\w{3,}")
_LOOK_ALIKE = re.compile("[\u00a0\u2000-\u200f\u2010-\u2015\u2018-\u201f\u2028-\u202f\u205f\u2060\u2212\u3000\ufeff]")


def explain_missing(text: str, old: str, new: str) -> str:
    """Return the error text for an `old` that `text` does not contain; both with LF line endings."""
    said = ["oldText was not found. It must be the exact text of the file, blanks and line breaks included."]
    old_lines = old.strip("\n").split("\n")
    lines = text.split("\n")
    near = _nearest(lines, old_lines)
    if len(new.strip()) > 3 and new in text:
        line = text.count("\n", 0, text.find(new)) + 1
        said.append(f"newText is in the file already, at line {line}: this edit may have been applied before.")
    if not text:
        said.append("The file is empty.")
    elif near is not None:
        first, _ = near
        region = lines[first : first + len(old_lines)]
        said += _difference(region, old_lines)
        said.append(f"Nearest text, from line {first + 1}:\n{_shown(region, first + 1)}")
    else:
        said.append("Nothing similar was found. Read the file again before the next try.")
    return " ".join(said[:-1]) + ("\n" if near else " ") + said[-1]


def _nearest(lines: list[str], old_lines: list[str]) -> tuple[int, float] | None:
    """Return the first line (from 0) of the region most like `old_lines` and its likeness, None below `MIN_RATIO`."""
    size = len(old_lines)
    wanted = [_squeezed(line) for line in old_lines]
    squeezed = [_squeezed(line) for line in lines]

    def equal_lines(start: int) -> int:
        return (Counter(squeezed[start : start + size]) & Counter(wanted)).total()

    starts = (
        _by_rarest_line(squeezed, wanted) or _by_rarest_word(squeezed, wanted) or _by_longest_line(squeezed, wanted)
    )
    inside = [start for start in sorted(starts) if 0 <= start < len(lines)][:MAX_CANDIDATES]
    inside.sort(key=equal_lines, reverse=True)
    best: tuple[int, float] | None = None
    goal = "\n".join(old_lines).casefold()
    for start in inside[:MAX_COMPARED]:
        region = "\n".join(lines[start : start + size]).casefold()
        long = len(region) + len(goal) > MAX_BY_CHARACTER
        ratio = equal_lines(start) / size if long else _ratio(region, goal)
        if ratio >= MIN_RATIO and (best is None or ratio > best[1]):
            best = (start, ratio)
    return best


def _by_rarest_line(lines: list[str], wanted: list[str]) -> set[int]:
    """Return where a region could start, judged by the wanted line that the file has least often."""
    counts = Counter(lines)
    known = [line for line in wanted if len(line) > 2 and line in counts]
    if not known:
        return set()
    anchor = min(known, key=lambda line: counts[line])
    offset = wanted.index(anchor)
    return {at - offset for at, line in enumerate(lines) if line == anchor}


def _by_rarest_word(lines: list[str], wanted: list[str]) -> set[int]:
    """Return where a region could start, judged by the word of the wanted text that the file has least often."""
    text = "\n".join(lines)
    words = {word: number for number, line in reversed(list(enumerate(wanted))) for word in _WORD.findall(line)}
    counts = {word: text.count(word) for word in list(words)[-MAX_WORDS:]}
    known = [word for word, count in counts.items() if 0 < count <= MAX_CANDIDATES]
    if not known:
        return set()
    word = min(known, key=lambda known_word: (counts[known_word], -len(known_word)))
    return {at - words[word] for at, line in enumerate(lines) if word in line}


def _by_longest_line(lines: list[str], wanted: list[str]) -> set[int]:
    """Return where a region could start, judged by the longest line of the wanted text alone."""
    number = max(range(len(wanted)), key=lambda index: len(wanted[index]))
    goal = wanted[number][:MAX_LINE]
    matcher = SequenceMatcher(None, "", goal, autojunk=False)
    hopeful: list[tuple[float, int]] = []
    budget = BUDGET
    for at, line in enumerate(lines):
        if not goal or not len(goal) / 2 <= len(line) <= 2 * len(goal) + 20:
            continue
        budget -= len(line) + len(goal)
        if budget < 0:
            break
        matcher.set_seq1(line[:MAX_LINE])
        if matcher.real_quick_ratio() >= MIN_RATIO and (ratio := matcher.quick_ratio()) >= MIN_RATIO:
            hopeful.append((-ratio, at))
    best = [(_ratio(lines[at][:MAX_LINE], goal), -at) for _, at in sorted(hopeful)[:20]]
    if not best or max(best)[0] < MIN_RATIO:
        return set()
    return {-max(best)[1] - number}


def _ratio(one: str, two: str) -> float:
    return SequenceMatcher(None, one, two, autojunk=False).ratio()


def _difference(region: list[str], old_lines: list[str]) -> list[str]:
    """Return a sentence on the kind of difference, when it is of one kind."""
    if len(region) != len(old_lines):
        return []
    if [line.split() for line in region] == [line.split() for line in old_lines]:
        tabs = any("\t" in line for line in region), any("\t" in line for line in old_lines)
        if tabs == (True, False):
            return ["The nearest text differs in blanks only: the file uses tabs here, oldText has spaces."]
        if tabs == (False, True):
            return ["The nearest text differs in blanks only: the file uses spaces here, oldText has tabs."]
        return ["The nearest text differs in blanks only."]
    if [line.casefold() for line in region] == [line.casefold() for line in old_lines]:
        return ["The nearest text differs in upper and lower case only."]
    return []


def _squeezed(line: str) -> str:
    return " ".join(line.casefold().split())


def _shown(region: list[str], number: int) -> str:
    rows = [f"{number + at:>6}  {_visible(line)}" for at, line in enumerate(region[:MAX_SHOWN])]
    if len(region) > MAX_SHOWN:
        rows.append(f"        ... {len(region) - MAX_SHOWN} more lines")
    return "\n".join(rows)


def _visible(line: str) -> str:
    bare = line.rstrip(" ")
    line = bare + "·" * (len(line) - len(bare))
    line = _LOOK_ALIKE.sub(lambda found: f"{found.group()}<U+{ord(found.group()):04X}>", line)
    line = line.replace("\t", "→").replace("\r", "␍")
    return line if len(line) <= 300 else line[:300] + " ..."
