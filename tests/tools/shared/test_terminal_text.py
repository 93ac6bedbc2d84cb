import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.shared.terminal_text import MAX_LINE, TerminalText


def shown(*pieces: bytes) -> str:
    terminal = TerminalText()
    text = "".join(terminal.feed(piece) for piece in pieces)
    return text + terminal.feed(b"", final=True) + terminal.line


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"plain\ntext\n", "plain\ntext\n"),
        ("é中😀\n".encode(), "é中😀\n"),
        (b"\x1b[1;31mred\x1b[0m\n", "red\n"),
        (b"\x1b]0;title\x07a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n", "alink\n"),
        (b"\x1b]133;A\x1b\\$ \x1bPq#0\x1b\\x\x1b_apc\x1b\\y\x1b^pm\x1b\\\n", "$ xy\n"),
        ("a\x9b31mb\x9dosc\x9cc\n".encode(), "abc\n"),
        (b"\x1b(Ba\x1b=b\x1b7c\x1b#8d\n", "abcd\n"),
        (b"a\r\nb\r\n", "a\nb\n"),
        (b"10%\r50%\r100%\ndone\n", "100%\ndone\n"),
        (b"long text\rab\n", "abng text\n"),
        (b"long text\r\x1b[Kab\n", "ab\n"),
        (b"long text\x1b[2K\rab\n", "ab\n"),
        (b"|\b/\b-\b\\ ok\n", "\\ ok\n"),
        (b"b\bbo\bol\bld _\bu\n", "bold u\n"),
        (b"a\x07\x0e\x0f\x7fb\x01c\n", "abc\n"),
        (b"a\0b\0", "a\u2400b\u2400"),
        ("\ufeffa\ufff9b\n".encode(), "ab\n"),
        (b"bad \xff\xfe byte\n", "bad \ufffd\ufffd byte\n"),
        (b"cut \xe2\x82", "cut \ufffd"),
        (b"unfinished \x1b[3", "unfinished "),
        (b"\x1b]never ended\nnext line\n", "\nnext line\n"),
        (b"\tindent\n", "\tindent\n"),
        ("\ufdd0a\ufdd1\r\n".encode(), "a\n"),
    ],
)
def test_what_a_terminal_would_show(data: bytes, text: str):
    # E93, E94, S17, S19
    assert shown(data) == text
    assert shown(*(data[at : at + 1] for at in range(len(data)))) == text


TEXT = [b"ab", b"x" * 20, b"\xe2\x82\xac", b"\xe2", b"\0", b"\t"]
MOVES = [b"\n", b"\r", b"\r\n", b"\b"]
SEQUENCES = [b"\x1b", b"\x1b[", b"1m", b"K", b"\x1b[2K", b"\x1b]", b"\x07", b"\x1b\\", b"\xc2\x9b"]
STREAM = st.lists(st.sampled_from(TEXT + MOVES + SEQUENCES), max_size=30)


@given(STREAM, st.data())
def test_the_result_does_not_depend_on_where_the_pieces_end(parts: list[bytes], data: st.DataObject):
    stream = b"".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    pieces = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    whole = shown(stream)
    assert shown(*pieces) == whole
    assert whole.count("\n") == stream.count(b"\n")
    assert not set(whole) & {chr(code) for code in range(32) if chr(code) not in "\t\n"}


def test_a_huge_line_is_handed_on_in_bounded_memory():
    terminal = TerminalText()
    text = ""
    for _ in range(100):
        text += terminal.feed(b"x" * 65_536)
        assert len(terminal.line) <= MAX_LINE
    assert len(text) + len(terminal.line) == 100 * 65_536


def test_a_long_sequence_is_no_sequence():
    assert shown(b"\x1b[" + b"1;" * 500, b"mx\n") == "mx\n"
