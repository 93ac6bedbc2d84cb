import asyncio
import base64
import codecs
import os
import resource
import sys
import time
from pathlib import Path

import pytest

from core.agent.arguments import InvalidArguments
from core.ai.messages import ImageContent
from tests.tools.bench import Bench
from tests.tools.images import gif, jpeg, png, webp
from tools.shared.errors import ToolError


def numbered(count: int) -> str:
    return "".join(f"line {number}\n" for number in range(1, count + 1))


async def test_a_long_file_is_shown_in_part_and_the_rest_can_be_reached(bench: Bench):
    # E1
    (bench.cwd / "f").write_text(numbered(2500))
    result = await bench.run("read", path="f")
    text = result.plain_text
    assert text.startswith("line 1\n")
    assert "line 2000\n\n[Lines 1-2000 of 2500. Go on with offset=2001.]" in text
    assert result.details["truncation"]["totalLines"] == 2500
    assert result.details["truncation"]["truncatedBy"] == "lines"
    assert result.details["truncation"]["outputLines"] == 2000
    rest = await bench.text("read", path="f", offset=2001)
    assert rest == numbered(2500)[len(numbered(2000)) :]


async def test_a_final_newline_is_not_a_line(bench: Bench):
    # E2
    (bench.cwd / "f").write_text("a\nb\nc\n")
    (bench.cwd / "g").write_text("x\n" * 2001)
    assert await bench.text("read", path="f", limit=3) == "a\nb\nc\n"
    assert "of 2001." in await bench.text("read", path="g")
    assert "offset 4 is behind the end of the file, which has 3 lines" in await bench.error("read", path="f", offset=4)


async def test_offset_and_limit(bench: Bench):
    # E3, E34
    (bench.cwd / "f").write_text(numbered(100))
    text = await bench.text("read", path="f", offset=41, limit=20)
    assert text.startswith("line 41\n")
    assert text.endswith("line 60\n\n[Lines 41-60 of 100. 40 more lines follow. Go on with offset=61.]")
    (bench.cwd / "g").write_text("a\nb\nc")
    assert "offset 100 is behind the end of the file, which has 3 lines" in await bench.error(
        "read", path="g", offset=100
    )
    assert await bench.text("read", path="f", offset=-2) == "line 99\nline 100\n"
    assert "[Lines 1-2 of 100." in await bench.text("read", path="f", offset=-500, limit=2)
    assert await bench.text("read", path="g", offset=0) == "a\nb\nc"


@pytest.mark.parametrize("limit", [0, -1, 1.5])
async def test_a_limit_that_makes_no_sense_is_an_error(bench: Bench, limit: float):
    # E4
    (bench.cwd / "f").write_text("a\nb\n")
    assert "limit must be" in await bench.error("read", path="f", limit=limit)


@pytest.mark.parametrize("arguments", [{"offset": "2", "limit": "1"}, {"start_line": 2.0, "n_lines": 1}])
async def test_numbers_may_come_as_text_or_under_other_names(bench: Bench, arguments: dict[str, object]):
    # E5
    (bench.cwd / "f").write_text("a\nb\nc\n")
    assert (await bench.text("read", path="f", **arguments)).startswith("b\n\n[Lines 2-2 of 3.")


@pytest.mark.parametrize("nothing", [None, "", " "])
async def test_null_and_empty_text_mean_not_given(bench: Bench, nothing: str | None):
    # E4, E27
    (bench.cwd / "f").write_text("a\nb\n")
    assert await bench.text("read", path="f", offset=nothing, limit=nothing) == "a\nb\n"


async def test_an_offset_that_is_no_number_is_refused(bench: Bench):
    with pytest.raises(InvalidArguments, match="offset"):
        await bench.run("read", path="f", offset="soon")


async def test_two_names_that_disagree_are_refused(bench: Bench):
    with pytest.raises(ToolError, match="path and file_path"):
        await bench.run("read", path="a", file_path="b")


async def test_empty_files_and_blank_lines_say_so(bench: Bench):
    # E6
    (bench.cwd / "empty").touch()
    (bench.cwd / "newline").write_text("\n")
    assert await bench.text("read", path="empty") == "[The file is empty.]"
    assert await bench.text("read", path="newline") == "[Only blanks: 1 of 1 lines.]"


async def test_a_line_that_does_not_fit(bench: Bench):
    # E7
    (bench.cwd / "f").write_text("x" * 61440 + "\nnext\n")
    result = await bench.run("read", path="f")
    assert "Line 1 has 60.0KB" in result.plain_text
    assert f"sed -n '1p' {bench.cwd}/f | head -c 51200" in result.plain_text
    assert "lines in all: 2" in result.plain_text
    assert result.details["truncation"]["firstLineExceedsLimit"] is True
    assert await bench.text("read", path="f", offset=2) == "next\n"
    (bench.cwd / "g").write_text("y" * 51200 + "\n")
    assert await bench.text("read", path="g") == "y" * 51200 + "\n"
    (bench.cwd / "h").write_text("a\n" + "z" * 51200 + "\nb\n")
    text = await bench.text("read", path="h")
    assert text == "a\n\n[Lines 1-1 of 3, which is as much as fits (50.0KB). Go on with offset=2.]"


async def test_the_byte_limit_is_exact(bench: Bench):
    (bench.cwd / "f").write_text("é" * 25_599 + "\n\n" + "x\n")
    text = await bench.text("read", path="f")
    assert text.startswith("é" * 25_599 + "\n\n\n[Lines 1-2 of 3")


def write_large(path: Path) -> None:
    """100 MiB in lines of 16 bytes, one other line, and a line of 50 MB."""
    block = b"0123456789abcde\n" * 65536
    with open(path, "wb") as file:
        for _ in range(100):
            file.write(block)
        file.write(b"the end\n" + b"x" * 50_000_000)


async def test_a_large_file_is_read_with_flat_memory(bench: Bench):
    # E8
    write_large(bench.cwd / "big")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    text = await bench.text("read", path="big", offset=6_553_601, limit=1)
    assert text.startswith("the end\n\n[Lines 6553601-6553601 of ")
    assert "Line 6553602 has 47.7MB" in await bench.text("read", path="big", offset=6_553_602)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 20_000 * (1024 if sys.platform == "darwin" else 1)


async def test_a_file_that_grows_while_it_is_read_ends(bench: Bench, monkeypatch: pytest.MonkeyPatch):
    # E9
    path = bench.cwd / "log"
    path.write_text("a\n" * 200_000)
    original = os.read

    def growing(descriptor: int, count: int) -> bytes:
        with open(path, "a") as file:
            file.write("more\n" * 100_000)
        return original(descriptor, count)

    monkeypatch.setattr("tools.shared.files.os.read", growing)
    assert "of 200000." in await bench.text("read", path="log")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (codecs.BOM_UTF8 + b"a\n", "a\n"),
        (codecs.BOM_UTF16_LE + "aé\nb\n".encode("utf-16-le"), "aé\nb\n\n[The file is UTF-16-LE.]"),
        (codecs.BOM_UTF16_BE + "aé\nb\n".encode("utf-16-be"), "aé\nb\n\n[The file is UTF-16-BE.]"),
        (b"x\ncaf\xe9\n", "x\ncaf\ufffd\n\n[Not valid UTF-8, first at line 2: such bytes show as \ufffd.]"),
        ("real \ufffd\n".encode(), "real \ufffd\n"),
        (b"a\r\nb\r\n", "a\r\nb\r\n"),
    ],
)
async def test_encodings(bench: Bench, data: bytes, text: str):
    # E10, E11, E12
    (bench.cwd / "f").write_bytes(data)
    assert await bench.text("read", path="f") == text


async def test_binary_files_are_named_not_dumped(bench: Bench):
    # E13, E18
    for data, kind in (
        (b"\x7fELF\x02\x01\x01\0" + bytes(100), "an ELF program"),
        (b"a\0b\x1b[2J", "binary data"),
        (png(animated=True), "an animated or damaged PNG image"),
        (b"II*\0" + bytes(20), "a TIFF image"),
        (b"\0\0\0\x18ftypheic" + bytes(20), "a HEIC or AVIF image"),
        (b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0" + bytes(60), "a BMP image"),
    ):
        (bench.cwd / "f").write_bytes(data)
        text = await bench.text("read", path="f")
        assert f"is {kind}, {len(data)}B, not text" in text
        assert "\x1b" not in text
        assert "\0" not in text


async def test_only_line_feeds_end_lines(bench: Bench):
    # E14
    (bench.cwd / "f").write_text("a\u2028b\x0cc\x85d\re\nsecond\nthird\n", newline="")
    assert (await bench.text("read", path="f", offset=2, limit=1)).startswith("second\n\n[Lines 2-2 of 3.")


async def test_a_character_on_a_piece_boundary_is_whole(bench: Bench):
    # E15
    line = "é" * 20_000 + "\n"
    (bench.cwd / "f").write_text(line * 7 + "x" + line)
    text = await bench.text("read", path="f", offset=7, limit=1)
    assert text.startswith(line)
    assert "\ufffd" not in await bench.text("read", path="f", offset=8)


@pytest.mark.parametrize(
    ("data", "mime"), [(png(), "image/png"), (jpeg(), "image/jpeg"), (gif(), "image/gif"), (webp(), "image/webp")]
)
async def test_images_are_told_by_their_content(bench: Bench, data: bytes, mime: str):
    # E16
    (bench.cwd / "picture.txt").write_bytes(data)
    result = await bench.run("read", path="picture.txt")
    image = result.content[1]
    assert isinstance(image, ImageContent)
    assert (image.mime_type, base64.b64decode(image.data)) == (mime, data)
    assert f"[{mime[6:].upper()} image, {2 if mime == 'image/png' else 3}x2 pixels, {len(data)}B]" in result.plain_text


@pytest.mark.parametrize("text", ["GIF89a is an image format\n" * 9, "GIFs\n", "BMW is a car\n" * 9, "P\n", "\x89PN\n"])
async def test_texts_that_start_like_images_are_text(bench: Bench, text: str):
    # E16, E17
    (bench.cwd / "a.png").write_text(text)
    assert await bench.text("read", path="a.png") == text


@pytest.mark.parametrize("data", [png()[:-12], jpeg()[:-2], gif()[:-1], webp()[:-1], png(0, 2)])
async def test_a_damaged_image_says_so(bench: Bench, data: bytes):
    # E19
    (bench.cwd / "a.png").write_bytes(data)
    assert "corrupt" in await bench.error("read", path="a.png")


async def test_images_that_providers_refuse_are_not_put_into_the_session(bench: Bench):
    # E20, E25 and L31, as far as images are not resized yet
    (bench.cwd / "a.png").write_bytes(png(9000, 1))
    assert "9000x1 pixels" in await bench.error("read", path="a.png")
    (bench.cwd / "b.png").write_bytes(png()[:-12] + bytes(4_000_000) + png()[-12:])
    assert "3.8MB" in await bench.error("read", path="b.png")


async def test_what_is_no_regular_file_is_refused_at_once(bench: Bench):
    # E26, E27, E29
    os.mkfifo(bench.cwd / "fifo")
    began = time.monotonic()
    assert "named pipe" in await bench.error("read", path="fifo")
    assert "character device" in await bench.error("read", path="/dev/zero")
    assert await bench.text("read", path="/dev/null") == "[The file is empty.]"
    assert time.monotonic() - began < 1
    (bench.cwd / "f").write_text("still works\n")
    assert await bench.text("read", path="f") == "still works\n"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
async def test_files_without_a_size_are_read(bench: Bench):
    # E28
    assert "Name:" in await bench.text("read", path="/proc/self/status")


async def test_each_reason_has_its_own_message(bench: Bench):
    # E29
    (bench.cwd / "dangling").symlink_to("nowhere")
    (bench.cwd / "loop").symlink_to("loop")
    (bench.cwd / "file").touch()
    cases = {
        ".": "is a directory",
        "dangling": "no such file",
        "loop": "form a loop",
        "x" * 300: "too long",
        "a\0b": "NUL",
        "": "empty",
        "missing": "no such file",
        "file/": "slash",
    }
    for path, words in cases.items():
        assert words in await bench.error("read", path=path), path


async def test_the_name_that_was_used_is_told(bench: Bench):
    # E30, E31
    (bench.cwd / "Shot 1.00.00\u202fPM.txt").write_text("x\n")
    text = await bench.text("read", path="Shot 1.00.00 PM.txt")
    assert text.startswith("x\n\n[Nothing is named exactly 'Shot 1.00.00 PM.txt'; used ")


async def test_a_read_after_an_abort_does_nothing(bench: Bench):
    # E29 of the field: cancelled while it opens
    os.mkfifo(bench.cwd / "fifo")
    task = bench.begin("read", path="fifo")
    bench.signal.abort()
    assert (await task).is_error
    task = bench.begin("read", path="fifo")
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_an_abort_ends_a_long_read(bench: Bench, monkeypatch: pytest.MonkeyPatch):
    # E32
    (bench.cwd / "big").write_bytes(b"x\n" * 5_000_000)
    task = bench.begin("read", path="big", offset=4_999_999)
    original = os.read

    def aborting(descriptor: int, count: int) -> bytes:
        bench.signal.abort()
        return original(descriptor, count)

    monkeypatch.setattr("tools.shared.files.os.read", aborting)
    result = await task
    assert result.is_error
    assert "aborted" in result.plain_text
