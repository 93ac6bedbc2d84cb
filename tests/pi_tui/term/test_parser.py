"""Byte sequences that real terminals send, and what the app is told."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events, messages
from textual.message import Message

from pi_tui.term.messages import QueriesAnswered, TerminalBackground
from pi_tui.term.parser import ESCAPE_DELAY, SEQUENCE_DELAY, InputParser


class Clock:
    """Time that passes only when told to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def told(messages: list[Message]) -> list[str]:
    """Messages in short form: the key, `paste:<text>`, or the name of the class."""
    return [
        message.key
        if isinstance(message, events.Key)
        else f"paste:{message.text}"
        if isinstance(message, events.Paste)
        else type(message).__name__
        for message in messages
    ]


def parse(*chunks: str) -> list[str]:
    """What chunks read one right after the other give, up to silence."""
    clock = Clock()
    parser = InputParser(clock)
    got: list[Message] = []
    for chunk in chunks:
        got += parser.feed(chunk)
    while (wait := parser.timeout) is not None:
        clock.now += wait
        got += parser.tick()
    return told(got)


KEYS = {
    # plain bytes
    "a": "a",
    "A": "A",
    " ": "space",
    "\r": "enter",
    "\n": "ctrl+j",
    "\t": "tab",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x03": "ctrl+c",
    "\x1a": "ctrl+z",
    "\x1d": "ctrl+right_square_bracket",
    "\x1f": "ctrl+underscore",
    "-": "minus",
    "é": "é",
    "好": "好",
    # ESC before a character is Alt
    "\x1b\r": "alt+enter",
    "\x1bb": "alt+b",
    "\x1bB": "alt+shift+b",
    "\x1b\x7f": "alt+backspace",
    "\x1b\x1d": "alt+ctrl+right_square_bracket",
    "\x1b1": "alt+1",
    "\x1by": "alt+y",
    "\x1b\x1b[A": "alt+up",
    "\x1b[": "alt+left_square_bracket",
    "\x1bO": "alt+shift+o",
    "\x1b]": "alt+right_square_bracket",
    "\x1b": "escape",
    # xterm, VT220, rxvt, Linux console
    "\x1b[A": "up",
    "\x1bOA": "up",
    "\x1b[H": "home",
    "\x1b[1~": "home",
    "\x1b[7~": "home",
    "\x1b[4~": "end",
    "\x1b[3~": "delete",
    "\x1b[3;3~": "alt+delete",
    "\x1b[5~": "pageup",
    "\x1b[5;5~": "ctrl+pageup",
    "\x1b[6^": "ctrl+pagedown",
    "\x1b[3$": "shift+delete",
    "\x1b[Z": "shift+tab",
    "\x1b\t": "shift+tab",
    "\x1b[1;2A": "shift+up",
    "\x1b[1;3A": "alt+up",
    "\x1b[1;5D": "ctrl+left",
    "\x1b[1;6A": "ctrl+shift+up",
    "\x1b[1;5H": "ctrl+home",
    "\x1bOc": "ctrl+right",
    "\x1b[a": "shift+up",
    "\x1bOM": "enter",
    "\x1bOP": "f1",
    "\x1b[[A": "f1",
    "\x1b[24~": "f12",
    "\x1bOk": "plus",
    # xterm with modifyOtherKeys, tmux
    "\x1b[27;2;13~": "shift+enter",
    "\x1b[27;5;13~": "ctrl+enter",
    "\x1b[27;3;13~": "alt+enter",
    "\x1b[27;5;99~": "ctrl+c",
    "\x1b[27;6;70~": "ctrl+shift+f",
    "\x1b[27;2;65~": "A",
    "\x1b[27;5;9~": "ctrl+tab",
    "\x1b[27;5;45~": "ctrl+minus",
    "\x1b[27;3;127~": "alt+backspace",
    # Kitty
    "\x1b[13;2u": "shift+enter",
    "\x1b[13;3u": "alt+enter",
    "\x1b[13u": "enter",
    "\x1b[27u": "escape",
    "\x1b[97u": "a",
    "\x1b[97;2u": "A",
    "\x1b[97;2;65u": "A",
    "\x1b[97:65;2:1;65u": "A",
    "\x1b[99;5u": "ctrl+c",
    "\x1b[99;69u": "ctrl+c",
    "\x1b[93;7u": "alt+ctrl+right_square_bracket",
    "\x1b[45;5u": "ctrl+minus",
    "\x1b[102;6u": "ctrl+shift+f",
    "\x1b[32;;32u": "space",
    "\x1b[9;2u": "shift+tab",
    "\x1b[1;129A": "up",
    "\x1b[57419u": "up",
    "\x1b[57400;;49u": "1",
    "\x1b[97;1:2u": "a",
}


@pytest.mark.parametrize(("data", "key"), KEYS.items(), ids=map(repr, KEYS))
def test_keys(data: str, key: str) -> None:
    assert parse(data) == [key]


@pytest.mark.parametrize("data", [data for data in KEYS if len(data) > 1], ids=repr)
def test_keys_cut_in_two(data: str) -> None:
    for cut in range(1, len(data)):
        assert parse(data[:cut], data[cut:]) == [KEYS[data]]


@pytest.mark.parametrize(
    "data",
    [
        "\x1b[97;1:3u",  # Kitty key release
        "\x1b[1;1:3A",
        "\x1b[57441;2u",  # Shift pressed alone
        "\x1b[57358u",
        "\x1b[?31u",  # Kitty flags
        "\x1b[?4;1$y",
        "\x1bP1$r0m\x1b\\",  # DCS reply
        "\x1bP>|XTerm(380)\x1b\\",
        "\x1b]10;rgb:ffff/ffff/ffff\x07",
        "\x1b_Gi=1;OK\x1b\\",
        "\x1b[999;888;777z",
        "\x1b[?997;1n",
        "\x1b[201~",
        "\x1b[M !!",  # X10 mouse
        "\x1b[35;1;1M",  # urxvt mouse
        "\x1b[1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1x",
        "\x1b[99999999999999999999;5u",
        "\x1b[1114112u",
        "\x1b[55296;5u",
        "\x9b",
        "\x1bOZ",
    ],
)
def test_what_is_no_key_is_dropped(data: str) -> None:
    assert parse(data) == []
    assert parse(data + "x") == ["x"]


def test_reports_become_messages() -> None:
    parser = InputParser()
    got = parser.feed("\x1b[I\x1b[O\x1b[?2026;2$y\x1b]11;rgb:ffff/8080/00\x1b\\\x1b[?62;22c\x1b[7;3R\x1b[?2026;0$y")
    assert told(got) == [
        "AppFocus",
        "AppBlur",
        "TerminalSupportsSynchronizedOutput",
        "TerminalBackground",
        "QueriesAnswered",
        "CursorPosition",
    ]
    background = got[3]
    assert isinstance(background, TerminalBackground)
    assert background.rgb == (255, 128, 0)
    assert not background.dark
    assert isinstance(got[2], messages.TerminalSupportsSynchronizedOutput)
    assert isinstance(got[4], QueriesAnswered)


def test_mouse() -> None:
    down, moved, up, wheel = InputParser().feed("\x1b[<0;5;3M\x1b[<32;6;3M\x1b[<0;6;3m\x1b[<65;6;3M")
    assert isinstance(down, events.MouseDown)
    assert isinstance(moved, events.MouseMove)
    assert isinstance(up, events.MouseUp)
    assert isinstance(wheel, events.MouseScrollDown)
    assert (down.x, down.y) == (4, 2)


def test_escape_then_a_mouse_report_is_not_alt() -> None:
    assert parse("\x1b\x1b[<35;5;3M") == ["escape", "MouseMove"]
    assert parse("\x1b\x1b[I") == ["escape", "AppFocus"]


def test_escape_twice() -> None:
    assert parse("\x1b\x1b") == ["escape", "escape"]


def test_escape_waits_25_ms_and_no_longer() -> None:
    clock = Clock()
    parser = InputParser(clock)
    assert parser.feed("\x1b") == []
    assert parser.timeout == pytest.approx(ESCAPE_DELAY) == 0.025
    clock.now += ESCAPE_DELAY
    assert told(parser.tick()) == ["escape"]
    assert parser.timeout is None
    assert told(parser.feed("[A")) == ["left_square_bracket", "A"]


def test_a_sequence_without_an_end_does_not_swallow_what_is_typed_later() -> None:
    clock = Clock()
    parser = InputParser(clock)
    got = parser.feed("\x1b]0;never ends")
    for _ in range(30):
        clock.now += 0.1
        got += parser.feed("x")
    assert told(got) == ["x"] * len(got)
    assert len(got) >= 30 - SEQUENCE_DELAY / 0.1


def test_kitty_reports_of_long_text_are_typed() -> None:
    text = "输入法一次送来的一整句话"
    assert parse(f"\x1b[0;;{':'.join(str(ord(char)) for char in text)}u") == list(text)


def test_a_character_is_what_is_typed() -> None:
    (key,) = InputParser().feed("\x1b[97;2;65u")
    assert isinstance(key, events.Key)
    assert (key.key, key.character) == ("A", "A")


def test_end_of_input() -> None:
    parser = InputParser()
    assert parser.feed("\x1b[200~half a pas") == []
    assert told(parser.feed("")) == ["paste:half a pas"]
    assert parser.is_eof


PASTE = "\x1b[200~%s\x1b[201~"


@pytest.mark.parametrize(
    "text",
    ["x", "a\r\nb\rc\nd", "\x1b[31mred\x1b[0m log\r", "\x1b\x1b[A\r\x03\x1a", "\x1b[200~ nested", "", "\x1b[201"],
)
def test_a_paste_is_one_event_whatever_is_in_it(text: str) -> None:
    assert parse("a" + PASTE % text + "\r") == ["a", f"paste:{text}", "enter"]


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_a_paste_in_pieces(size: int) -> None:
    text = "one \x1b[20 two\r\n" * 3
    data = PASTE % text
    assert parse(*(data[at : at + size] for at in range(0, len(data), size))) == [f"paste:{text}"]


@pytest.mark.parametrize(
    "text", ["ls\x1b[201~\rrm -rf x\r", "a\x1b[201~\rb\x1b[200~c", "\x1b[201~\x1b[201~\r", "\x1b[201~\x1b[200~"]
)
def test_an_end_marker_inside_a_paste_types_no_key(text: str) -> None:
    pasted = "".join(parse(PASTE % text)).replace("paste:", "")
    assert pasted == text.replace("\x1b[201~", "").replace("\x1b[200~", "")
    assert all(item.startswith("paste:") for item in parse(PASTE % text))


def test_an_end_marker_inside_a_paste_that_comes_in_many_reads() -> None:
    data = PASTE % ("x" * 5000 + "\x1b[201~\r" + "y\r" * 5000)
    got = parse(*(data[at : at + 1024] for at in range(0, len(data), 1024)))
    assert all(item.startswith("paste:") for item in got)
    assert "".join(got).count("y") == 5000


def test_keys_after_a_paste_are_keys() -> None:
    clock = Clock()
    parser = InputParser(clock)
    assert told(parser.feed(PASTE % "text")) == ["paste:text"]
    clock.now += 0.5
    assert told(parser.tick()) == []
    assert told(parser.feed("\r")) == ["enter"]


def test_pauses_inside_a_paste_do_not_end_it() -> None:
    clock = Clock()
    parser = InputParser(clock)
    parser.feed("\x1b[200~one\r")
    for _ in range(5):
        clock.now += 30
        assert parser.timeout is None
        assert parser.feed("more\r") == []
    assert told(parser.feed("\x1b[201~")) == ["paste:one\r" + "more\r" * 5]


@pytest.mark.parametrize(("way_out", "key"), [("\x03", "ctrl+c"), ("\x1b[27u", "escape"), ("\x1b", "escape")])
def test_a_paste_whose_end_was_lost_can_be_left(way_out: str, key: str) -> None:
    clock = Clock()
    parser = InputParser(clock)
    parser.feed("\x1b[200~lost")
    clock.now += 0.5
    assert parser.feed("\x03") == []
    clock.now += 2
    got = parser.feed(way_out)
    clock.now += 1
    assert told([*got, *parser.tick()]) == ["paste:lost\x03", key]
    assert told(parser.feed("x")) == ["x"]


def test_a_megabyte_is_parsed_in_milliseconds() -> None:
    text = ("0123456789 some text in a line of log\n" * 27_600)[: 1 << 20]
    data = PASTE % text
    parser = InputParser()
    start = time.process_time()
    got = [message for at in range(0, len(data), 1024) for message in parser.feed(data[at : at + 1024])]
    assert time.process_time() - start < 0.1
    assert told(got) == [f"paste:{text}"]


@given(st.lists(st.text(st.sampled_from("\x1b[]OPM<;:0123579~uARa\r\x07\\\x03é")), max_size=6))
def test_no_input_raises(chunks: list[str]) -> None:
    parse(*chunks)


@given(st.text(st.sampled_from("ab\r\n\x1b[201~0;u\x03"), max_size=40), st.integers(1, 9))
def test_a_paste_never_presses_a_key(text: str, size: int) -> None:
    data = PASTE % text
    got = parse(*(data[at : at + size] for at in range(0, len(data), size)))
    assert all(item.startswith("paste:") for item in got)
    assert "".join(got).replace("paste:", "") == text.replace("\x1b[201~", "") or "\x1b[20" in text
