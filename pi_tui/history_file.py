"""What was typed in a project, kept between starts: a draft that was cleared can be called back the next day."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from core.ai.wire import json_line
from core.session.locate import folder_name
from core.session.store import make_private_folder

KEPT = 100
"""Texts that are loaded; the file is cut to them when it holds twice as many."""
FOLDER = "prompt-history"


class HistoryFile:
    """One JSON string per line in `<agent dir>/prompt-history/<folder of the project>.jsonl`, for its owner alone.

    A history that cannot be read or written is no reason to disturb anybody: it is then empty, or stays in memory.
    """

    def __init__(self, agent_dir: Path, cwd: Path) -> None:
        self._path = agent_dir / FOLDER / f"{folder_name(cwd)}.jsonl"

    def load(self) -> Iterable[str]:
        """Return the last texts, oldest first; lines that are no JSON strings are passed over."""
        try:
            lines = self._path.read_bytes().split(b"\n")
        except OSError:
            return []
        texts = [text for line in lines if (text := _text(line))]
        if len(texts) > 2 * KEPT:
            self._rewrite(texts[-KEPT:])
        return texts[-KEPT:]

    def append(self, text: str) -> None:
        """Add a text as the newest."""
        try:
            make_private_folder(self._path.parent)
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            with open(descriptor, "ab", buffering=0) as file:
                file.write(json_line(text))
        except OSError:
            return

    def _rewrite(self, texts: list[str]) -> None:
        replacement = self._path.with_suffix(f".{os.getpid()}.tmp")
        try:
            descriptor = os.open(replacement, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with open(descriptor, "wb") as file:
                file.write(b"".join(json_line(text) for text in texts))
            replacement.replace(self._path)
        except OSError:
            replacement.unlink(missing_ok=True)


def _text(line: bytes) -> str:
    try:
        value = json.loads(line) if line.strip() else ""
    except ValueError:
        return ""
    return value if isinstance(value, str) else ""
