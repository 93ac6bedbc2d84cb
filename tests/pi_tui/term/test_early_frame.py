"""The picture of the early screen, on a screen model."""

import pytest

from pi_tui.term.early_frame import EarlyFrame, cells, wrapped
from tests.support.screen import ScreenModel
from tests.support.terminal_profile import Profile


class Picture:
    """A frame and the screen it draws on, without line wrap as on our screen."""

    def __init__(self, columns: int, rows: int) -> None:
        self.size = columns, rows
        self.screen = ScreenModel(columns, rows, Profile(), lambda _data: None)
        self.screen.feed(b"\x1b[?7l")
        self.frame = EarlyFrame("pi 1.2.3", "Ask for something, or /help")

    def show(self, text: str) -> list[str]:
        self.screen.feed(self.frame.paint(*self.size, text).encode())
        assert self.screen.unknown == []
        return self.screen.grid.text()

    @property
    def cursor(self) -> tuple[int, int]:
        return self.screen.grid.cursor.x, self.screen.grid.cursor.y


def test_the_empty_prompt() -> None:
    picture = Picture(40, 24)
    rows = picture.show("")
    assert rows[0] == " pi 1.2.3"
    assert rows[19:] == ["─" * 40, " Ask for something, or /help", "─" * 40, "", ""]
    assert set(rows[1:19]) == {""}
    assert picture.cursor == (1, 20)
    assert picture.screen.grid.rows[20][1].style.reverse


def test_it_grows_and_shrinks_with_the_text() -> None:
    picture = Picture(40, 24)
    assert picture.show("one\ntwo")[18:22] == ["─" * 40, " one", " two", "─" * 40]
    assert picture.cursor == (4, 20)
    assert picture.show("one")[17:22] == ["", "", "─" * 40, " one", "─" * 40]
    assert picture.show("\n".join("abcdefghijk"))[12:22] == [
        "",
        f"─↑ 4 more{'─' * 31}",
        *(f" {c}" for c in "efghijk"),
        "─" * 40,
    ]
    assert picture.show("")[12:20] == [*[""] * 7, "─" * 40]


def test_wide_characters_take_two_cells() -> None:
    picture = Picture(40, 24)
    assert picture.show("中文🎉e\u0301")[20] == " 中文🎉e\u0301"
    assert picture.cursor == (8, 20)


@pytest.mark.parametrize(
    ("columns", "rows", "below"), [(20, 6, 0), (10, 5, 0), (30, 9, 1), (30, 13, 1), (30, 14, 2), (4, 3, 0)]
)
def test_small_screens(columns: int, rows: int, below: int) -> None:
    picture = Picture(columns, rows)
    shown = picture.show("ab")
    bottom = rows - below - 1
    assert shown[bottom] == shown[bottom - 2] == "─" * columns
    if columns > 4:
        assert shown[bottom - 1] == " ab"


@pytest.mark.parametrize("size", [(3, 24), (40, 2), (0, 0)])
def test_nothing_is_drawn_where_there_is_no_room(size: tuple[int, int]) -> None:
    assert EarlyFrame("pi", "Ask").paint(*size, "text") == ""


def test_another_size_draws_all_anew() -> None:
    picture = Picture(40, 24)
    picture.show("text")
    picture.size = (30, 12)
    picture.screen.resize(30, 12)
    rows = picture.show("text")
    assert rows[8:11] == ["─" * 30, " text", "─" * 30]
    assert set(rows[:8]) == {""}


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("", [""]),
        ("a b", ["a b"]),
        ("one two three", ["one two ", "three"]),
        ("abcdefghijkl", ["abcdefgh", "ijkl"]),
        ("ab abcdefghijkl", ["ab ", "abcdefgh", "ijkl"]),
        ("中中中中中", ["中中中中", "中"]),
        ("a\n\nb", ["a", "", "b"]),
    ],
)
def test_wrapping(text: str, rows: list[str]) -> None:
    assert wrapped(text, 8) == rows
    assert all(cells(row) <= 8 for row in rows)
