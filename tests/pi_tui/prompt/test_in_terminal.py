"""The prompt box with real bytes in a real pseudo-terminal."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.terminal import Terminal

ROOT = Path(__file__).parents[3]


@pytest.fixture
def sent(tmp_path: Path) -> Path:
    return tmp_path / "sent"


@pytest.fixture
def term(sent: Path) -> Iterator[Terminal]:
    argv = [sys.executable, "-m", "tests.pi_tui.prompt.probe", sent]
    with Terminal(argv, columns=80, rows=24, cwd=ROOT) as term:
        term.wait_for("Ask")
        yield term


def texts(sent: Path) -> list[str]:
    return [json.loads(line) for line in sent.read_text().splitlines()]


@pytest.mark.parametrize("newline", ["\x1b[13;2u", "\x1b[27;2;13~", "\n", "\\\r"], ids=repr)
def test_every_way_to_say_new_line(term: Terminal, sent: Path, newline: str) -> None:
    term.send(f"one{newline}two\r")
    term.wait_for("sent 1")
    assert texts(sent) == ["one\ntwo"]


def test_pastes_are_sent_byte_for_byte(term: Terminal, sent: Path) -> None:
    short = "\n".join(f"{number}: some {'x' * number}" for number in range(20))
    term.paste(short)
    term.wait_for("[paste #1 +20 lines]")
    term.send("\r")
    term.wait_for("sent 1")
    data = ("0123456789 une ligne de journal, 一行日志\n" * 25_000)[: 1 << 20].strip()
    pasted = f"\x1b[200~{data}\x1b[201~".encode().replace(b"\n", b"\r")
    for at in range(0, len(pasted), 1024):
        term.send(pasted[at : at + 1024])
    term.wait_for(f"[paste #1 +{data.count(chr(10)) + 1} lines]")
    term.send("\r")
    term.wait_for("sent 2")
    assert texts(sent) == [short, data]


def test_an_end_of_paste_inside_a_paste_sends_nothing(term: Terminal, sent: Path) -> None:
    term.send("\x1b[200~first\x1b[201~\rsecond\r\x1b[201~")
    term.wait_for("second")
    term.send("!")
    term.wait_for("!")
    assert not sent.exists()


def test_the_cursor_stays_where_the_text_is(term: Terminal) -> None:
    """The terminal's own cursor is hidden, but input methods open their window at it."""
    term.send("你好")
    term.wait_for("你好")
    column, row = term.find("你好") or (0, 0)
    term.wait_for(lambda term: term.cursor == (column + 4, row))
    term.resize(60, 30)
    term.wait_for(lambda term: term.find("你好") == (column, row + 6))
    term.wait_for(lambda term: term.cursor == (column + 4, row + 6))


def test_small_terminals(term: Terminal, sent: Path) -> None:
    for columns, rows in ((20, 6), (10, 3), (3, 2), (1, 1), (80, 24)):
        term.resize(columns, rows)
        term.send("word 你\n")
    term.wait_for("word 你")
    term.send("\r")
    term.wait_for("sent 1")
    assert texts(sent) == ["\n".join(["word 你"] * 5)]


def test_a_draft_that_was_cleared_comes_back(term: Terminal) -> None:
    term.send("three\nlines\ndraft")
    term.wait_for("draft")
    term.press("ctrl+c")
    term.wait_for("Ask")
    term.press("up")
    term.wait_for("three\n lines\n draft")
    term.press("ctrl+c", "ctrl+c")
    term.wait_exit()
    assert term.screen.unrestored() == []
