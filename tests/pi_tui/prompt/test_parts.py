"""History, kill ring and pastes by themselves."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_tui.prompt.history import LIMIT, History
from pi_tui.prompt.kill_ring import KillRing
from pi_tui.prompt.paste_store import PasteStore, clean_text


class Store:
    """A history store in memory."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)

    def load(self) -> Iterable[str]:
        return list(self.texts)

    def append(self, text: str) -> None:
        self.texts.append(text)


def test_up_and_down_through_the_history() -> None:
    history = History(Store("old"))
    history.add("new")
    assert [history.previous("draft"), history.previous("new"), history.previous("old")] == ["new", "old", None]
    assert history.browsing
    assert [history.next(), history.next(), history.next()] == ["new", "draft", None]
    assert not history.browsing


def test_the_draft_is_what_was_there_when_browsing_began() -> None:
    history = History(Store("a", "b"))
    history.previous("first draft")
    history.stop()
    assert history.previous("second draft") == "b"
    assert history.next() == "second draft"


def test_blank_texts_and_repetitions_are_not_remembered() -> None:
    store = Store("x")
    history = History(store)
    for text in ("x", "  \n", "y", "y", "x"):
        history.add(text)
    assert store.texts == ["x", "y", "x"]


def test_the_history_keeps_a_hundred() -> None:
    history = History(Store(*map(str, range(LIMIT + 50))))
    seen = [history.previous("") for _ in range(LIMIT)]
    assert seen[-1] == "50"
    assert history.previous("") is None


def test_a_resumed_session_is_the_newest_and_is_not_stored_again() -> None:
    store = Store("stored")
    history = History(store)
    history.seed(["one", "two"])
    assert [history.previous(""), history.previous(""), history.previous("")] == ["two", "one", "stored"]
    assert store.texts == ["stored"]


def test_kills_in_a_row_are_one() -> None:
    ring = KillRing()
    ring.kill("b", forward=True, joined=False)
    ring.kill("c", forward=True, joined=True)
    ring.kill("a", forward=False, joined=True)
    ring.kill("x", forward=True, joined=False)
    assert [ring.yank(), ring.rotate(), ring.rotate(), ring.yank()] == ["x", "abc", "x", "x"]


def test_an_empty_kill_ring() -> None:
    ring = KillRing()
    ring.kill("", forward=True, joined=False)
    assert ring.yank() == ring.rotate() == ""


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("a\r\nb\rc\n", "a\nb\nc\n"),
        ("\tx\ty", "    x    y"),
        ("\x1b[31mred\x1b[0m\x00\x07", "red"),
        ("a\u2028b", "a\nb"),
        ("é 好 👩‍💻", "é 好 👩‍💻"),
    ],
)
def test_pastes_are_cleaned(raw: str, clean: str) -> None:
    assert clean_text(raw) == clean


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\n".join("0123456789"), "\n".join("0123456789")),
        ("\n".join("0123456789x"), "[paste #1 +11 lines]"),
        ("x" * 1000, "x" * 1000),
        ("x" * 1001, "[paste #1 1001 chars]"),
        ("x" * 1001 + "\n" * 20, "[paste #1 +21 lines]"),
    ],
)
def test_a_long_paste_shows_as_a_marker(text: str, shown: str) -> None:
    store = PasteStore()
    assert store.put(text) == shown
    assert store.expand(f"<{shown}>") == f"<{text}>"


def test_only_markers_of_kept_pastes_count() -> None:
    store = PasteStore()
    marker = store.put("x" * 2000)
    other = "[paste #2 2000 chars] [paste #1 1999 chars] [paste #1 +3 lines] [paste #99999999999999999999 +3 lines]"
    assert store.expand(other) == other
    assert store.spans(f"{other}{marker}") == [(len(other), len(other) + len(marker))]


def test_a_pasted_marker_is_not_expanded_in_turn() -> None:
    store = PasteStore()
    store.put("y" * 2000)
    text = "[paste #1 2000 chars]" + "z" * 2000
    assert store.expand(store.put(text)) == text


@given(st.lists(st.text(min_size=990, max_size=1200) | st.text(st.sampled_from("a\n"), max_size=60), max_size=5))
def test_what_is_pasted_is_what_is_sent(texts: list[str]) -> None:
    store = PasteStore()
    assert store.expand("|".join(map(store.put, texts))) == "|".join(texts)
