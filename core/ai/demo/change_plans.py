"""Plans that change files: create, overwrite and replace."""

from __future__ import annotations

import re
from collections.abc import Callable

from core.ai.demo.plan import Ask, Desk, Plan, Step, bash, clip, code, count, join, missing, one, quoted, read
from core.ai.wire import Json

MAX_EDITS = 50


def create(path: str, text: str) -> Callable[[Desk], Plan]:
    """Write a new file unless there is one of that name."""

    def plan(desk: Desk) -> Plan:
        if lack := missing(desk, "write"):
            return lack
        if "bash" in desk:
            look = bash(f"[ -e {quoted(path)} ] && echo there || echo free")
            seen = one((yield Step(f"I'll look whether there is a {code(path)} already.", (look,))))
            there = seen.first_line == "there"
        else:
            seen = one((yield Step(f"I'll look whether there is a {code(path)} already.", (read(path),))))
            there = not seen.failed
        if there:
            return (
                f"There is a {code(path)} already, so I wrote nothing. "
                f"Say `overwrite {path} with …` to put new text in its place."
            )
        return (yield from _write(path, text))

    return plan


def _write(path: str, text: str) -> Plan:
    """Write a file; a text gets a final newline."""
    content = text if not text or text.endswith("\n") else text + "\n"
    ask = Ask("write", {"path": path, "content": content}, pure=False)
    seen = one((yield Step(f"I'll write {code(path)}.", (ask,))))
    if seen.failed:
        return f"{code(path)} was not written: {seen.first_line}"
    size = f"{count(content.count(chr(10)), 'line')}, {count(len(content.encode()), 'byte')}"
    return f"Done: {code(path)} now holds {size if content else 'nothing (an empty file)'}."


def overwrite(path: str, text: str) -> Callable[[Desk], Plan]:
    """Read a file, then write it anew."""

    def plan(desk: Desk) -> Plan:
        if lack := missing(desk, "read", "write"):
            return lack
        yield Step(f"I'll read {code(path)} before I write over it.", (read(path),))
        return (yield from _write(path, text))

    return plan


def replace(old: str, new: str, path: str, *, everywhere: bool, line: int | None = None) -> Callable[[Desk], Plan]:
    """Read a file, then replace `old` by `new`: everywhere, in one line, or where it stands when that is one place."""

    def plan(desk: Desk) -> Plan:
        if lack := missing(desk, "read", "edit"):
            return lack
        if old == new:
            return f"There is nothing to do: {code(old)} and {code(new)} are the same."
        seen = one((yield Step(f"I'll read {code(path)} to find {code(old)}.", (read(path),))))
        if seen.failed:
            return f"I could not read {code(path)}: {seen.first_line}"
        text = seen.text
        places = [match.start() for match in re.finditer(re.escape(old), text)]
        numbers = [text.count("\n", 0, place) + 1 for place in places]
        if line is not None:
            places = [place for place, number in zip(places, numbers, strict=True) if number == line]
            numbers = [line] * len(places)
        if not places:
            where = f"line {line} of {code(path)}" if line is not None else code(path)
            return (
                f"There is no {code(old)} in {where}{_seen_part(seen.cut)}.{_other_case(old, text)} I changed nothing."
            )
        if len(places) > 1 and not everywhere and len(set(numbers)) > 1:
            spots = join([str(number) for number in sorted(set(numbers))][:12])
            return (
                f"{code(old)} stands in {code(path)} {count(len(places), 'time')} (lines {spots}). "
                "I changed nothing.\n\n"
                f"Say `replace all {clip(old, 40)} with {clip(new, 40)} in {path}`, "
                f"or name one: `replace … with … in line {numbers[0]} of {path}`."
            )
        edits = unique_edits(text, places, old, new)
        if len(edits) > MAX_EDITS:
            return f"{code(old)} stands in too many places for me ({len(places):,}). I changed nothing."
        step = Step(
            f"I'll replace {code(old)} with {code(new)} in {count(len(places), 'place')}.",
            (Ask("edit", {"path": path, "edits": edits}, pure=False),),
        )
        result = one((yield step))
        if result.failed:
            return f"{code(path)} was not changed: {result.first_line}"
        lines = sorted(set(numbers))
        spots = f"line {lines[0]}" if len(lines) == 1 else f"lines {join([str(number) for number in lines[:12]])}"
        return f"Done: I replaced {code(old)} with {code(new)} in {code(path)}, {spots}{_seen_part(seen.cut)}."

    return plan


def unique_edits(text: str, places: list[int], old: str, new: str) -> list[dict[str, Json]]:
    """Return edits that change exactly the `old` at these offsets.

    An edit's old text must stand in the file once and edits must not overlap, so each takes in whole lines around its
    place until it is unique, and edits that meet become one.
    """
    spans: list[tuple[int, int]] = []
    for place in places:
        start, end = place, place + len(old)
        while text.count(text[start:end]) > 1 and (start > 0 or end < len(text)):
            start = text.rfind("\n", 0, max(0, start - 1)) + 1
            following = text.find("\n", end + 1)
            end = len(text) if following < 0 else following
        spans.append((start, end))
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    edits: list[dict[str, Json]] = []
    for start, end in merged:
        inside = [place for place in places if start <= place < end]
        parts, position = [], start
        for place in inside:
            parts += [text[position:place], new]
            position = place + len(old)
        edits.append({"oldText": text[start:end], "newText": "".join([*parts, text[position:end]])})
    return edits


def _seen_part(cut: bool) -> str:
    return " (in the part of it that I could see)" if cut else ""


def _other_case(old: str, text: str) -> str:
    match = re.search(re.escape(old), text, re.IGNORECASE)
    return f" There is {code(match.group())}, though." if match else ""
