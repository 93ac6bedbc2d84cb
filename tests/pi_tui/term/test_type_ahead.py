"""What is typed while the app is loaded: editing, what is swallowed, and that a cut anywhere loses nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_tui.term.paste import HOLD_LONGEST
from pi_tui.term.sequences import ESCAPE_DELAY, SEQUENCE_DELAY
from pi_tui.term.type_ahead import TypeAhead


class Clock:
    """Stands still until told otherwise."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def typed(*chunks: bytes) -> TypeAhead:
    """After reading these chunks at once, and then nothing for a while."""
    clock = Clock()
    reader = TypeAhead(clock)
    for chunk in chunks:
        reader.feed(chunk)
    settle(reader, clock)
    return reader


def settle(reader: TypeAhead, clock: Clock) -> None:
    """Let time pass until nothing is pending."""
    clock.now += SEQUENCE_DELAY + HOLD_LONGEST
    reader.tick()


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"hello", "hello"),
        ("grüße 中文 🎉".encode(), "grüße 中文 🎉"),
        (b"abc\x7f\x08d", "ad"),
        ("中文\x7f".encode(), "中"),
        (b"\x7f\x7fa", "a"),
        (b"one two\x15three", "three"),
        (b"one\ntwo\x15", "one\n"),
        (b"one\r\x15", "one"),
        (b"foo bar-baz  \x17", "foo bar-"),
        (b"foo\x17\x17\x17x", "x"),
        (b"\r\n\rfirst\nsecond\nthird", "first\nsecond\nthird"),
        (b"tab\there", "tab    here"),
        (b"gone\x03back", "back"),
        (b"text\x04\x1a\x0c!", "text!"),
        (b"\x1b[Aup\x1bOBdown\x1b[1;5Cctrl\x1b[3~\x1b[<0;3;4Mmouse\x1b[I", "updownctrlmouse"),
        (b"a\x1b\rb\x1bxc", "abc"),
        (b"a\x1b\x1b[Ab", "ab"),
        (b"a\x1b[1;2;3", "a"),
        (b"\xc2\x9b31mraw C1", "31mraw C1"),
        ("\u202egnp".encode(), "<U+202E>gnp"),
        (b"\xff!", "\ufffd!"),
        (b"\x1b[200~two\rlines\r\nand\x1b[31m colour\x03\x1b[201~.", "two\nlines\nand colour."),
        (b"\x1b[200~one\x1b[201~\x1b[200~two\x1b[201~", "onetwo"),
        (b"\x1b[200~evil\x1b[201~\rrm\x1b[201~", "evil\nrm"),
    ],
)
def test_text(data: bytes, text: str) -> None:
    assert typed(data).text == text
    assert typed(*(bytes([byte]) for byte in data)).text == text


def test_an_escape_key_does_not_swallow_the_next_one() -> None:
    clock = Clock()
    reader = TypeAhead(clock)
    reader.feed(b"\x1b")
    assert reader.timeout == pytest.approx(ESCAPE_DELAY)
    clock.now += ESCAPE_DELAY
    reader.feed(b"a")
    assert reader.text == "a"
    assert reader.timeout is None


def test_an_escape_key_is_over_after_its_time() -> None:
    clock = Clock()
    reader = TypeAhead(clock)
    reader.feed(b"\x1b")
    clock.now += ESCAPE_DELAY
    reader.tick()
    assert (reader.timeout, reader.pending) == (None, b"")


@pytest.mark.parametrize(
    ("data", "code"), [(b"\x03", 130), (b"a\x03", None), (b"a\x03\x03", 130), (b"\x04", 0), (b"a\x04", None)]
)
def test_ways_out(data: bytes, code: int | None) -> None:
    assert typed(data).exit_code == code


def test_answers_are_kept_apart() -> None:
    reader = typed(b"a\x1b[?2026;2$yb\x1b]11;rgb:0000/0000/0000\x1b\\c")
    assert not reader.answered
    reader.feed(b"\x1b[?64;1c")
    assert reader.answered
    assert reader.take_answers() == "\x1b[?2026;2$y\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[?64;1c"
    assert reader.take_answers() == ""
    assert reader.text == "abc"


KEYS = (b"a", b"bc ", "中".encode(), "é🎉".encode(), b"\r", b"\x1b[A", b"\x1bOP", b"\x1b[<0;1;1M", b"\x1b[?62;c")
PASTES = (b"\x1b[200~pasted\rtext\x1b[201~", b"\x1b[200~\x1b[31mred\x1b[0m\x1b[201~")
PIECES = st.sampled_from((*KEYS, *PASTES))


@given(st.lists(PIECES, max_size=12).map(b"".join), st.data())
def test_a_hand_over_at_any_byte_loses_nothing(data: bytes, draw: st.DataObject) -> None:
    """Text and pending input of the first reader, and all that comes later, are what one reader would have read."""
    cut = draw.draw(st.integers(0, len(data)))
    whole = typed(b"x" + data)
    clock = Clock()
    first, second = TypeAhead(clock), TypeAhead(clock)
    first.feed(b"x" + data[:cut])
    second.text = first.text
    second.feed(first.pending + data[cut:])
    settle(second, clock)
    assert second.text == whole.text
    assert first.take_answers() + second.take_answers() == whole.take_answers()


def test_enter_and_what_follows_is_held_for_the_app_as_it_came() -> None:
    reader = TypeAhead()
    reader.feed(b"first\r")
    reader.feed("second \u4e2d\x7f".encode() + b"\x1b[A\r")
    assert reader.text == "first"
    assert reader.pending == b"\rsecond \xe4\xb8\xad\x7f\x1b[A\r"


def test_ctrl_c_gives_up_what_is_held() -> None:
    reader = TypeAhead()
    reader.feed(b"first\rsecond\x03third")
    assert (reader.text, reader.pending, reader.exit_code) == ("third", b"", None)
