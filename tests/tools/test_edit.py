import asyncio
import codecs
import errno
import json
import os
import threading
from pathlib import Path

import pytest

from core.agent.arguments import InvalidArguments
from core.ai.wire import Json
from tests.tools.bench import Bench
from tests.tools.shared.test_atomic import FaultyDisk
from tools.details import EditDetails
from tools.shared.atomic import Snapshot
from tools.shared.errors import ToolError
from tools.shared.files import LocalFiles


async def edit(bench: Bench, *pairs: tuple[str, str], path: str = "f") -> str:
    return await bench.text("edit", path=path, edits=[{"oldText": old, "newText": new} for old, new in pairs])


async def edit_error(bench: Bench, *pairs: tuple[str, str], path: str = "f") -> str:
    return await bench.error("edit", path=path, edits=[{"oldText": old, "newText": new} for old, new in pairs])


async def test_a_result_tells_the_model_little_and_the_screen_all(bench: Bench):
    (bench.cwd / "f").write_text("one\ntwo\nthree\n")
    result = await bench.run("edit", path="f", edits=[{"oldText": "two", "newText": "2"}])
    assert result.plain_text == "Replaced 1 piece of text in f."
    assert list(result.details) == ["diff", "patch", "firstChangedLine"]
    details = EditDetails.model_validate(result.details)
    assert details.diff == " 1 one\n-2 two\n+2 2\n 3 three"
    assert details.patch == "--- f\n+++ f\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
    assert details.first_changed_line == 2


@pytest.mark.parametrize(
    "arguments",
    [
        {"edits": '[{"oldText": "a", "newText": "b"}]'},
        {"edits": {"oldText": "a", "newText": "b"}},
        {"edits": '{"oldText": "a", "newText": "b"}'},
        {"edits": ['{"oldText": "a", "newText": "b"}']},
        {"oldText": "a", "newText": "b"},
        {"old_string": "a", "new_string": "b"},
        {"edits": [], "oldText": "a", "newText": "b"},
        {"edits": [{"oldText": "a", "newText": "b", "reason": "because"}], "note": 1},
        {"edits": [{"old_text": "a", "new_text": "b"}]},
        {"blocks": [{"search": "a", "replace": "b"}], "path": None, "file_path": "f"},
    ],
)
async def test_the_shapes_that_models_send(bench: Bench, arguments: dict[str, Json]):
    # E46, E74
    (bench.cwd / "f").write_text("a\n")
    raw = {"path": "f", **arguments}
    before = json.dumps(raw)
    await bench.text("edit", **raw)
    assert (bench.cwd / "f").read_text() == "b\n"
    assert json.dumps(raw) == before
    assert os.listdir(bench.cwd) == ["f"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"edits": []},
        {"edits": "no json"},
        {"edits": [{"oldText": "a"}]},
        {"edits": [{"oldText": "a", "newText": None}]},
        {"oldText": "a"},
        {},
        {"edits": [["a", "b"]]},
    ],
)
async def test_what_is_missing_is_refused_before_the_call(bench: Bench, arguments: dict[str, Json]):
    # E74
    (bench.cwd / "f").write_text("a\n")
    with pytest.raises(InvalidArguments):
        await bench.run("edit", path="f", **arguments)
    assert (bench.cwd / "f").read_text() == "a\n"


async def test_two_names_that_disagree_are_refused(bench: Bench):
    with pytest.raises(ToolError, match="oldText and old_string"):
        await bench.run("edit", path="f", edits=[{"oldText": "a", "old_string": "b", "newText": "c"}])


async def test_a_failure_changes_nothing_and_names_the_file(bench: Bench):
    # E48
    (bench.cwd / "f").write_text("one\ntwo\n")
    before = (bench.cwd / "f").stat()
    message = await edit_error(bench, ("one", "1"), ("three", "3"))
    assert message.startswith(f"{bench.cwd}/f was not changed. Edit 2: oldText was not found.")
    after = (bench.cwd / "f").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


async def test_nothing_can_fail_behind_the_write(bench: Bench, monkeypatch: pytest.MonkeyPatch):
    # E55
    def broken(*_: object) -> None:
        raise RuntimeError("no difference today")

    (bench.cwd / "f").write_text("old\n")
    await edit(bench, ("old", "older"))
    monkeypatch.setattr("tools.shared.edit_plan.diff_changes", broken)
    with pytest.raises(RuntimeError, match="no difference today"):
        await edit(bench, ("older", "new"))
    assert (bench.cwd / "f").read_text() == "older\n"


async def test_a_lenient_match_is_told(bench: Bench):
    (bench.cwd / "f").write_text("a  \nb\n")
    text = await edit(bench, ("a\nb", "a\nc"))
    assert text.endswith("The edit matched at line 1 only ignoring blanks at line ends. The text there was:\na  \nb")
    assert (bench.cwd / "f").read_text() == "a  \nc\n"


async def test_files_that_cannot_be_edited_are_refused(bench: Bench):
    # E29, E61
    os.mkfifo(bench.cwd / "fifo")
    (bench.cwd / "d").mkdir()
    (bench.cwd / "dangling").symlink_to("nowhere")
    (bench.cwd / "loop").symlink_to("loop")
    (bench.cwd / "binary").write_bytes(b"a\0b")
    for path, words in {
        "fifo": "named pipe",
        "d": "is a directory",
        "d/": "slash",
        "missing": "Cannot edit",
        "dangling": "Use write",
        "loop": "form a loop",
        "binary": "NUL bytes",
        "/dev/zero": "character device",
    }.items():
        assert words in await edit_error(bench, ("a", "b"), path=path), path


async def test_a_near_name_is_suggested_or_used(bench: Bench):
    (bench.cwd / "README.md").write_text("a\n")
    assert "used" in await edit(bench, ("a", "b"), path="readme.md")
    assert "Near names there: README.md" in await edit_error(bench, ("a", "b"), path="READMI.md")


async def test_a_large_file_is_refused_with_advice(bench: Bench):
    (bench.cwd / "f").touch()
    os.truncate(bench.cwd / "f", 65 * 1024 * 1024)
    assert "sed" in await edit_error(bench, ("a", "b"))


async def test_bytes_and_metadata_stay(bench: Bench):
    # E01, E03, E09, E57, E58
    path = bench.cwd / "f"
    path.write_bytes(codecs.BOM_UTF8 + b"x = 1\r\n# caf\xe9\r\n")
    path.chmod(0o4755)
    (bench.cwd / "link").symlink_to("f")
    await edit(bench, ("x = 1\n", "x = 2\ny = 3\n"), path="link")
    assert path.read_bytes() == codecs.BOM_UTF8 + b"x = 2\r\ny = 3\r\n# caf\xe9\r\n"
    assert path.stat().st_mode & 0o7777 == 0o4755
    assert (bench.cwd / "link").is_symlink()


async def test_a_full_disk_leaves_the_file(tmp_path: Path):
    # E60, E70
    bench = Bench(tmp_path, files=LocalFiles(FaultyDisk(errno.ENOSPC, 1, "write")))
    (tmp_path / "f").write_text("old\n")
    assert "no space is left on the device (ENOSPC)" in await edit_error(bench, ("old", "new"))
    assert (tmp_path / "f").read_text() == "old\n"
    assert os.listdir(tmp_path) == ["f"]


class SlowFiles(LocalFiles):
    """Waits inside the first write until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.writing = threading.Event()
        self.go = threading.Event()

    def commit(self, path: str, data: bytes, base: Snapshot | None) -> None:
        self.writing.set()
        assert self.go.wait(10)
        super().commit(path, data, base)


@pytest.mark.parametrize("alias", ["f", "./f", "link", "hard"])
async def test_parallel_edits_of_one_file_all_land_in_order(tmp_path: Path, alias: str):
    # E19, E62, E63
    files = SlowFiles()
    bench = Bench(tmp_path, files=files)
    (tmp_path / "f").write_text("1\n2\n3\n")
    (tmp_path / "link").symlink_to("f")
    os.link(tmp_path / "f", tmp_path / "hard")
    first = bench.begin("edit", path="f", edits=[{"oldText": "1", "newText": "one"}])
    second = bench.begin("edit", path=alias, edits=[{"oldText": "one\n2", "newText": "two"}])
    third = bench.begin("read", path=alias)
    await asyncio.to_thread(files.writing.wait, 10)
    assert not second.done()
    files.go.set()
    results = await asyncio.gather(first, second, third)
    assert [result.is_error for result in results] == [None, None, None]
    assert results[2].plain_text == "two\n3\n"
    assert (tmp_path / "hard").read_text() == "two\n3\n"


async def test_a_write_that_began_is_finished_after_an_abort_and_reported_as_done(tmp_path: Path):
    # E65
    files = SlowFiles()
    bench = Bench(tmp_path, files=files)
    (tmp_path / "f").write_text("old\n")
    task = bench.begin("edit", path="f", edits=[{"oldText": "old", "newText": "new"}])
    waiting = bench.lock.reserve_read(str(tmp_path / "f"))
    signal = bench.signal
    acquired = asyncio.ensure_future(waiting.acquire())
    await asyncio.to_thread(files.writing.wait, 10)
    signal.abort()
    task.cancel()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not task.done()
    assert not acquired.done()
    files.go.set()
    result = await task
    assert not result.is_error
    assert result.plain_text.endswith("[The run was aborted while this went on; it was finished.]")
    assert (tmp_path / "f").read_text() == "new\n"
    await acquired
    waiting.release()


async def test_a_cancellation_for_another_reason_waits_for_the_write_and_passes(tmp_path: Path):
    files = SlowFiles()
    bench = Bench(tmp_path, files=files)
    (tmp_path / "f").write_text("old\n")
    task = bench.begin("edit", path="f", edits=[{"oldText": "old", "newText": "new"}])
    await asyncio.to_thread(files.writing.wait, 10)
    task.cancel()
    await asyncio.sleep(0)
    assert not task.done()
    files.go.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (tmp_path / "f").read_text() == "new\n"


async def test_nothing_is_written_after_an_abort(bench: Bench):
    (bench.cwd / "f").write_text("old\n")
    task = bench.begin("edit", path="f", edits=[{"oldText": "old", "newText": "new"}])
    bench.signal.abort()
    assert "aborted" in (await task).plain_text
    assert (bench.cwd / "f").read_text() == "old\n"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("edit", {"oldText": "old", "newText": "new"}),
        ("write", {"content": "new"}),
        ("write", {"path": "n", "content": ""}),
    ],
)
async def test_an_abort_before_the_write_begins_leaves_the_file(tmp_path: Path, name: str, arguments: dict[str, Json]):
    # E65
    class Aborting(LocalFiles):
        def load(self, path: str, action: str) -> Snapshot | None:
            bench.signal.abort()
            return super().load(path, action)

    bench = Bench(tmp_path, files=Aborting())
    (tmp_path / "f").write_text("old\n")
    assert "aborted" in await bench.error(name, **{"path": "f", **arguments})
    assert (tmp_path / "f").read_text() == "old\n"
    assert os.listdir(tmp_path) == ["f"]


async def test_a_change_by_something_else_between_reading_and_writing_is_kept(tmp_path: Path):
    # E66
    class Racing(LocalFiles):
        def commit(self, path: str, data: bytes, base: Snapshot | None) -> None:
            Path(path).write_text("theirs\n")
            super().commit(path, data, base)

    bench = Bench(tmp_path, files=Racing())
    (tmp_path / "f").write_text("old\n")
    assert "Nothing was written" in await edit_error(bench, ("old", "new"))
    assert (tmp_path / "f").read_text() == "theirs\n"


async def test_a_touch_does_not_matter(bench: Bench):
    # E21
    (bench.cwd / "f").write_text("a\n")
    await bench.text("read", path="f")
    os.utime(bench.cwd / "f", (1, 1))
    await edit(bench, ("a", "b"))
