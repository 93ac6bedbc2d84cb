"""What the measurements are made on: Markdown in deltas, and session files of a given length. The same on every run."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from tests.support.script import JsonObject

END_MARK = "ENDOFSTREAM"
"""The last word of every measured reply, and of a session's last message, on a line of its own."""

_PROSE = (
    "The parser reads the stream once and keeps only what the **next** step needs, so a long reply costs no more "
    "per word than a short one. See `core/stream.py`, and *note* that an unfinished block stays open until its fence "
    "closes."
)
_CODE = """```python
def total(rows: list[int], start: int = {n}) -> int:
    \"\"\"Add the rows to the start.\"\"\"
    for row in rows:
        start += row  # one by one
    return start
```"""
_LIST = "- first point of part {n}\n- second point, with `code` in it\n  - a nested one\n- third point"
_TABLE = "| name | size | note |\n|---|---:|---|\n| alpha | {n} | plain |\n| beta | 42 | **bold** |"
_QUOTE = "> A remark on part {n}, set apart from the text around it."


def markdown(size: int) -> str:
    """About `size` bytes of mixed Markdown that ends with `END_MARK`."""
    parts: list[str] = []
    length = 0
    for n in count(1):
        part = "\n\n".join([f"## Part {n}", _PROSE, _CODE, _LIST, _PROSE, _TABLE, _QUOTE]).replace("{n}", str(n))
        parts.append(part)
        length += len(part) + 2
        if length >= size:
            break
    return "\n\n".join(parts)[: size - len(END_MARK) - 9].rstrip() + f"\n```\n\n{END_MARK}"


def burst_text(size: int = 200_000, deltas: int = 5000) -> tuple[str, ...]:
    """Markdown of `size` bytes in `deltas` pieces; the last one holds the whole mark."""
    text = markdown(size)
    body, step = text[: -len(END_MARK)], size // deltas
    return (*(body[at : at + step] for at in range(0, len(body), step)), END_MARK)


def steady_text(deltas: int) -> tuple[str, ...]:
    """`deltas` pieces of 24 bytes, about what a fast model gives."""
    text = markdown(deltas * 24 + 200)
    return (*(text[at * 24 : at * 24 + 24] for at in range(deltas - 1)), f"\n\n{END_MARK}")


def write_session(path: Path, folder: Path, messages: int) -> Path:
    """A session file (version 3) of `messages` messages of about 600 bytes for the project `folder`."""
    clock = datetime(2026, 11, 1, tzinfo=UTC)
    lines: list[JsonObject] = [
        {"type": "session", "version": 3, "id": "01a229b6-b1e3-7190-84a1-5d466518f9eb", "timestamp": _iso(clock)}
    ]
    lines[0]["cwd"] = str(folder)
    parent: str | None = None
    for number in range(messages):
        at = clock + timedelta(seconds=number)
        entry_id = f"{number:08x}"
        entry: JsonObject = {"type": "message", "id": entry_id, "parentId": parent, "timestamp": _iso(at)}
        entry["message"] = _message(number, int(at.timestamp() * 1000), last=number == messages - 1)
        lines.append(entry)
        parent = entry_id
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def _message(number: int, timestamp: int, *, last: bool) -> JsonObject:
    text = f"Message {number}. " + (_PROSE + " ") * 2
    text += f"\n\n{_LIST}".replace("{n}", str(number)) + (f"\n\n{END_MARK}" if last else "")
    content: JsonObject = {"type": "text", "text": text}
    if number % 2 == 0:
        return {"role": "user", "content": [content], "timestamp": timestamp}
    usage: JsonObject = {"input": 10, "output": 10, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 20}
    usage["cost"] = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}
    return {
        "role": "assistant",
        "content": [content],
        "api": "anthropic-messages",
        "provider": "fake-anthropic",
        "model": "scripted-1",
        "usage": usage,
        "stopReason": "stop",
        "timestamp": timestamp,
    }


def _iso(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")
