"""Writing: a whole file, in the style of the one it replaces."""

from __future__ import annotations

from core.agent.tools import ToolInvocation
from tools.details import WriteDetails
from tools.shared.diff import diff_texts
from tools.shared.errors import ToolError
from tools.shared.paths import resolve_target
from tools.shared.text_file import TextFile, decode, dominant_ending, to_lf, without_surrogates
from tools.shared.tool import stop_if_aborted
from tools.shared.truncate import MAX_BYTES, count_lines, utf8_size
from tools.shared.workplace import Workplace
from tools.work.change import Changed

MAX_DIFFED = 1024 * 1024
"""Characters of old and new text up to which their difference is shown."""


def write_file(place: Workplace, call: ToolInvocation, path: str, content: str) -> Changed:
    """Make `content` the content of the file; for a thread. Raises ToolError."""
    target = resolve_target(path, place.cwd)
    notes: list[str] = [target.note] if target.note else []
    content, replaced = without_surrogates(content)
    if replaced:
        notes.append(f"[{replaced} unpaired surrogates became U+FFFD.]")
    base = place.files.load(target.path, "write")
    old: TextFile | None = None
    if base is None:
        place.files.make_parents(target.path)
        data = content.encode()
    else:
        old = _overwritten(target.path, base.data)
        content, endings = _in_style_of(old, content)
        notes += endings
        data = _encoded(target.path, old, content)
    diff = _shown_difference(path, old, content)
    lines = count_lines(to_lf(content))
    details = WriteDetails(created=base is None, lines=lines, bytes=len(data), diff=diff).to_wire()
    size = f"{lines} {'line' if lines == 1 else 'lines'}, {len(data)} bytes"
    if base is not None and base.data == data:
        said = f"{path} has this content already ({size}); nothing was written."
        return Changed("\n".join([said, *notes]), details)
    stop_if_aborted(call)
    place.files.commit(target.path, data, base)
    said = f"{'Created' if base is None else 'Overwrote'} {path} ({size})."
    return Changed("\n".join([said, *notes, *_warnings(old, content)]), details)


def _overwritten(path: str, data: bytes) -> TextFile:
    try:
        return decode(data)
    except ToolError as error:
        raise ToolError(f"{path} was not overwritten. {error} Remove it first if it is not needed.") from None


def _in_style_of(old: TextFile, content: str) -> tuple[str, list[str]]:
    """Return `content` without a byte-order mark of its own, with CRLF where the old file has that; and what to say."""
    if old.mark:
        content = content.removeprefix("\ufeff")
    if "\r" not in content and "\n" in content and dominant_ending(old.text) == "\r\n":
        return content.replace("\n", "\r\n"), ["[Written with CRLF line endings, as the file had them.]"]
    return content, []


def _encoded(path: str, old: TextFile, content: str) -> bytes:
    if old.legacy and not content.isascii():
        raise ToolError(
            f"{path} was not overwritten: it is not UTF-8 and its encoding is not known, so only ASCII can be written "
            "to it. Convert it to UTF-8 first, for example with iconv through bash, or remove it."
        )
    try:
        return old.encode(content)
    except UnicodeEncodeError as error:
        raise ToolError(f"{path} was not overwritten: {error.reason} in {old.encoding.upper()}.") from None


def _shown_difference(path: str, old: TextFile | None, content: str) -> str | None:
    """Return the difference for the screen; None for a new file and for one that is too long to show."""
    if old is None or len(old.text) + len(content) > MAX_DIFFED:
        return None
    text, _ = without_surrogates(old.text)
    diff = diff_texts(path, to_lf(text), to_lf(content)).display
    return diff if utf8_size(diff) <= MAX_BYTES else None


def _warnings(old: TextFile | None, content: str) -> list[str]:
    """Return remarks on what may not have been meant."""
    if old is None:
        return []
    warnings: list[str] = []
    if old.text.endswith("\n") and content and not content.endswith("\n"):
        warnings.append("[The file ended with a newline before and does not now.]")
    if len(content) * 2 < len(old.text):
        before, after = count_lines(to_lf(old.text)), count_lines(to_lf(content))
        warnings.append(f"[The file is less than half as long as before: {before} lines became {after}.]")
    return warnings
