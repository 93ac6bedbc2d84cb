"""The pty harness: the screen is right, what a program leaves set is seen, its questions are answered."""

from __future__ import annotations

import re
import signal
import sys
from pathlib import Path

import pytest

from tests.support.grid import Style
from tests.support.keystrokes import encode_key
from tests.support.screen import ScreenModel
from tests.support.terminal import Terminal
from tests.support.terminal_profile import Profile


def screen_of(output: str, columns: int = 20, rows: int = 4, profile: Profile | None = None) -> tuple[ScreenModel, str]:
    """The model after `output`, fed whole and byte by byte with the same result, and what it replied."""
    models = []
    for size in (len(output.encode()), 1):
        replies: list[bytes] = []
        model = ScreenModel(columns, rows, profile or Profile(), replies.append)
        data = output.encode()
        for start in range(0, len(data), size):
            model.feed(data[start : start + size])
        models.append((model, b"".join(replies).decode()))
    assert models[0][0].grid.text() == models[1][0].grid.text()
    assert models[0][1] == models[1][1]
    return models[0]


@pytest.mark.parametrize(
    ("output", "lines"),
    [
        ("ab\r\ncd", ["ab", "cd"]),
        ("x" * 21, ["x" * 20, "x"]),
        ("x" * 20 + "\r\ny", ["x" * 20, "y"]),
        ("中文\x1b[1;2Hx", [" x文"]),
        ("a" * 19 + "中", ["a" * 19, "中"]),
        ("e\u0301❤️👍🏽x", ["e\u0301❤️👍🏽x"]),
        ("1\r\n2\r\n3\r\n4\r\n5", ["2", "3", "4", "5"]),
        ("1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H\nx", ["1", "3", "x", "4"]),
        ("1\r\n2\r\n3\x1b[2;1H\x1b[L", ["1", "", "2", "3"]),
        ("1\r\n2\r\n3\x1b[2;1H\x1b[M", ["1", "3"]),
        ("abcdef\x1b[1;3H\x1b[2P", ["abef"]),
        ("abcdef\x1b[1;3H\x1b[2@", ["ab  cdef"]),
        ("abcdef\x1b[1;3H\x1b[2X", ["ab  ef"]),
        ("abcdef\x1b[1;3H\x1b[1K", ["   def"]),
        ("ab\x1b[3b", ["abbbb"]),
        ("a\x1b[>1u\x1b[<u\x1b[=5u\x1b[>4;2m\x1b[?1;2;3$pb", ["ab"]),
        ("a\x1b]8;;http://x\x1b\\b\x1b]8;;\x07c\x1b]133;A\x07\x1b]7501;busy\x1b\\", ["abc"]),
        ("a\x1bPq#0~~\x1b\\b\x1b_Gf=1;AAAA\x1b\\c\x1b^x\x1b\\d", ["abcd"]),
        ("a\x1b[4:3mb\x1b[38:2::1:2:3mc\x1b[5;7;99~d", ["abcd"]),
        ("a\u009b2Cb", ["a  b"]),
        ("a\x1b[12\x1b[1Cb\x1b]0;x\x1b[1Cc\x1b[1;?5hd", ["a b cd"]),
    ],
)
def test_the_screen(output: str, lines: list[str]) -> None:
    shown = screen_of(output)[0].grid.text()
    assert shown[: len(lines)] == lines
    assert not any(shown[len(lines) :])


def test_attributes_of_cells() -> None:
    model, _ = screen_of("\x1b[1;38;2;1;2;3;48;5;200mA\x1b[22;2;39;41;4mB\x1b[0;93mC\x1b[m\x1b]8;;u\x07D")
    assert [cell.style for cell in model.grid.rows[0][:4]] == [
        Style(fg="#010203", bg=200, bold=True),
        Style(bg=1, dim=True, underline=True),
        Style(fg=11),
        Style(link="u"),
    ]


def test_questions_are_answered_as_xterm_does() -> None:
    asked = "ab\x1b[6n\x1b[?2026$p\x1b[?2048$p\x1b[?25$p\x1b[?u\x1b[c\x1b]11;?\x07"
    plain = "\x1b[1;3R\x1b[?2026;2$y\x1b[?2048;0$y\x1b[?25;1$y\x1b[?64;1;2;6;9;15;16;17;18;21;22;28c"
    assert screen_of(asked)[1] == plain + "\x1b]11;rgb:0000/0000/0000\x1b\\"
    kitty = Profile(light=True, kitty_keyboard=True, in_band_resize=True)
    reply = screen_of("\x1b[>5u\x1b[?u\x1b[?2048$p\x1b[?2048h\x1b]11;?\x07", profile=kitty)[1]
    assert reply == "\x1b[?5u\x1b[?2048;2$y\x1b[48;4;20;80;200t\x1b]11;rgb:ffff/ffff/ffff\x1b\\"


def test_what_a_program_leaves_set_is_seen() -> None:
    enter = "\x1b[?1049h\x1b[?25l\x1b[?1000;1006h\x1b[?2004h\x1b[>1u\x1b[>4;2m\x1b=\x1b[31m\x1b[?2026h"
    model, _ = screen_of("kept" + enter + "full screen")
    assert model.on_alternate
    assert not model.cursor_visible
    assert model.mouse_modes == {1000, 1006}
    assert model.in_update
    assert len(model.unrestored()) == 10
    model.feed(b"\x1b[?2026l\x1b[0m\x1b>\x1b[>4m\x1b[<u\x1b[?2004l\x1b[?1000;1006l\x1b[?25h\x1b[?1049l\r\nbye")
    assert model.unrestored() == []
    assert model.main_lines() == ["kept", "bye"]


def test_scrollback_clipboard_and_unknown_sequences() -> None:
    model, _ = screen_of("1\r\n2\r\n3\r\n4\r\n5\r\n6\x1b]52;c;aGk=\x07\x1b]0;title\x07\x07\x1b[99;1y")
    assert model.main_lines() == ["1", "2", "3", "4", "5", "6"]
    assert (model.clipboard, model.title, model.bells) == (["hi"], "title", 1)
    assert model.unknown == ["CSI 99;1y"]


def test_keys_have_the_bytes_of_a_terminal() -> None:
    names = ["enter", "shift+enter", "alt+enter", "ctrl+c", "shift+tab", "up", "ctrl+left", "pageup", "f5", "alt+b"]
    plain = [b"\r", b"\r", b"\x1b\r", b"\x03", b"\x1b[Z", b"\x1b[A", b"\x1b[1;5D", b"\x1b[5~", b"\x1b[15~", b"\x1bb"]
    assert [encode_key(name) for name in names] == plain
    assert encode_key("shift+enter", kitty=True) == b"\x1b[13;2u"
    assert encode_key("ctrl+c", kitty=True) == b"\x1b[99;5u"
    assert encode_key("alt+enter", modify_other=True) == b"\x1b[27;3;13~"
    with pytest.raises(ValueError, match="unknown key"):
        encode_key("entre")


PROGRAM = """
import os, signal, sys, tty
tty.setraw(0)
def size(*_):
    columns, rows = os.get_terminal_size()
    os.write(1, b"size %dx%d\\r\\n" % (columns, rows))
signal.signal(signal.SIGWINCH, size)
os.write(1, b"\\x1b[6n")
size()
while (data := os.read(0, 99)) != b"q":
    os.write(1, repr(data).encode() + b"\\r\\n")
sys.exit(3)
"""


def test_a_program_in_a_pty(tmp_path: Path) -> None:
    command = [sys.executable, "-I", "-S", "-c", PROGRAM]
    with Terminal(command, columns=40, rows=10, cwd=tmp_path, env={"PATH": None}) as term:
        term.wait_for("size 40x10").wait_for(re.compile(r"\[1;1R"))
        term.press("ctrl+c", "f5")
        term.wait_for("15~")
        term.resize(30, 8)
        term.wait_for("size 30x8").wait_for(lambda t: t.cursor[0] == 0)
        column, row = term.find("30x8") or (0, 0)
        assert term.cell(column, row).char == "3"
        assert term.exit_code is None
        with pytest.raises(TimeoutError, match=r"waited 0\.1 s for 'never'"):
            term.wait_for("never", timeout=0.1)
        term.send("q")
        assert term.wait_exit() == 3


def test_output_is_timed_and_complete(tmp_path: Path) -> None:
    with Terminal(["/bin/sh", "-c", "echo one; read line; seq 3000; echo last"], rows=5) as term:
        first = term.wait_raw(b"one")
        term.send("\r")
        assert term.wait_exit() == 0
        last = term.arrival(b"last")
        assert last is not None
        assert term.started_at < first < last
        lines = term.main_lines
        assert [line for line in lines if line.isdigit()] == [str(n) for n in range(1, 3001)]


def test_a_program_that_outlives_the_test_is_killed() -> None:
    with Terminal(["/bin/sh", "-c", "sleep 300 & echo ready; sleep 300"]) as term:
        term.wait_for("ready")
    assert term.exit_code == -signal.SIGKILL
