"""From a file's bytes and the wanted replacements to the new bytes and a diff, without touching a disk."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tools.shared.diff import Change, Diff, diff_changes
from tools.shared.errors import ToolError
from tools.shared.matching import Match, find, line_of
from tools.shared.text_file import TextFile, decode, dominant_ending, to_lf, without_surrogates


@dataclass(frozen=True, slots=True)
class Replacement:
    """One wanted replacement, as the model wrote it."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class EditPlan:
    """The new bytes of the file, the difference, and notes for the model on what was not taken literally."""

    data: bytes
    diff: Diff
    notes: tuple[str, ...]


class LfText:
    """A text with LF line endings, and the way back to the offsets and endings of the original."""

    def __init__(self, original: str) -> None:
        self._original = original
        self.text = to_lf(original)
        pairs = [found.start() for found in re.finditer("\r\n", original)] if "\r\n" in original else []
        self._pairs = [place - index for index, place in enumerate(pairs)]
        """The offsets, in `text`, of the line feeds that are CRLF in the original."""

    def original(self, offset: int) -> int:
        """Return the offset in the original; one between CR and LF never comes out."""
        return offset + bisect_left(self._pairs, offset)

    def ending_at(self, offset: int) -> str:
        """Return the line ending of the line at `offset`; of the line before when it has none."""
        place = self.text.find("\n", offset)
        if place < 0:
            place = self.text.rfind("\n", 0, offset)
        if place < 0:
            return "\n"
        start = self.original(place)
        ending = self._original[start : start + 2]
        if ending.startswith("\r") and ending != "\r\n":
            # A lone CR is an ending to imitate only in a file that has no other.
            return dominant_ending(self._original) if "\n" in self._original else "\r"
        return ending if ending == "\r\n" else "\n"


def plan_edit(path: str, data: bytes, replacements: Sequence[Replacement]) -> EditPlan:
    """Return what `replacements` make of the file `data`.

    All are looked for in the file as it is, none in the result of another. `path` is for the headers of the patch.
    Raises ToolError, for the first reason why the whole cannot be done.
    """
    if not replacements:
        raise ToolError("edits is empty: give at least one replacement.")
    file = decode(data)
    lf = LfText(file.text)
    notes: list[str] = []
    matches: list[tuple[Match, int]] = []
    for index, replacement in enumerate(replacements):
        new, replaced = without_surrogates(to_lf(replacement.new))
        if replaced:
            notes.append(f"{_label(index, replacements)}: {replaced} unpaired surrogates in newText became U+FFFD.")
        old = to_lf(replacement.old)
        if file.mark and old.startswith("\ufeff") and not lf.text.startswith("\ufeff"):
            old, new = old[1:], new.removeprefix("\ufeff")
        match = find(lf.text, old, new, _label(index, replacements))
        file.check_replacement(lf.original(match.start), match.changed_new)
        if match.how:
            place = line_of(lf.text, match.start)
            notes.append(
                f"{_label(index, replacements)} matched at line {place} only {match.how}. The text there was:\n"
                + lf.text[match.start : match.end]
            )
        matches.append((match, index))
    matches.sort(key=lambda found: (found[0].start, found[0].end))
    for (one, first), (two, second) in pairwise(matches):
        if one.end > two.start:
            raise ToolError(
                f"Edit {min(first, second) + 1} and edit {max(first, second) + 1} overlap in the file. "
                "Join them into one edit."
            )
    changes = [Change(match.changed_start, match.changed_end, match.changed_new) for match, _ in matches]
    text = _spliced(file, lf, changes, [match.start for match, _ in matches])
    if text == file.text:
        raise ToolError("The edit changes nothing: newText is the same as the text in the file.")
    try:
        new_data = file.encode(text)
    except UnicodeEncodeError as error:
        raise ToolError(f"newText cannot be written as {file.encoding.upper()}: {error.reason}.") from None
    return EditPlan(new_data, diff_changes(path, lf.text, changes), tuple(notes))


def _label(index: int, replacements: Sequence[Replacement]) -> str:
    return f"Edit {index + 1}" if len(replacements) > 1 else "The edit"


def _spliced(file: TextFile, lf: LfText, changes: Sequence[Change], line_offsets: Sequence[int]) -> str:
    """Return the original text with the changes in it, each with the line ending of the line where its match starts."""
    original = file.text
    pieces: list[str] = []
    done = 0
    for change, line_offset in zip(changes, line_offsets, strict=True):
        start, end = lf.original(change.start), lf.original(change.end)
        ending = lf.ending_at(line_offset)
        new = change.new if ending == "\n" else change.new.replace("\n", ending)
        pieces += (original[done:start], new)
        done = end
    pieces.append(original[done:])
    text = "".join(pieces)
    if "\r" in original and to_lf(text).count("\n") != lf.text.count("\n") + sum(
        change.new.count("\n") - lf.text.count("\n", change.start, change.end) for change in changes
    ):
        raise ToolError(
            "The file has lone carriage returns, and this edit would join one of them with a line feed to a single "
            "line ending. Include the lines around it in the edit."
        )
    return text
