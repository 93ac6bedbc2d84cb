"""The driver in a real pseudo-terminal: keys arrive, a hanging terminal holds nobody up, every way out restores it."""

import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.terminal import Terminal
from tests.support.terminal_profile import Profile

ROOT = Path(__file__).parents[3]


def probe(*arguments: str | Path, profile: Profile | None = None) -> Terminal:
    """The probe app in a terminal, not yet started."""
    argv = [sys.executable, "-m", "tests.pi_tui.term.probe", *map(str, arguments)]
    return Terminal(argv, columns=80, rows=24, cwd=ROOT, profile=profile)


@pytest.mark.parametrize("profile", [Profile(), Profile(kitty_keyboard=True, light=True)], ids=["xterm", "kitty"])
def test_keys_and_pastes(profile: Profile) -> None:
    with probe(profile=profile) as term:
        term.wait_for(f"background dark={not profile.light}")
        for key in ("a", "enter", "alt+enter", "shift+enter", "ctrl+c", "escape", "alt+up"):
            term.press(key)
            term.wait_for(f"key {key}\n" if key != "alt+up" else "key alt+up")
        text = "".join(f"{number} \x1b[31mline\x1b[0m\r" for number in range(40_000))
        term.send(f"\x1b[200~{text}\x1b[201~\r")
        term.wait_for(f"paste {len(text)} ")
        term.wait_for(lambda term: term.text.count("key enter") == 2)
        term.press("ctrl+q")
        assert term.wait_exit() == 0
        assert term.screen.unrestored() == []
        assert "goodbye" in term.main_lines


def test_unknown_input_is_ignored() -> None:
    with probe() as term:
        term.wait_for("background")
        term.send("\x1bP1$r0m\x1b\\\x1b[?997;1n\x1b[97;1:3u\x1b[1;2;3;4;5z\x1b]52;c;eA==\x07\x1b[O\x1b[I!")
        term.send(b"\xff")  # not UTF-8
        term.press("b")
        term.wait_for("key b")
        assert re.findall(r"key (\S+)", term.text) == ["exclamation_mark", "replacement_character", "b"]


def test_a_hostile_title_is_cleaned_and_the_old_one_comes_back() -> None:
    with probe() as term:
        term.wait_for("background")
        term.press("f4")
        term.wait_for(lambda term: term.screen.title == "work here")
        term.press("ctrl+q")
        term.wait_exit()
        assert b"\x1b[22;0t" in term.raw
        assert b"\x1b[23;0t" in term.raw
        assert ("0", "pwned") not in term.screen.osc


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (lambda term: term.press("f1"), 1),
        (lambda term: term.press("f2"), 1),
        (lambda term: term.press("f6"), 7),
        (lambda term: term.send_signal(signal.SIGTERM), 128 + signal.SIGTERM),
        (lambda term: term.send_signal(signal.SIGHUP), 128 + signal.SIGHUP),
        (lambda term: term.send_signal(signal.SIGINT), 128 + signal.SIGINT),
    ],
    ids=["exception", "MemoryError", "sys.exit", "SIGTERM", "SIGHUP", "SIGINT"],
)
def test_every_way_out_restores_the_terminal(end: Callable[[Terminal], None], code: int) -> None:
    with probe() as term:
        term.wait_for("background")
        end(term)
        assert term.wait_exit() == code
        assert term.screen.unrestored() == []
        assert not term.screen.on_alternate


def test_a_blocked_program_is_ended_by_a_second_signal(tmp_path: Path) -> None:
    report = tmp_path / "report"
    with probe(report) as term:
        term.wait_for("background")
        term.press("f3")
        term.wait_until(report.exists, 10)
        term.send_signal(signal.SIGTERM)
        term.wait_until(lambda: not pending(term.pid, signal.SIGTERM), 10)
        term.send_signal(signal.SIGTERM)
        assert term.wait_exit() == 128 + signal.SIGTERM
        assert term.screen.unrestored() == []


def pending(pid: int, signum: int) -> bool:
    """Whether a signal to the process has not been taken yet."""
    status = Path(f"/proc/{pid}/status").read_text()
    masks = re.findall(r"^(?:ShdPnd|SigPnd):\s*(\w+)", status, re.MULTILINE)
    return any(int(mask, 16) >> (signum - 1) & 1 for mask in masks)


def test_a_terminal_that_is_gone_ends_the_program() -> None:
    """Not the controlling terminal, so no signal comes: only the failing read tells."""
    master, slave = pty.openpty()
    argv = [sys.executable, "-m", "tests.pi_tui.term.probe"]
    with subprocess.Popen(argv, cwd=ROOT, stdin=slave, stdout=slave, stderr=slave, start_new_session=True) as process:
        os.close(slave)
        seen = b""
        while b"ready" not in seen:
            seen += os.read(master, 4096)
        os.close(master)
        assert process.wait(10) == 128 + signal.SIGHUP


def test_a_terminal_that_stops_reading_holds_up_nothing(tmp_path: Path) -> None:
    report = tmp_path / "report"
    with probe(report) as term:
        term.wait_for("background")
        term.pause()
        term.press("f5")
        term.wait_until(lambda: report.exists() and report.read_text() != "", 20)
        assert float(report.read_text()) < 0.5
        painted = term.raw.count(b"\x1b[?2026l")
        term.resume()
        term.wait_for("painted all")
        assert term.raw.count(b"\x1b[?2026l") - painted < 25  # of 100: the rest of what it missed is not made up for
        assert "99 99" not in term.text
        term.press("ctrl+q")
        assert term.wait_exit() == 0


def test_leaving_does_not_wait_for_a_terminal_that_stopped_reading(tmp_path: Path) -> None:
    report = tmp_path / "report"
    with probe(report) as term:
        term.wait_for("background")
        term.pause()
        term.press("f5")
        term.wait_until(lambda: report.exists() and report.read_text() != "", 20)
        term.send_signal(signal.SIGTERM)
        term.wait_until(lambda: term.exit_code is not None, 5)
        assert term.exit_code == 128 + signal.SIGTERM


def test_ctrl_z_gives_the_terminal_to_the_shell_and_fg_brings_us_back() -> None:
    command = f"{shlex.quote(sys.executable)} -m tests.pi_tui.term.probe"
    with Terminal(["/bin/sh", "-i"], columns=80, rows=24, cwd=ROOT, env={"PS1": "shell> ", "ENV": None}) as term:
        term.wait_for("shell>")
        term.send(f"{command}; echo code=$?\r")
        term.wait_for("background")
        for _ in range(2):
            term.press("a")
            term.wait_for("key a")
            term.press("ctrl+z")
            term.wait_for("Stopped")
            term.wait_for(lambda term: term.screen.unrestored() == [])
            term.send("echo still $((40+2))\r")
            term.wait_for("still 42")
            term.send("clear; fg\r")
            term.wait_for("key ctrl+z")
            assert term.screen.on_alternate
            assert term.screen.keyboard_flags == 25
        term.press("ctrl+q")
        term.wait_for("goodbye")
        assert term.screen.unrestored() == []


def test_ctrl_z_without_a_shell_that_could_continue_us_comes_right_back() -> None:
    with probe() as term:
        term.wait_for("background")
        term.press("ctrl+z")
        term.wait_for("key ctrl+z")
        term.press("c")
        term.wait_for("key c")
        term.wait_for(lambda term: term.raw.count(b"\x1b[?1049h") == 2)
        term.press("d")
        term.wait_for("key d")


def test_being_stopped_from_outside_begins_the_screen_anew() -> None:
    with probe() as term:
        term.wait_for("background")
        term.send_signal(signal.SIGSTOP)
        term.wait_for(lambda term: "T (stopped)" in Path(f"/proc/{term.pid}/status").read_text())
        term.send_signal(signal.SIGCONT)
        term.wait_for(lambda term: term.raw.count(b"\x1b[?1049h") == 2)
        term.press("d")
        term.wait_for("key d")
        term.press("ctrl+q")
        assert term.wait_exit() == 0
        assert term.screen.unrestored() == []
