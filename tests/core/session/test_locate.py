"""Which session file a person means."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.session.locate import SessionNotFound, SessionPlace, folder_name, open_session
from core.session.store import SessionFileError
from tests.core.session.rig import user


async def saved(place: SessionPlace, text: str, at: int) -> Path:
    store = place.new()
    store.append_message(user(text))
    await store.flush()
    assert store.path is not None
    os.utime(store.path, (at, at))
    return store.path


def test_folder_names_are_those_of_pi() -> None:
    assert folder_name(Path("/home/me/proj")) == "--home-me-proj--"


async def test_newest_counts_by_modification_time(tmp_path: Path) -> None:
    place = SessionPlace(tmp_path, Path("/home/me/proj"))
    newer = await saved(place, "a", 200)
    await saved(place, "b", 100)
    assert place.newest() == newer
    assert SessionPlace(tmp_path, Path("/other")).newest() is None


async def test_flat_folder_is_filtered_by_working_directory(tmp_path: Path) -> None:
    mine = SessionPlace(tmp_path, Path("/a"), flat=True)
    path = await saved(mine, "a", 100)
    await saved(SessionPlace(tmp_path, Path("/b"), flat=True), "b", 200)
    assert mine.newest() == path


async def test_found_by_id_prefix_and_path_everywhere(tmp_path: Path) -> None:
    place = SessionPlace(tmp_path / "sessions", tmp_path)
    elsewhere = await saved(SessionPlace(tmp_path / "sessions", Path("/elsewhere")), "x", 100)
    session_id = elsewhere.stem.partition("_")[2]
    assert place.find(session_id) == elsewhere
    assert place.find(session_id[:-2]) == elsewhere
    assert place.find("sub/x.jsonl") == tmp_path / "sub/x.jsonl"
    with pytest.raises(SessionNotFound, match="zzz"):
        place.find("zzz")


async def test_ambiguous_beginning_is_refused(tmp_path: Path) -> None:
    place = SessionPlace(tmp_path, Path("/a"))
    await saved(place, "x", 1)
    await saved(place, "y", 1)
    with pytest.raises(SessionNotFound, match="2 session ids"):
        place.find("0")


async def test_empty_and_missing_files_become_new_sessions(tmp_path: Path) -> None:
    place = SessionPlace(tmp_path, Path("/a"))
    empty = tmp_path / "e.jsonl"
    empty.touch()
    for path in (empty, tmp_path / "m.jsonl"):
        store = open_session(path, place)
        store.append_message(user("x"))
        await store.flush()
        assert path.read_text().startswith('{"type":"session","version":3')


def test_binary_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "b.jsonl"
    path.write_bytes(b"\x00\xff\xfe\n")
    with pytest.raises(SessionFileError):
        open_session(path, SessionPlace(tmp_path, Path("/a")))
    assert path.read_bytes() == b"\x00\xff\xfe\n"
