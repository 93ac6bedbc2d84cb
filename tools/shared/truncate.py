"""The two limits on what a model is given, and the two ways to keep them: from the top or from the bottom.

Lines end at LF only (`str.splitlines` knows others and shifts numbers). A final LF opens no further line and does not
count against the byte limit.
"""

from __future__ import annotations

from tools.details import Truncation

MAX_LINES = 2000
MAX_BYTES = 50 * 1024


def format_size(count: int) -> str:
    """Return bytes for people: `812B`, `50.0KB`, `1.5MB`."""
    if count < 1024:
        return f"{count}B"
    if count < 1024 * 1024:
        return f"{count / 1024:.1f}KB"
    return f"{count / (1024 * 1024):.1f}MB"


def utf8_size(text: str) -> int:
    """Return the size of `text` in UTF-8; an unpaired surrogate counts three bytes."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def count_lines(text: str) -> int:
    """Return the number of lines; a final LF does not open one."""
    if not text:
        return 0
    return text.count("\n") + (not text.endswith("\n"))


def truncate_head(text: str, max_lines: int = MAX_LINES, max_bytes: int = MAX_BYTES) -> Truncation:
    """Keep whole lines from the top. A first line beyond the byte limit gives no text and a flag."""
    total_lines, total_bytes = count_lines(text), utf8_size(text)
    if total_lines <= max_lines and total_bytes - text.endswith("\n") <= max_bytes:
        return _whole(text, total_lines, total_bytes, max_lines, max_bytes)
    kept: list[str] = []
    used = 0
    cut_by_bytes = False
    for line in _lines(text)[:max_lines]:
        size = utf8_size(line) + (1 if kept else 0)
        if used + size > max_bytes:
            cut_by_bytes = True
            break
        kept.append(line)
        used += size
    return Truncation(
        content="\n".join(kept),
        truncated=True,
        truncated_by="bytes" if cut_by_bytes else "lines",
        total_lines=total_lines,
        total_bytes=total_bytes,
        output_lines=len(kept),
        output_bytes=used,
        first_line_exceeds_limit=not kept,
        max_lines=max_lines,
        max_bytes=max_bytes,
    )


def truncate_tail(text: str, max_lines: int = MAX_LINES, max_bytes: int = MAX_BYTES) -> Truncation:
    """Keep whole lines from the bottom. A last line beyond the byte limit keeps its end, cut between characters."""
    total_lines, total_bytes = count_lines(text), utf8_size(text)
    if total_lines <= max_lines and total_bytes - text.endswith("\n") <= max_bytes:
        return _whole(text, total_lines, total_bytes, max_lines, max_bytes)
    kept: list[str] = []
    used = 0
    cut_by_bytes = partial = False
    for line in reversed(_lines(text)[-max_lines:]):
        size = utf8_size(line) + (1 if kept else 0)
        if used + size > max_bytes:
            cut_by_bytes = True
            if not kept:
                kept = [last_bytes(line, max_bytes)]
                used = utf8_size(kept[0])
                partial = True
            break
        kept.append(line)
        used += size
    kept.reverse()
    return Truncation(
        content="\n".join(kept),
        truncated=True,
        truncated_by="bytes" if cut_by_bytes else "lines",
        total_lines=total_lines,
        total_bytes=total_bytes,
        output_lines=len(kept),
        output_bytes=used,
        last_line_partial=partial,
        max_lines=max_lines,
        max_bytes=max_bytes,
    )


def last_bytes(text: str, limit: int) -> str:
    """Return the longest end of `text` that fits in `limit` bytes of UTF-8."""
    return text[-limit:].encode("utf-8", "replace")[-limit:].decode("utf-8", "ignore") if limit > 0 else ""


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def _whole(text: str, lines: int, size: int, max_lines: int, max_bytes: int) -> Truncation:
    return Truncation(
        content=text,
        total_lines=lines,
        total_bytes=size,
        output_lines=lines,
        output_bytes=size,
        max_lines=max_lines,
        max_bytes=max_bytes,
    )
