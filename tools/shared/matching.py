"""Finding the one place in a file that a model means.

The levels are tried in order, each only when the one before found nothing. The first that finds exactly one place wins;
two or more places are an error, never a choice. Nothing is matched by similarity.

    exact          the text as it is (line endings apart)
    numbered       without line-number prefixes that were copied from a listing
    trailing       blanks at line ends apart, and a final newline that the file does not have
    typographic    quotes, dashes, spaces, full-width and compatibility forms apart
    indented       all lines shifted by one and the same indentation

All offsets are into the file's text with LF line endings.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

from tools.shared.diff import common_prefix, common_suffix
from tools.shared.errors import ToolError

MAX_LENIENT = 4_000_000
"""Characters of a file up to which the levels after `exact` are tried."""

MAX_UNUSUAL = 500_000
"""Characters beyond ASCII up to which the level `typographic` is tried: each takes a microsecond or two."""

MAX_COUNTED = 10_000
MAX_LINES_NAMED = 10

_NUMBERED = re.compile(r"^[ \t]*\d+(?:→|\t)")
_SPACE = "\u00a0\u2000-\u200a\u202f\u205f\u3000"
_MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe20-\ufe2f"
_TRAILING = re.compile(r"(?<![ \t])[ \t]++(?=\n|\Z)")
_TYPOGRAPHIC = re.compile(
    rf"(?<![ \t{_SPACE}])(?P<blank>[ \t{_SPACE}]++(?=\n|\Z))|(?P<other>[!-~][{_MARKS}]++|[^\x00-\x7f][{_MARKS}]*+)"
)
_LOOK_ALIKES = (
    ("\u2018\u2019\u201a\u201b", "'"),
    ("\u201c\u201d\u201e\u201f", '"'),
    ("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
)
_PLAIN = {ord(char): plain for chars, plain in _LOOK_ALIKES for char in chars}


@dataclass(frozen=True, slots=True)
class Match:
    """Where to put `new`. `how` names the level in words for the model; empty when the match was exact.

    `changed_start`, `changed_end` and `changed_new` are the part that really differs, without what old and new text
    share at both ends: only these characters of the file are replaced.
    """

    start: int
    end: int
    changed_start: int
    changed_end: int
    changed_new: str
    how: str = ""


class View:
    """A text in a normal form, with a way back to the offsets of the original."""

    def __init__(self, original: str, pattern: re.Pattern[str], normal: Callable[[re.Match[str]], str]) -> None:
        pieces: list[str] = []
        self._originals: list[tuple[int, int]] = []
        self._views: list[tuple[int, int]] = []
        done = shift = 0
        for found in pattern.finditer(original):
            start, end = found.span()
            text = normal(found)
            if text == found.group():
                continue
            pieces += (original[done:start], text)
            done = end
            self._originals.append((start, end))
            self._views.append((start + shift, start + shift + len(text)))
            shift += len(text) - (end - start)
        pieces.append(original[done:])
        self.text = "".join(pieces)

    def to_original(self, offset: int, *, far: bool = False) -> int | None:
        """Return the original offset; None inside a replaced part. `far` takes in a part that vanished there."""
        return _translate(offset, self._views, self._originals, far)

    def to_view(self, offset: int) -> tuple[int, bool] | None:
        """Return the offset in the normal form and whether a part vanished just before; None inside a replaced part."""
        place = _translate(offset, self._originals, self._views, False)
        if place is None:
            return None
        index = bisect_left(self._originals, offset, key=lambda span: span[1])
        vanished = index < len(self._originals) and self._originals[index][1] == offset
        return place, vanished and self._views[index][0] == self._views[index][1]


def _translate(offset: int, here: list[tuple[int, int]], there: list[tuple[int, int]], far: bool) -> int | None:
    index = bisect_right(here, offset, key=lambda span: span[0]) - 1
    if index < 0:
        return offset
    (start, end), (to_start, to_end) = here[index], there[index]
    if offset == start and not (far and start == end):
        return to_start
    return None if offset < end else to_end + offset - end


def find(text: str, old: str, new: str, label: str) -> Match:
    """Return the one place in `text` where `old` is replaced by `new`; all three have LF line endings.

    `label` names the edit in errors ("Edit 2"). Raises ToolError when there is no such place or more than one.
    """
    if not old:
        raise ToolError(f"{label}: oldText is empty. Give the text to replace; to create a file use write.")
    places = occurrences(text, old)
    if places:
        return _trimmed(text, _only(text, places, label), len(old), old, new, "")
    if len(text) > MAX_LENIENT:
        raise ToolError(f"{label}: oldText was not found, and the file is too large for a lenient search.")
    for level in (_numbered, _trailing, _typographic, _indented):
        match = level(text, old, new, label)
        if match is not None:
            return match
    from tools.shared.explain import explain_missing

    raise ToolError(f"{label}: {explain_missing(text, old, new)}")


def occurrences(text: str, part: str) -> list[int]:
    """Return the offsets of `part`, overlapping ones too, up to `MAX_COUNTED`."""
    places: list[int] = []
    place = text.find(part)
    while place >= 0 and len(places) < MAX_COUNTED:
        places.append(place)
        place = text.find(part, place + 1)
    return places


def line_of(text: str, offset: int) -> int:
    """Return the number of the line at `offset`, counted from 1."""
    return text.count("\n", 0, offset) + 1


def _only(text: str, places: list[int], label: str, how: str = "") -> int:
    if len(places) == 1:
        return places[0]
    lines = ", ".join(str(line_of(text, place)) for place in places[:MAX_LINES_NAMED])
    more = ", ..." if len(places) > MAX_LINES_NAMED else ""
    count = f"{len(places)}" if len(places) < MAX_COUNTED else f"at least {MAX_COUNTED}"
    raise ToolError(
        f"{label}: oldText has {count} occurrences{f' ({how})' if how else ''}, at lines {lines}{more}. "
        "Add surrounding lines until it is unique."
    )


def _trimmed(text: str, start: int, length: int, old: str, new: str, how: str) -> Match:
    """Return a match whose text in the file equals `old` character by character."""
    before = common_prefix(old, new)
    after = common_suffix(old[before:], new[before:])
    end = start + length
    return Match(start, end, start + before, end - after, new[before : len(new) - after], how)


def _numbered(text: str, old: str, new: str, label: str) -> Match | None:
    lines = old.split("\n")
    if not all(_NUMBERED.match(line) for line in lines if line):
        return None
    bare = "\n".join(_NUMBERED.sub("", line) for line in lines)
    places = occurrences(text, bare) if bare.strip() else []
    if not places:
        return None
    how = "after removing the line numbers from it"
    new_lines = new.split("\n")
    if all(_NUMBERED.match(line) for line in new_lines if line):
        new = "\n".join(_NUMBERED.sub("", line) for line in new_lines)
    return _trimmed(text, _only(text, places, label, how), len(bare), bare, new, how)


def _trailing(text: str, old: str, new: str, label: str) -> Match | None:
    return _in_view(text, old, new, label, "ignoring blanks at line ends", _TRAILING, lambda found: "")


def _typographic(text: str, old: str, new: str, label: str) -> Match | None:
    how = "ignoring the form of quotes, dashes, spaces and similar characters"
    if len(text) - len(text.encode("ascii", "ignore")) > MAX_UNUSUAL:
        return None
    return _in_view(text, old, new, label, how, _TYPOGRAPHIC, _plain_form)


def _plain_form(found: re.Match[str]) -> str:
    if found.lastgroup == "blank":
        return ""
    import unicodedata

    return unicodedata.normalize("NFKC", found.group().translate(_PLAIN)).translate(_PLAIN)


def _in_view(
    text: str,
    old: str,
    new: str,
    label: str,
    how: str,
    pattern: re.Pattern[str],
    normal: Callable[[re.Match[str]], str],
) -> Match | None:
    view = View(text, pattern, normal)
    wanted = View(old, pattern, normal).text
    if not wanted.strip():
        return None
    cut_end = old[-1] != "\n" and old[-1].isspace()
    places = [
        place
        for place in occurrences(view.text, wanted)
        if view.to_original(place, far=True) is not None
        and view.to_original(place + len(wanted)) is not None
        and not (cut_end and view.text[place + len(wanted) :][:1] not in ("", "\n"))
    ]
    if not places and wanted.endswith("\n") and view.text.endswith(wanted[:-1]):
        # The file's last line has no newline, and must not get one by this edit.
        old, new = old[:-1], new.removesuffix("\n")
        places = [len(view.text) - len(wanted) + 1]
    if not places:
        return None
    if len(places) > 1:
        _only(text, [view.to_original(place) or 0 for place in places], label, how)
    return _through_view(view, View(old, pattern, normal), places[0], old, new, how)


def _through_view(view: View, old_view: View, place: int, old: str, new: str, how: str) -> Match | None:
    """Return the match at `place` of `view`, where `old` stands in its normal form."""
    start = view.to_original(place, far=True)
    end = view.to_original(place + len(old_view.text), far=old[-1] != "\n" and old[-1].isspace())
    if start is None or end is None:
        return None

    def in_file(offset: int) -> int | None:
        inside = old_view.to_view(offset)
        return None if inside is None else view.to_original(place + inside[0], far=inside[1])

    before = common_prefix(old, new)
    while before and in_file(before) is None:
        before -= 1
    after = min(common_suffix(old, new), min(len(old), len(new)) - before)
    while after and in_file(len(old) - after) is None:
        after -= 1
    changed_start = in_file(before) if before else start
    changed_end = in_file(len(old) - after) if after else end
    if changed_start is None or changed_end is None:
        return None
    return Match(start, end, changed_start, max(changed_start, changed_end), new[before : len(new) - after], how)


def _indented(text: str, old: str, new: str, label: str) -> Match | None:
    how = "with another indentation"
    old_lines = old.split("\n")
    closed = old_lines[-1] == ""
    if closed:
        old_lines.pop()
    lead = next((number for number, line in enumerate(old_lines) if line.strip()), None)
    if lead is None:
        return None
    lines = text.split("\n")
    stripped = [line.strip() for line in lines]
    wanted = [line.strip() for line in old_lines]
    found: list[tuple[int, str, bool]] = []
    for at, line in enumerate(stripped):
        first = at - lead
        if line != wanted[lead] or first < 0 or stripped[first : first + len(wanted)] != wanted:
            continue
        shift = _shift(lines[first : first + len(wanted)], old_lines)
        if shift is not None:
            found.append((first, *shift))
    if not found:
        return None
    offsets = list(accumulate((len(line) + 1 for line in lines), initial=0))
    start = _only(text, [offsets[first] for first, _, _ in found], label, how)
    first, prefix, deeper = found[0]
    shifted = [_moved(line, prefix, deeper) for line in new.split("\n")]
    replacement = "\n".join(line for line in shifted if line is not None)
    if None in shifted:
        raise ToolError(
            f"{label}: oldText fits line {first + 1} only with another indentation, and newText cannot be shifted the "
            "same way without mixing tabs and spaces. Copy the file's indentation into both."
        )
    end = offsets[first + len(wanted)]
    if end > len(text):
        end, replacement = len(text), replacement.removesuffix("\n") if closed else replacement
    elif not closed:
        end -= 1
    return _trimmed(text, start, end - start, text[start:end], replacement, how)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _shift(lines: list[str], old_lines: list[str]) -> tuple[str, bool] | None:
    """Return the one indentation by which all lines differ, and whether the file's are the deeper ones."""
    pairs = [(_indent(line), _indent(old)) for line, old in zip(lines, old_lines, strict=True) if old.strip()]
    here, there = pairs[0]
    deeper = len(here) > len(there)
    longer, shorter = (here, there) if deeper else (there, here)
    prefix = longer.removesuffix(shorter)
    if len(prefix) != len(longer) - len(shorter) or len(set(prefix)) > 1:
        return None
    for here, there in pairs:
        longer, shorter = (here, there) if deeper else (there, here)
        if longer != prefix + shorter:
            return None
    return prefix, deeper


def _moved(line: str, prefix: str, deeper: bool) -> str | None:
    """Return `line` shifted by `prefix`; None when that is not possible without mixing tabs and spaces."""
    if not line.strip():
        return line.strip(" \t")
    if not deeper:
        return line[len(prefix) :] if line.startswith(prefix) else None
    return prefix + line if len(set(prefix + _indent(line))) <= 1 else None
