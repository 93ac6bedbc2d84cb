"""Plans that read: files, lines, folders, searches and summaries."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from difflib import get_close_matches
from pathlib import PurePosixPath
from typing import TypeAlias, TypeVar

from core.ai.demo.plan import (
    Ask,
    Desk,
    Plan,
    Seen,
    Step,
    bash,
    clip,
    code,
    count,
    fence,
    join,
    missing,
    one,
    quoted,
    read,
)
from core.ai.demo.sources import language_of, line_count, outline

T = TypeVar("T")
Part: TypeAlias = Generator[Step, Sequence[Seen], T]
"""A piece of a plan that gives a value back."""

SHOWN_LINES = 40
SHOWN_MATCHES = 12
SHOWN_NAMES = 60
BLANK = re.compile(r"\bblanks?\b", re.IGNORECASE)
EMPTY = re.compile(r"\bempty\b", re.IGNORECASE)
_FOLDER = re.compile(r"EISDIR|is a (?:directory|folder)", re.IGNORECASE)
_ABSENT = re.compile(r"ENOENT|no such file|not found|does not exist|cannot find", re.IGNORECASE)


def read_files(paths: Sequence[str]) -> Callable[[Desk], Plan]:
    """Read some files at once and show them."""

    def plan(desk: Desk) -> Plan:
        if lack := missing(desk, "read"):
            return lack
        results = yield Step(f"I'll read {join([code(path) for path in paths])}.", tuple(read(path) for path in paths))
        answers = []
        for path, seen in zip(paths, results, strict=True):
            answers.append((yield from _shown(desk, path, seen, show)))
        return "\n\n".join(answers)

    return plan


def show_lines(path: str, first: int, last: int) -> Callable[[Desk], Plan]:
    """Show the lines `first` to `last` (1-based, both included)."""

    def plan(desk: Desk) -> Plan:
        if lack := missing(desk, "read"):
            return lack
        low, high = max(1, min(first, last)), max(1, first, last)
        where = f"line {low}" if low == high else f"lines {low}-{high}"
        seen = one((yield Step(f"I'll read {where} of {code(path)}.", (read(path, offset=low, limit=high - low + 1),))))

        def lines(path: str, seen: Seen) -> str:
            got = line_count(seen.text)
            end = low + got - 1
            cut = "" if end >= high else f"\n\nThe file has no more after line {end}."
            shown = f"Line {low}" if low == high else f"Lines {low}-{end}"
            return f"{shown} of {code(path)}:\n\n{fence(seen.text, language_of(path)[1])}{cut}"

        if seen.failed and not _ABSENT.search(seen.text) and not _FOLDER.search(seen.text):
            return f"I could not read {where} of {code(path)}: {seen.first_line}"
        return (yield from _shown(desk, path, seen, lines))

    return plan


def last_lines(path: str, number: int) -> Callable[[Desk], Plan]:
    """Show the last `number` lines."""

    def plan(desk: Desk) -> Plan:
        if lack := missing(desk, "read"):
            return lack
        seen = one((yield Step(f"I'll look at the end of {code(path)}.", (read(path, offset=-number),))))

        def lines(path: str, seen: Seen) -> str:
            end = count(line_count(seen.text), "line")
            return f"The last {end} of {code(path)}:\n\n{fence(seen.text, language_of(path)[1])}"

        return (yield from _shown(desk, path, seen, lines))

    return plan


def summarise(path: str) -> Callable[[Desk], Plan]:
    """Tell what a file says of itself."""

    def plan(desk: Desk) -> Plan:
        if lack := missing(desk, "read"):
            return lack
        seen = one((yield Step(f"I'll read {code(path)} to see what it says of itself.", (read(path),))))
        return (yield from _shown(desk, path, seen, summary))

    return plan


def show(path: str, seen: Seen) -> str:
    """Return a file's content as an answer, its start when it is long."""
    if nothing := _nothing_to_show(path, seen):
        return nothing
    lines = seen.text.removesuffix("\n").split("\n")
    tag = language_of(path)[1]
    if len(lines) <= SHOWN_LINES and not seen.cut:
        return f"{code(path)} has {count(len(lines), 'line')}:\n\n{fence(seen.text, tag)}"
    size = f"more than {len(lines):,} lines" if seen.cut else count(len(lines), "line")
    start = "\n".join(lines[:SHOWN_LINES])
    more = f"Ask for `show lines {SHOWN_LINES + 1}-{SHOWN_LINES * 2} of {path}` to see more."
    return f"{code(path)} has {size}; the first {SHOWN_LINES}:\n\n{fence(start, tag)}\n\n{more}"


def summary(path: str, seen: Seen) -> str:
    """Return what a file says of itself as an answer."""
    if nothing := _nothing_to_show(path, seen):
        return nothing
    found = outline(path, seen.text)
    size = f"more than {found.lines:,} lines (I saw only the first)" if seen.cut else count(found.lines, "line")
    said = [f"{code(path)} is {found.language or 'a text'}{' file' if not found.language else ''}, {size}."]
    if found.opening:
        said.append(f"It begins by saying: “{clip(found.opening, 300)}”")
    for label, items in (
        ("Its headings", found.headings),
        ("It defines", found.names),
        ("It prints", tuple(f"“{clip(text, 60)}”" for text in found.printed)),
        ("Its columns" if found.language == "CSV" else "Its keys", found.keys),
    ):
        if items:
            said.append(f"{label}: {names(items, plain=label == 'It prints')}.")
    if len(said) == 1:
        said.append(
            f"It says nothing of itself that I can pick out. Its first line is {code(clip(seen.first_line, 120))}."
        )
    return "\n\n".join(said)


def names(items: Sequence[str], limit: int = 12, *, plain: bool = False) -> str:
    """Return items as inline code, the first `limit` of them."""
    shown = [item if plain else code(item) for item in items[:limit]]
    if len(items) > limit:
        return f"{', '.join(shown)} and {len(items) - limit:,} more"
    return join(shown)


def _nothing_to_show(path: str, seen: Seen) -> str:
    """What to say of a file that is empty or that the tool gave no text of."""
    if seen.text.strip():
        if "\0" in seen.text:
            return f"{code(path)} is not text: it holds NUL bytes."
        return ""
    if EMPTY.search(seen.notice) or not (seen.text or seen.notice):
        return f"{code(path)} is empty."
    if seen.text or BLANK.search(seen.notice):
        return f"{code(path)} holds only blank lines."
    return f"{code(path)} cannot be shown. The tool says: {seen.notice}"


def _shown(desk: Desk, path: str, seen: Seen, show: Callable[[str, Seen], str]) -> Part[str]:
    """Return the answer on a file that was read; when that failed, look for what was meant."""
    if not seen.failed:
        return show(path, seen)
    if _FOLDER.search(seen.text) and "bash" in desk:
        listed = yield from listing(desk, path, f"{code(path)} is a folder, so I'll list it.")
        return listed if isinstance(listed, str) else folder_answer(path, listed)
    if not _ABSENT.search(seen.text) or ("bash" not in desk and "ls" not in desk):
        return f"I could not read {code(path)}: {seen.first_line}"
    near, sure = yield from near_names(desk, path)
    if sure:
        say = f"There is no {code(path)}, but there is {code(near[0])}: I'll read that."
        second = one((yield Step(say, (read(near[0]),))))
        return show(near[0], second) if not second.failed else f"I could not read {code(near[0])}: {second.first_line}"
    hint = f" Near that name: {names(near)}." if near else ""
    return f"There is no file {code(path)} here.{hint}"


def near_names(desk: Desk, path: str) -> Part[tuple[list[str], bool]]:
    """Look into the folder of `path` for names like it, at most 3; True when it is only another spelling."""
    parent = str(PurePosixPath(path).parent)
    parent = "" if parent == "." else parent
    listed = yield from listing(desk, parent, f"There is no {code(path)}; I'll look for a name like it.")
    if isinstance(listed, str):
        return [], False
    known = {_loose(name): name for name in listed if not name.endswith("/")}
    wanted = _loose(PurePosixPath(path).name)
    same = [name for key, name in known.items() if wanted in (key, key.split(".")[0])]
    near = same if len(same) == 1 else [known[key] for key in get_close_matches(wanted, known, n=3, cutoff=0.6)]
    near += [name for key, name in known.items() if name not in near and key.split(".")[0] == wanted.split(".")[0]]
    found = [f"{parent}/{name}" if parent else name for name in near[:3]]
    return (found[:1], True) if len(same) == 1 else (found, False)


def _loose(path: str) -> str:
    return PurePosixPath(path).name.casefold()


def listing(desk: Desk, folder: str, say: str) -> Part[list[str] | str]:
    """List a folder and return its names (folders end in `/`), or the sentence that tells why not."""
    ask: Ask
    if "bash" in desk:
        ask = bash(f"ls -Ap -- {quoted(folder)}" if folder else "ls -Ap")
    elif "ls" in desk:
        ask = Ask("ls", {"path": folder} if folder else {})
    else:
        return missing(desk, "bash")
    seen = one((yield Step(say, (ask,))))
    if seen.failed:
        return f"I could not list {code(folder or '.')}: {seen.first_line}"
    if "bash" not in desk and EMPTY.search(seen.text) and "\n" not in seen.text:
        return []
    return [] if seen.printed_nothing else [name for name in seen.text.splitlines() if name.strip()]


def list_files(folder: str) -> Callable[[Desk], Plan]:
    """List a folder, the current one for an empty name."""

    def plan(desk: Desk) -> Plan:
        where = code(folder) if folder else "the current folder"
        listed = yield from listing(desk, folder, f"I'll list {where}.")
        return listed if isinstance(listed, str) else folder_answer(folder, listed)

    return plan


def folder_answer(folder: str, listed: Sequence[str]) -> str:
    """Return the names of a folder as an answer."""
    where = f"In {code(folder)}" if folder else "Here"
    if not listed:
        return f"{where} there is nothing: the folder is empty."
    folders = [name for name in listed if name.endswith("/")]
    files = [name for name in listed if not name.endswith("/")]
    counted = join([count(len(group), noun) for group, noun in ((folders, "folder"), (files, "file")) if group])
    verb = "is" if len(listed) == 1 else "are"
    return f"{where} {verb} {counted}: {names([*folders, *files], SHOWN_NAMES)}."
