"""The prompt history on disk."""

from __future__ import annotations

import stat
from pathlib import Path

from pi_tui.history_file import KEPT, HistoryFile


def test_kept_between_starts_per_project(tmp_path: Path) -> None:
    HistoryFile(tmp_path, Path("/a")).append("one\ntwo 😀\ud800")
    HistoryFile(tmp_path, Path("/a")).append("three")
    assert list(HistoryFile(tmp_path, Path("/a")).load()) == ["one\ntwo 😀\ud800", "three"]
    assert list(HistoryFile(tmp_path, Path("/b")).load()) == []
    file = next(tmp_path.rglob("*.jsonl"))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_cut_to_the_last_texts_when_it_grew_long(tmp_path: Path) -> None:
    history = HistoryFile(tmp_path, Path("/a"))
    for index in range(2 * KEPT + 1):
        history.append(f"t{index}")
    assert list(history.load())[-1] == f"t{2 * KEPT}"
    file = next(tmp_path.rglob("*.jsonl"))
    assert len(file.read_text().splitlines()) == KEPT
    assert list(tmp_path.rglob("*.tmp")) == []


def test_damaged_and_unreadable_files_do_no_harm(tmp_path: Path) -> None:
    history = HistoryFile(tmp_path, Path("/a"))
    history.append("good")
    file = next(tmp_path.rglob("*.jsonl"))
    file.write_bytes(b"\xff\xfe\n[1]\n" + file.read_bytes() + b'"half')
    assert list(history.load()) == ["good"]
    blocked = tmp_path / "file"
    blocked.write_text("")
    other = HistoryFile(blocked, Path("/a"))
    other.append("x")
    assert list(other.load()) == []
