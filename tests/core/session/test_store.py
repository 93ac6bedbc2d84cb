"""Session files: read tolerantly, written append-only."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from core.ai.messages import TextContent, UserMessage
from core.session.agent_session import text_of
from core.session.entries import Header, iso_now, new_session_id
from core.session.store import SessionFileError, SessionStore, append_block
from core.session.tree import context_of, path_to
from tests.core.session.rig import lines, user

HEADER = {"type": "session", "version": 3, "id": "s1", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/x"}


def entry(entry_id: str, parent: str | None, text: str, **extra: object) -> dict[str, object]:
    message = {"role": "user", "content": [{"type": "text", "text": text}], "timestamp": 1}
    return {"type": "message", "id": entry_id, "parentId": parent, "timestamp": "2026-01-01T00:00:00.000Z"} | {
        "message": message,
        **extra,
    }


def write(path: Path, *records: object, end: str = "\n") -> Path:
    path.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in records) + end)
    return path


def load(path: Path) -> SessionStore:
    store = SessionStore.load(path)
    assert store is not None
    return store


def texts(store: SessionStore) -> list[str]:
    items = context_of(path_to(store.leaf, store.by_id))
    return [text_of(item.message) for item in items if isinstance(item.message, UserMessage)]


async def test_file_is_private_and_has_one_line_per_entry(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "s.jsonl"
    store = SessionStore(Header("s1", iso_now(), "/x"), path)
    store.append_message(user("a"))
    await store.flush()
    store.append_message(user("b"))
    await store.flush()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.parent.parent.stat().st_mode) == 0o700
    assert [r["type"] for r in lines(path)] == ["session", "message", "message"]
    assert path.read_bytes().endswith(b"}\n")


async def test_d01_a_cut_last_line_does_not_swallow_the_next_record(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", HEADER, entry("a", None, "one"), '{"type":"message","id":"b","par', end="")
    store = load(path)
    assert store.skipped_lines == 1
    store.append_message(user("two"))
    await store.flush()
    assert texts(load(path)) == ["one", "two"]


async def test_d03_only_lf_ends_a_record(tmp_path: Path) -> None:
    odd = "a\u2028b\x0bc\x0cd\x1ce\x85f\rg"
    store = SessionStore(Header("s1", iso_now(), "/x"), tmp_path / "s.jsonl")
    store.append_message(user(odd))
    await store.flush()
    assert texts(load(tmp_path / "s.jsonl")) == [odd]


async def test_unpaired_surrogates_survive(tmp_path: Path) -> None:
    store = SessionStore(Header("s1", iso_now(), "/x"), tmp_path / "s.jsonl")
    store.append_message(user("a\ud800b 😀"))
    await store.flush()
    assert texts(load(tmp_path / "s.jsonl")) == ["a\ud800b 😀"]


@pytest.mark.parametrize("replacement", [None, '{"hello": 1}\n'])
async def test_d05_a_removed_or_replaced_file_is_written_anew_and_the_other_left_alone(
    tmp_path: Path, replacement: str | None
) -> None:
    path = tmp_path / "s.jsonl"
    store = SessionStore(Header("s1", iso_now(), "/x"), path)
    store.append_message(user("a"))
    await store.flush()
    path.unlink()
    if replacement is not None:
        path.write_text(replacement)
    store.append_message(user("b"))
    await store.flush()
    assert store.path is not None
    assert texts(load(store.path)) == ["a", "b"]
    if replacement is not None:
        assert path.read_text() == replacement


def test_unknown_entries_and_keys_do_no_harm(tmp_path: Path) -> None:
    path = write(
        tmp_path / "s.jsonl",
        {**HEADER, "future": 1},
        "",
        "not json",
        "[1]",
        entry("a", None, "one", future=True),
        {"type": "hologram", "id": "h", "parentId": "a", "timestamp": "x"},
        {"type": "message", "id": "m", "parentId": "h", "timestamp": "x", "message": {"role": "oracle"}},
        entry("b", "m", "two"),
    )
    assert texts(load(path)) == ["one", "two"]


def test_last_line_is_the_leaf_and_unknown_parents_are_roots(tmp_path: Path) -> None:
    path = write(
        tmp_path / "s.jsonl",
        HEADER,
        entry("a", None, "one"),
        entry("b", "a", "two"),
        entry("c", "gone", "other root"),
        entry("d", "a", "branch"),
    )
    assert texts(load(path)) == ["one", "branch"]


def test_a_loop_of_parents_ends(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", HEADER, entry("a", "b", "one"), entry("b", "a", "two"))
    assert texts(load(path)) == ["one", "two"]


def test_compaction_and_context_edits(tmp_path: Path) -> None:
    path = write(
        tmp_path / "s.jsonl",
        HEADER,
        entry("a", None, "one"),
        entry("b", "a", "two"),
        entry("c", "b", "three"),
        {"type": "compaction", "id": "k", "parentId": "c", "timestamp": "2026-01-01T00:00:00.000Z"}
        | {"summary": "S", "firstKeptEntryId": "b", "tokensBefore": 9},
        entry("d", "k", "four"),
        {"type": "context_edit", "id": "e", "parentId": "d", "timestamp": "t", "targetId": "c", "replacement": None},
        {"type": "context_edit", "id": "f", "parentId": "e", "timestamp": "t", "targetId": "d"}
        | {"replacement": {"content": [{"type": "text", "text": "FOUR"}]}},
    )
    store = load(path)
    roles = [item.message.role for item in context_of(path_to(store.leaf, store.by_id))]
    assert roles == ["compactionSummary", "user", "user"]
    assert texts(store) == ["two", "FOUR"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [("hello\n", "session header"), ('{"type":"session"}\n', "session header"), ('{"type":"session","id":"x"}\n', "1")],
)
def test_other_files_are_refused_with_their_name(tmp_path: Path, content: str, reason: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(content)
    with pytest.raises(SessionFileError, match=reason) as caught:
        SessionStore.load(path)
    assert str(path) in str(caught.value)


async def test_two_writers_extend_one_file(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", HEADER, entry("a", None, "one"))
    first, second = load(path), load(path)
    first.append_message(user("first"))
    second.append_message(user("second"))
    await first.flush()
    await second.flush()
    assert [r["id"] for r in lines(path)][1] == "a"
    assert len(lines(path)) == 4
    assert texts(load(path)) == ["one", "second"]


async def test_a_full_disk_leaves_a_file_that_reads(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", HEADER, entry("a", None, "one"))
    await append_block(path, b'{"type":"message","id":"half')
    store = load(path)
    store.append_message(user("two"))
    await store.flush()
    assert texts(load(path)) == ["one", "two"]


def test_session_ids_sort_by_time() -> None:
    ids = [new_session_id() for _ in range(3)]
    assert all(value[14] == "7" and len(value) == 36 for value in ids)
    assert ids[0][:8] <= ids[2][:8]


async def test_message_content_may_be_a_string(tmp_path: Path) -> None:
    record = entry("a", None, "x")
    record["message"] = {"role": "user", "content": "plain", "timestamp": 1}
    path = write(tmp_path / "s.jsonl", HEADER, record)
    assert texts(load(path)) == ["plain"]
    assert TextContent(text="x").to_wire() == {"type": "text", "text": "x"}
