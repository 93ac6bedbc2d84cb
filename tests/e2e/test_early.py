"""From the early screen to the app, with the real `pi`: nothing typed is lost, nothing moves, nothing is cleared."""

from __future__ import annotations

import itertools
import re
import threading
import time
from pathlib import Path

import pytest

from tests.e2e.start import app_has_keys
from tests.support.agent_dir import model_name, write_agent_dir
from tests.support.commands import pi_command
from tests.support.terminal import Terminal
from tests.support.terminal_profile import Profile

ALTERNATE_ON, CLEAR = b"\x1b[?1049h", b"\x1b[2J"


def prompt(term: Terminal) -> tuple[int, list[str]]:
    """Where the prompt box begins, and the rows of its text; (-1, []) when there is none."""
    edges = [at for at, row in enumerate(term.lines) if re.fullmatch("─(↑ \\d+ more)?─+", row)]
    if len(edges) < 2:
        return -1, []
    return edges[-2], [row.strip() for row in term.lines[edges[-2] + 1 : edges[-1]]]


def start_pi(folder: Path, *args: str, columns: int = 100, rows: int = 30, profile: Profile | None = None) -> Terminal:
    """`pi` in a terminal that echoes nothing by itself, not yet started; its model is never asked."""
    agent_dir = write_agent_dir(folder / "agent", "http://127.0.0.1:9")
    return Terminal(
        [*pi_command(), "--model", model_name("openai-completions"), *args],
        columns=columns,
        rows=rows,
        cwd=folder,
        env={"PI_CODING_AGENT_DIR": str(agent_dir)},
        profile=profile,
        echo=False,
        timeout=30,
    )


@pytest.mark.parametrize("letters", ["abcdefghijklmnopqrstuvwxyz", "中文 aß🎉"], ids=["ascii", "wide"])
@pytest.mark.parametrize("profile", [Profile(), Profile(kitty_keyboard=True, light=True)], ids=["xterm", "kitty"])
def test_typing_through_the_start_loses_doubles_and_swaps_nothing(
    tmp_path: Path, letters: str, profile: Profile
) -> None:
    """A key every 5 ms, from before the early screen until well after the app's first frame."""
    typed: list[str] = []
    with start_pi(tmp_path, columns=120, rows=60, profile=profile) as term:

        def type_on() -> None:
            for letter in itertools.cycle(letters):
                if after.is_set():
                    return
                typed.append(letter)
                term.send(letter)
                time.sleep(0.005)

        after = threading.Event()
        typist = threading.Thread(target=type_on)
        typist.start()
        try:
            term.wait_for(app_has_keys)
            shown = len(typed)
            term.wait_until(lambda: len(typed) > shown + 30, 10)
        finally:
            after.set()
            typist.join()
        term.send("§")
        term.wait_for("§")
        rows = prompt(term)[1]
        assert len(rows) < 18  # all of it is in view
        assert "".join(rows).replace(" ", "") == ("".join(typed) + "§").replace(" ", "")


@pytest.mark.parametrize(
    ("columns", "rows", "text"),
    [
        (80, 24, "one two\nthree"),
        (120, 40, ""),
        (20, 6, ""),
        (20, 6, "one two\nthree"),
        (10, 5, "one two\nthree"),
        (40, 12, ""),
    ],
)
def test_the_prompt_stays_where_it_is(tmp_path: Path, columns: int, rows: int, text: str) -> None:
    with start_pi(tmp_path, columns=columns, rows=rows) as term:
        term.wait_for(lambda term: prompt(term)[0] >= 0)
        assert not app_has_keys(term)
        if text:
            term.send(text)
            term.wait_for(lambda term: "three" in term.text)
        early, cursor = prompt(term), term.cursor
        term.wait_for(lambda term: not term.cell(0, early[0]).style.dim)  # the app has painted its own edge
        assert prompt(term) == early, term.dump()
        assert term.cursor == cursor
        raw = term.raw
        assert raw.count(ALTERNATE_ON) == 1
        assert raw.count(CLEAR) == 1  # the one before the early picture
        term.press("ctrl+c", "ctrl+d")
        assert term.wait_exit() == 0
        assert term.screen.unrestored() == []


def test_a_start_that_fails_says_so_on_the_ordinary_screen(tmp_path: Path) -> None:
    with start_pi(tmp_path, "--model", "no/such-model") as term:
        assert term.wait_exit() == 1
        assert ALTERNATE_ON in term.raw
        assert term.screen.unrestored() == []
        assert "no/such-model" in "\n".join(term.main_lines)


def test_a_mistake_on_the_command_line_does_not_even_flash(tmp_path: Path) -> None:
    with start_pi(tmp_path, "@missing.txt") as term:
        assert term.wait_exit() == 1
        assert ALTERNATE_ON not in term.raw


def test_one_ctrl_c_too_many_does_not_spoil_the_end(tmp_path: Path) -> None:
    with start_pi(tmp_path) as term:
        term.wait_for(app_has_keys)
        while term.exit_code is None:
            term.press("ctrl+c")
            time.sleep(0.01)
        assert term.exit_code == 0
