import os
import stat
from pathlib import Path

import pytest

from tools.shared import output
from tools.shared.output import CommandOutput, OutputView, is_binary
from tools.shared.truncate import utf8_size


def collected(folder: Path, *pieces: bytes, end: bool = True) -> OutputView:
    collector = CommandOutput(str(folder))
    for piece in pieces:
        collector.feed(piece)
    if end:
        collector.feed(b"")
    return collector.finish()


def test_a_short_output_is_shown_as_it_is_and_leaves_no_file(tmp_path: Path):
    # E88, E89
    for data in (b"", b"a\nb", b"x\n" * 2000, b"y" * 51_200, b"y" * 51_200 + b"\n"):
        view = collected(tmp_path, data)
        assert (view.text, view.truncation, view.file) == (data.decode(), None, None)
    assert os.listdir(tmp_path) == []


def test_a_long_output_shows_its_start_and_its_end_and_is_in_a_file(tmp_path: Path):
    # E88, E92, S27
    data = b"".join(b"%d\n" % number for number in range(1, 2002))
    view = collected(tmp_path, data)
    lines = view.text.split("\n")
    assert lines[:2] == ["1", "2"]
    assert lines[199:202] == ["200", "[... 1 lines left out ...]", "202"]
    assert lines[-1] == "2001"
    assert view.truncation is not None
    assert (view.truncation.total_lines, view.truncation.output_lines) == (2001, 2000)
    assert view.truncation.truncated_by == "lines"
    assert view.truncation.content == view.text
    assert view.file is not None
    assert Path(view.file).read_bytes() == data
    assert stat.S_IMODE(os.stat(view.file).st_mode) == 0o600
    assert Path(view.file).name.startswith("pi-bash-")


@pytest.mark.parametrize("size", [1, 1000, 65_536])
def test_the_byte_limit_holds_for_head_and_tail_together(tmp_path: Path, size: int):
    data = b"".join(b"%06d " % number + "é".encode() * 50 + b"\n" for number in range(5000))
    view = collected(tmp_path, *(data[at : at + size] for at in range(0, len(data), size)) if size > 1 else (data,))
    assert view.truncation is not None
    assert view.truncation.truncated_by == "bytes"
    head, tail = view.text.split("[... ")[0], view.text.split("left out ...]\n")[1]
    assert utf8_size(head) + utf8_size(tail) <= 51_200
    assert utf8_size(head) > 10_000
    assert utf8_size(tail) > 40_000
    assert view.text.startswith("000000 ")
    assert tail.endswith("004999 " + "é" * 50)
    assert f"[... {5000 - view.truncation.output_lines} lines left out ...]" in view.text
    assert view.truncation.total_bytes == len(data)


def test_of_a_giant_line_the_end_is_shown(tmp_path: Path):
    # E90, E98
    view = collected(tmp_path, b"first\n", *[b"x" * 60_000] * 5, b"end")
    assert view.text.startswith("first\nx")
    assert view.text.endswith("xend")
    assert view.truncation is not None
    assert view.truncation.last_line_partial
    assert utf8_size(view.text) == 51_200
    assert (view.truncation.total_lines, view.truncation.total_bytes) == (2, 6 + 300_003)


def test_progress_that_is_overwritten_needs_no_file(tmp_path: Path):
    # E94
    view = collected(tmp_path, *(b"\r%d%%" % percent for percent in range(20_000)), b"\rdone   \n")
    assert (view.text, view.truncation, view.file) == ("done   \n", None, None)
    assert os.listdir(tmp_path) == []


def test_binary_output_is_named_and_kept_in_a_file(tmp_path: Path):
    # E95
    data = bytes(range(256)) * 40
    view = collected(tmp_path, data)
    assert view.text.startswith("[Binary output, 10.0KB, not shown as text. Its first 256 bytes:]\n0000  00 01 02")
    assert len(view.text) < 2000
    assert view.file is not None
    assert Path(view.file).read_bytes() == data
    assert is_binary(bytes(100))
    assert not is_binary(b"a/path/name\0another/path\0")
    assert not is_binary("中文输出\n".encode()[:-2])
    assert not is_binary(b"\x1b[31mred\x1b[0m")


def test_output_of_the_background_goes_on_into_the_file(tmp_path: Path):
    # E80
    collector = CommandOutput(str(tmp_path))
    collector.feed(b"now\n")
    view = collector.finish()
    assert (view.text, view.truncation) == ("now\n", None)
    assert view.file is not None
    collector.feed(b"later\n")
    collector.feed(b"")
    assert Path(view.file).read_bytes() == b"now\nlater\n"
    assert collector.view().text == "now\n"


def test_the_file_is_capped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    # E91, S15
    monkeypatch.setattr(output, "MAX_FILE", 100_000)
    view = collected(tmp_path, *[b"x" * 999 + b"\n"] * 500)
    assert view.file is not None
    assert os.path.getsize(view.file) == 100_000
    assert view.file_note == "holds the first 97.7KB only"


def test_without_a_place_for_the_file_the_output_is_shown_all_the_same(tmp_path: Path):
    view = collected(tmp_path / "missing", b"x\n" * 3000)
    assert view.file is None
    assert "could not be saved: there is no such file or directory (ENOENT)" in view.file_note
    assert view.text.endswith("x\nx")


def test_a_planted_link_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    # E92
    monkeypatch.setattr(output.secrets, "token_hex", lambda size: "0" * 2 * size)
    (tmp_path / "pi-bash-0000000000000000.log").symlink_to(tmp_path / "victim")
    view = collected(tmp_path, b"x\n" * 3000)
    assert not (tmp_path / "victim").exists()
    assert "EEXIST" in view.file_note


def test_what_is_seen_meanwhile_is_within_the_limits(tmp_path: Path):
    collector = CommandOutput(str(tmp_path))
    for _ in range(50):
        collector.feed(b"line of text\n" * 1000)
        assert utf8_size(collector.view().text) < 52_000
    collector.feed(b"")
    view = collector.finish()
    assert view.truncation is not None
    assert view.truncation.total_lines == 50_000
