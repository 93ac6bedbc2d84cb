import asyncio
import codecs
import errno
import os
import stat
from pathlib import Path

import pytest

from core.agent.arguments import InvalidArguments
from tests.tools.bench import Bench
from tests.tools.shared.test_atomic import FaultyDisk
from tools.details import WriteDetails
from tools.shared.files import LocalFiles


async def test_a_new_file_with_its_directories(bench: Bench):
    # E57, E69
    result = await bench.run("write", path="a/b/c.txt", content="é\r\nx")
    assert result.plain_text == "Created a/b/c.txt (2 lines, 5 bytes)."
    assert (bench.cwd / "a/b/c.txt").read_bytes() == "é\r\nx".encode()
    details = WriteDetails.model_validate(result.details)
    assert (details.created, details.lines, details.bytes, details.diff) == (True, 2, 5, None)
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((bench.cwd / "a/b/c.txt").stat().st_mode) == 0o666 & ~umask


async def test_overwriting_shows_the_difference_and_keeps_the_mode(bench: Bench):
    path = bench.cwd / "f"
    path.write_text("a\nb\n")
    path.chmod(0o755)
    result = await bench.run("write", path="f", content="a\nc\n")
    assert result.plain_text == "Overwrote f (2 lines, 4 bytes)."
    assert WriteDetails.model_validate(result.details).diff == " 1 a\n-2 b\n+2 c"
    assert path.read_text() == "a\nc\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o755


async def test_the_same_content_is_not_written(bench: Bench):
    # E71
    path = bench.cwd / "f"
    path.write_text("a\n")
    os.utime(path, (1, 1))
    assert "nothing was written" in await bench.text("write", path="f", content="a\n")
    assert path.stat().st_mtime == 1


@pytest.mark.parametrize(
    ("old", "content", "new"),
    [
        # E03, E73
        (codecs.BOM_UTF8 + b"a\n", "b\n", codecs.BOM_UTF8 + b"b\n"),
        (codecs.BOM_UTF8 + b"a\n", "\ufeffb\n", codecs.BOM_UTF8 + b"b\n"),
        (b"a\r\nb\r\n", "x\ny\n", b"x\r\ny\r\n"),
        (b"a\r\nb\r\n", "x\r\ny\n", b"x\r\ny\n"),
        (b"a\nb\r\n", "x\ny\n", b"x\ny\n"),
        (codecs.BOM_UTF16_LE + "a\r\n".encode("utf-16-le"), "é\n", codecs.BOM_UTF16_LE + "é\r\n".encode("utf-16-le")),
        (b"caf\xe9\n", "cafe\n", b"cafe\n"),
    ],
)
async def test_the_style_of_the_old_file_stays(bench: Bench, old: bytes, content: str, new: bytes):
    (bench.cwd / "f").write_bytes(old)
    await bench.text("write", path="f", content=content)
    assert (bench.cwd / "f").read_bytes() == new


@pytest.mark.parametrize(("old", "words"), [(b"caf\xe9\n", "only ASCII"), (b"a\0b", "NUL bytes")])
async def test_what_would_damage_the_old_file_is_refused(bench: Bench, old: bytes, words: str):
    # E72
    (bench.cwd / "f").write_bytes(old)
    message = await bench.error("write", path="f", content="é\n")
    assert message.startswith(f"{bench.cwd}/f was not overwritten")
    assert words in message
    assert (bench.cwd / "f").read_bytes() == old


async def test_lone_surrogates_become_the_replacement_character(bench: Bench):
    # E68
    assert "1 unpaired surrogates became U+FFFD" in await bench.text("write", path="f", content="a\ud83d\n")
    assert (bench.cwd / "f").read_text() == "a\ufffd\n"


@pytest.mark.parametrize(
    "arguments", [{"path": "f", "content": None}, {"path": None, "content": "x"}, {"content": "x"}]
)
async def test_null_never_becomes_a_word(bench: Bench, arguments: dict[str, str | None]):
    # E68, E74
    with pytest.raises(InvalidArguments):
        await bench.run("write", **arguments)
    assert os.listdir(bench.cwd) == []


@pytest.mark.parametrize("name", ["file_path", "filePath", "filename"])
async def test_other_names_for_the_path(bench: Bench, name: str):
    await bench.text("write", **{name: "f", "content": "x"})
    assert os.listdir(bench.cwd) == ["f"]


async def test_remarks_on_what_may_not_have_been_meant(bench: Bench):
    (bench.cwd / "f").write_text("line\n" * 10)
    text = await bench.text("write", path="f", content="// rest unchanged")
    assert "ended with a newline before and does not now" in text
    assert "10 lines became 1" in text


async def test_places_that_cannot_be_written(bench: Bench):
    # E61
    os.mkfifo(bench.cwd / "fifo")
    (bench.cwd / "file").write_text("x")
    (bench.cwd / "d").mkdir()
    (bench.cwd / "loop").symlink_to("loop")
    for path, words in {
        "file/below": "is a file, not a directory",
        "file/deep/below": "not a directory",
        "d": "is a directory",
        "newdir/": "slash",
        "fifo": "named pipe",
        "/dev/null": "character device",
        "loop": "form a loop",
        "": "empty",
        "a\0b": "NUL",
        "x" * 300: "too long",
    }.items():
        assert words in await bench.error("write", path=path, content="y"), path
    assert sorted(os.listdir(bench.cwd)) == ["d", "fifo", "file", "loop"]
    assert (bench.cwd / "file").read_text() == "x"


async def test_links(bench: Bench):
    # E58
    (bench.cwd / "f").write_text("a")
    (bench.cwd / "link").symlink_to("f")
    (bench.cwd / "dangling").symlink_to("target")
    os.link(bench.cwd / "f", bench.cwd / "hard")
    await bench.text("write", path="link", content="b")
    await bench.text("write", path="dangling", content="c")
    assert (bench.cwd / "link").is_symlink()
    assert (bench.cwd / "hard").read_text() == "b"
    assert (bench.cwd / "target").read_text() == "c"


async def test_two_files_made_at_once_through_a_linked_directory(bench: Bench):
    # E64
    (bench.cwd / "dir").mkdir()
    (bench.cwd / "dirlink").symlink_to("dir")
    first = bench.begin("write", path="dir/n", content="1\n")
    second = bench.begin("write", path="dirlink/n", content="2\n")
    assert [result.plain_text.split()[0] for result in await asyncio.gather(first, second)] == ["Created", "Overwrote"]
    assert (bench.cwd / "dir/n").read_text() == "2\n"


async def test_a_full_disk_creates_nothing(tmp_path: Path):
    # E60
    bench = Bench(tmp_path, files=LocalFiles(FaultyDisk(errno.EDQUOT, 1, "write")))
    assert "quota is used up (EDQUOT)" in await bench.error("write", path="f", content="x")
    assert os.listdir(tmp_path) == []


async def test_at_signs(bench: Bench):
    (bench.cwd / "@types").mkdir()
    assert "used" in await bench.text("write", path="@new.txt", content="x")
    await bench.text("write", path="@types/index.d.ts", content="x")
    assert sorted(os.listdir(bench.cwd)) == ["@types", "new.txt"]
    assert os.listdir(bench.cwd / "@types") == ["index.d.ts"]
