"""The early screen in a real pseudo-terminal: it echoes while the program is busy, and every way out restores it."""

import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.terminal import Terminal
from tests.support.terminal_profile import Profile

ROOT = Path(__file__).parents[3]
PLACEHOLDER = "Ask for something"


def probe(*arguments: str | Path, columns: int = 80, rows: int = 24, profile: Profile | None = None) -> Terminal:
    """The probe in a terminal, not yet started."""
    argv = [sys.executable, "-m", "tests.pi_tui.term.early_probe", *map(str, arguments)]
    return Terminal(argv, columns=columns, rows=rows, cwd=ROOT, profile=profile, echo=False)


def prompt(term: Terminal) -> list[str]:
    """The rows between the edges of the prompt box."""
    edges = [at for at, row in enumerate(term.lines) if row.startswith("──")]
    return [row.removeprefix(" ") for row in term.lines[edges[0] + 1 : edges[-1]]] if len(edges) > 1 else []


def test_it_echoes_and_edits_while_the_program_is_busy(tmp_path: Path) -> None:
    with probe("hold", tmp_path / "report") as term:
        term.wait_for(PLACEHOLDER)
        assert term.screen.on_alternate
        for keys, shown in (
            ("hello wörld", ["hello wörld"]),
            ("\x17中文🎉", ["hello 中文🎉"]),
            ("\x7f\x1b[D\x1b[A!", ["hello 中文!"]),
            ("\nmore\x15", ["hello 中文!", ""]),
            ("\x03", [f"{PLACEHOLDER}, or /help"]),
            ("\x1b[200~one\r\ntwo\x1b[201~", ["one", "two"]),
        ):
            term.send(keys)
            term.wait_for(lambda term, shown=shown: prompt(term) == shown)
        (tmp_path / "report.go").touch()
        term.wait_exit()
        assert json.loads((tmp_path / "report").read_text())["text"] == "one\ntwo"


def test_what_is_not_understood_yet_is_handed_on(tmp_path: Path) -> None:
    report = tmp_path / "report"
    with probe("hold", report) as term:
        term.wait_for(PLACEHOLDER)
        term.send("before\x1b[200~half of a")
        term.wait_for("before")
        report.with_suffix(".go").touch()
        term.wait_exit()
        given = json.loads(report.read_text())
        assert given["text"] == "before"
        assert re.sub(r"^(\x1b\[\?[\d;]*(\$y|c)|\x1b\]11;[^\x1b]*\x1b\\)*", "", given["pending"]) == (
            "\x1b[200~half of a"
        )
        assert "\x1b[?64;" in given["pending"]  # and what the terminal answered comes first


@pytest.mark.parametrize(("columns", "rows"), [(20, 6), (10, 5), (3, 2), (200, 60)])
def test_sizes_and_resizing(tmp_path: Path, columns: int, rows: int) -> None:
    with probe("hold", tmp_path / "report", columns=columns, rows=rows) as term:
        term.wait_for(lambda term: term.screen.on_alternate)
        term.send("ab")
        if columns > 3:
            term.wait_for(lambda term: prompt(term) == ["ab"])
        for size in ((10, 5), (60, 20), (20, 6), (100, 30)):
            term.resize(*size)
            term.wait_for(lambda term: prompt(term) == ["ab"])
        term.send("c")
        term.wait_for(lambda term: prompt(term) == ["abc"])


@pytest.mark.parametrize(("keys", "code"), [("\x03", 130), ("typed\x03\x03", 130), ("\x04", 0)])
def test_keys_that_leave(keys: str, code: int) -> None:
    with probe("stuck") as term:
        term.wait_for(PLACEHOLDER)
        term.send(keys)
        assert term.wait_exit() == code
        assert term.screen.unrestored() == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("act", ["stuck", "hold"])
def test_signals(tmp_path: Path, act: str, number: signal.Signals) -> None:
    with probe(act, tmp_path / "report") as term:
        term.wait_for(PLACEHOLDER)
        term.send_signal(number)
        assert term.wait_exit() == 128 + number
        assert term.screen.unrestored() == []


@pytest.mark.parametrize(("act", "code", "said"), [("raise", 1, "broken on purpose"), ("exit", 7, "")])
def test_exceptions_can_be_read_afterwards(act: str, code: int, said: str) -> None:
    with probe(act) as term:
        assert term.wait_exit() == code
        assert b"\x1b[?1049h" in term.raw
        assert term.screen.unrestored() == []
        assert said in "\n".join(term.main_lines)


def test_the_terminal_line_is_as_before() -> None:
    command = f"{shlex.quote(sys.executable)} -m tests.pi_tui.term.early_probe stuck; echo code=$?; stty -a"
    with Terminal(["/bin/sh", "-c", command], columns=120, rows=40, cwd=ROOT) as term:
        term.wait_for(PLACEHOLDER)
        term.send("\x04")
        term.wait_for("code=0")
        term.wait_exit()
        for flag in ("icanon", "isig", "echo", "icrnl", "iexten"):
            assert re.search(rf"(?<!-)\b{flag}\b", term.text), term.dump()


def test_a_hang_up_ends_it() -> None:
    """Not the controlling terminal, so no signal comes: only the failing read tells."""
    master, slave = pty.openpty()
    argv = [sys.executable, "-m", "tests.pi_tui.term.early_probe", "stuck"]
    with subprocess.Popen(argv, cwd=ROOT, stdin=slave, stdout=slave, stderr=slave, start_new_session=True) as process:
        os.close(slave)
        seen = b""
        while PLACEHOLDER[1:].encode() not in seen:
            seen += os.read(master, 4096)
        os.close(master)
        assert process.wait(10) == 128 + signal.SIGHUP


def test_a_terminal_that_never_answers_holds_up_nothing() -> None:
    """Nobody reads and nobody answers: leaving still ends within a moment."""
    master, slave = pty.openpty()
    argv = [sys.executable, "-m", "tests.pi_tui.term.early_probe", "stuck"]
    with subprocess.Popen(argv, cwd=ROOT, stdin=slave, stdout=slave, stderr=slave, start_new_session=True) as process:
        seen = b""
        while PLACEHOLDER[1:].encode() not in seen:
            seen += os.read(master, 4096)
        os.write(master, b"\x04")
        assert process.wait(10) == 0
        os.close(slave)
        os.close(master)


@pytest.mark.parametrize("term_name", ["dumb", None])
def test_a_terminal_that_cannot_show_it_shows_nothing(term_name: str | None) -> None:
    argv = [sys.executable, "-m", "tests.pi_tui.term.early_probe", "exit"]
    with Terminal(argv, cwd=ROOT, env={"TERM": term_name}) as term:
        assert term.wait_exit() == 7
        assert term.raw == b""
