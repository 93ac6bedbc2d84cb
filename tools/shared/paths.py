"""From the path a model wrote to the file it means.

The literal name is looked for first. Only when nothing has that name, the ways in which models and macOS spell it
differently are tried in turn: a leading `@`, unicode spaces, the narrow space before AM/PM, composed and decomposed
letters, curly apostrophes, and last a single entry of the directory that differs in case or form only.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from tools.shared.errors import ToolError, file_error

MAX_SUGGESTIONS = 3
MAX_LISTED = 20_000
"""Entries of a directory that are looked at for a near name."""

_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_DAY_HALF = re.compile(r" (?=[AaPp][Mm]\.)")


@dataclass(frozen=True, slots=True)
class Resolved:
    """An absolute path; `note` tells the model when the name that was found is not the one it asked for."""

    path: str
    note: str = ""


def check_path(path: str) -> None:
    """Raise ToolError for a path that can name no file: empty, with a NUL, or with a final slash."""
    if not path:
        raise ToolError("The path is empty: give the path of a file.")
    if "\0" in path:
        raise ToolError("The path contains a NUL character, which no file name can have.")
    if path.endswith(("/", os.sep)):
        raise ToolError(f"{path} ends with a slash and so names a directory: give the path of a file.")


def absolute(path: str, cwd: str) -> str:
    """Return `path` as an absolute path: `~` and file URLs expanded, `.` and `..` resolved by their letters."""
    if path == "~" or path.startswith("~/"):
        path = os.path.expanduser("~") + path[1:]
    elif path.startswith("file://"):
        from urllib.parse import unquote

        path = unquote(path.removeprefix("file://").removeprefix("localhost"))
    return os.path.normpath(os.path.join(cwd, path))


def spellings(path: str, cwd: str) -> tuple[str, ...]:
    """Return the absolute paths that `path` may mean, the literal one first, without duplicates."""
    plain = _SPACES.sub(" ", path)
    forms = [path, _without_at(path), plain, _without_at(plain), *_foreign_forms(_without_at(plain))]
    return tuple(dict.fromkeys(absolute(form, cwd) for form in forms if form))


def resolve_existing(path: str, cwd: str, action: str) -> Resolved:
    """Return the file or directory that `path` means.

    `action` ("read", "edit") names the attempt in errors. Raises ToolError, with near names when nothing fits.
    """
    check_path(path)
    candidates = spellings(path, cwd)
    for candidate in candidates:
        if os.path.lexists(candidate):
            return Resolved(candidate, "" if candidate == candidates[0] else _note(candidate, path))
    literal = candidates[0]
    try:
        os.stat(literal)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        raise file_error(action, literal, error) from None
    siblings = _entries(os.path.dirname(candidates[-1]))
    wanted = _folded(os.path.basename(candidates[-1]))
    matching = [name for name in siblings if _folded(name) == wanted]
    if len(matching) == 1:
        found = os.path.join(os.path.dirname(candidates[-1]), matching[0])
        return Resolved(found, _note(found, path))
    raise ToolError(f"Cannot {action} {literal}: there is no such file (ENOENT).{_suggestion(literal, siblings)}")


def resolve_target(path: str, cwd: str) -> Resolved:
    """Return the file that `path` means as the target of a write, which need not exist.

    A leading `@` is dropped unless something has that name or `@scope/` is a directory.
    """
    check_path(path)
    literal, *others = spellings(path, cwd)
    if os.path.lexists(literal):
        return Resolved(literal)
    plain = _SPACES.sub(" ", path)
    scope, slash, _ = plain.partition("/")
    if not (slash and os.path.isdir(os.path.join(cwd, scope))):
        plain = _without_at(plain)
    target = absolute(plain, cwd)
    for candidate in (target, *others):
        if os.path.lexists(candidate):
            return Resolved(candidate, _note(candidate, path))
    return Resolved(target, "" if target == literal else _note(target, path))


def _without_at(path: str) -> str:
    return path[1:] if path.startswith("@") and len(path) > 1 else path


def _foreign_forms(path: str) -> list[str]:
    forms = [_DAY_HALF.sub("\u202f", path)]
    if not path.isascii():
        import unicodedata

        decomposed = unicodedata.normalize("NFD", path)
        forms += [decomposed, decomposed.replace("'", "\u2019"), unicodedata.normalize("NFC", path)]
    forms.append(path.replace("'", "\u2019"))
    return forms


def _folded(name: str) -> str:
    if not name.isascii():
        import unicodedata

        name = unicodedata.normalize("NFC", _SPACES.sub(" ", name)).replace("\u2019", "'")
    return name.casefold()


def _entries(directory: str) -> list[str]:
    names: list[str] = []
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                names.append(entry.name)
                if len(names) == MAX_LISTED:
                    break
    except OSError:
        return []
    return names


def _suggestion(path: str, siblings: list[str]) -> str:
    parent, name = os.path.split(path)
    if not os.path.isdir(parent):
        return f" The directory {parent} does not exist either."
    from difflib import get_close_matches

    near = get_close_matches(name.casefold(), [entry.casefold() for entry in siblings[:2000]], MAX_SUGGESTIONS, 0.6)
    originals = {entry.casefold(): entry for entry in siblings}
    if not near:
        return ""
    return " Near names there: " + ", ".join(originals[entry] for entry in near) + "."


def _note(found: str, asked: str) -> str:
    return f"[Nothing is named exactly {asked!r}; used {found}]"
