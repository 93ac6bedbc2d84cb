"""Reading: part of a text file, an image, or what kind of file it is."""

from __future__ import annotations

import base64

from core.agent.tools import ToolInvocation, ToolResult
from core.ai.messages import ImageContent, TextContent
from tools.details import ReadDetails, Truncation
from tools.shared.errors import ToolError, file_error
from tools.shared.files import OpenFile
from tools.shared.kinds import SNIFFED, ImageKind, binary_kind, image_fault, image_kind
from tools.shared.paths import Resolved, resolve_existing
from tools.shared.text_file import mark_of
from tools.shared.tool import stop_if_aborted
from tools.shared.truncate import MAX_BYTES, MAX_LINES, format_size
from tools.shared.window import Window, read_window
from tools.shared.workplace import Workplace

MAX_IMAGE = int(4.5 * 1024 * 1024)
"""Characters of base64 that providers take for one image."""

MAX_SIDE = 8000
"""Pixels; a provider refuses every later request of a session that holds a larger image."""


def read_file(place: Workplace, call: ToolInvocation, path: str, offset: int | None, limit: int | None) -> ToolResult:
    """Return what there is to see of the file; for a thread. Raises ToolError."""
    found = resolve_existing(path, place.cwd, "read")
    with place.files.open(found.path) as file:
        try:
            sample = file.read(SNIFFED)
            file.rewind()
            kind = image_kind(sample)
            if kind is not None:
                return _image(file, found, kind)
            binary = binary_kind(sample)
            if binary is not None:
                return _binary(sample, file.size, found, binary)
            window = read_window(file, 1 if offset is None else offset, limit, lambda: stop_if_aborted(call))
        except OSError as error:
            raise file_error("read", found.path, error) from None
    return _text(window, found, file.size, mark_of(sample)[1], limited=limit is not None)


def _text(window: Window, found: Resolved, size: int, encoding: str, *, limited: bool) -> ToolResult:
    total = "more than can be counted quickly" if window.total is None else window.total
    text = window.data.decode("utf-8", "replace")
    notices: list[str] = [found.note] if found.note else []
    if not window.data and not window.overlong:
        return ToolResult.text("\n".join([*notices, "[The file is empty.]"]))
    if encoding != "utf-8":
        notices.append(f"[The file is {encoding.upper()}.]")
    elif "\ufffd" in text and (broken := _first_broken_line(window)):
        notices.append(f"[Not valid UTF-8, first at line {broken}: such bytes show as \ufffd.]")
    onward = f"Go on with offset={window.last + 1}."
    if window.overlong:
        notices.append(
            f"[Line {window.first} has {format_size(window.overlong)}; {format_size(MAX_BYTES)} fit. "
            f"Take a part of it with bash: sed -n '{window.first}p' {_quoted(found.path)} | head -c {MAX_BYTES}. "
            f"The next line is at offset={window.first + 1}; lines in all: {total}.]"
        )
    elif window.cut is not None:
        why = f", which is as much as fits ({format_size(MAX_BYTES)})" if window.cut == "bytes" else ""
        notices.append(f"[Lines {window.first}-{window.last} of {total}{why}. {onward}]")
    elif limited and (window.total is None or window.last < window.total):
        rest = "" if window.total is None else f"{window.total - window.last} more lines follow. "
        notices.append(f"[Lines {window.first}-{window.last} of {total}. {rest}{onward}]")
    if not notices and not text.strip():
        notices.append(f"[Only blanks: {window.last - window.first + 1} of {total} lines.]")
    cut_text = text.removesuffix("\n") if notices else text
    shown = "\n\n".join([part for part in (cut_text, "\n".join(notices)) if part])
    plain = ToolResult.text(shown).model_copy(update={"structured_content": shown})
    if window.cut is None:
        return plain
    truncation = Truncation(
        content=cut_text,
        truncated=True,
        truncated_by=window.cut,
        total_lines=window.total or 0,
        total_bytes=size,
        output_lines=window.last - window.first + 1,
        output_bytes=len(window.data.removesuffix(b"\n")),
        first_line_exceeds_limit=bool(window.overlong),
        max_lines=MAX_LINES,
        max_bytes=MAX_BYTES,
    )
    return plain.model_copy(update={"details": ReadDetails(truncation=truncation).to_wire()})


def _first_broken_line(window: Window) -> int | None:
    """Return the number of the first line that is not valid UTF-8."""
    try:
        window.data.decode()
    except UnicodeDecodeError as error:
        return window.first + window.data.count(b"\n", 0, error.start)
    return None


def _image(file: OpenFile, found: Resolved, kind: ImageKind) -> ToolResult:
    name = kind.mime_type.removeprefix("image/").upper()
    if kind.width > MAX_SIDE or kind.height > MAX_SIDE:
        raise ToolError(
            f"Cannot show {found.path}: the {name} image has {kind.width}x{kind.height} pixels, and models take "
            f"{MAX_SIDE} per side at most. Make a smaller copy and read that."
        )
    if file.size * 4 / 3 > MAX_IMAGE:
        raise ToolError(
            f"Cannot show {found.path}: the {name} image has {format_size(file.size)}, and models take about "
            f"{format_size(MAX_IMAGE * 3 // 4)} at most. Make a smaller copy and read that."
        )
    data = b""
    while piece := file.read(1024 * 1024):
        data += piece
    complete = image_kind(data) or kind
    fault = image_fault(data, complete)
    if fault is not None:
        raise ToolError(f"Cannot show {found.path} as a {name} image: {fault}.")
    size = f"{complete.width}x{complete.height} pixels, " if complete.width else ""
    note = f"[{name} image, {size}{format_size(len(data))}]"
    text = f"{found.note}\n{note}" if found.note else note
    image = ImageContent(data=base64.b64encode(data).decode(), mime_type=kind.mime_type)
    return ToolResult(content=(TextContent(text=text), image))


def _binary(sample: bytes, size: int, found: Resolved, kind: str) -> ToolResult:
    rows = [sample[at : at + 16] for at in range(0, min(len(sample), 128), 16)]
    dump = "\n".join(f"{at * 16:04x}  {row.hex(' ')}" for at, row in enumerate(rows))
    return ToolResult.text(
        f"[{found.path} is {kind}, {format_size(size)}, not text; it is not shown. First bytes:]\n{dump}"
    )


def _quoted(path: str) -> str:
    from shlex import quote

    return quote(path)
