"""Text that grows by pieces."""

from hypothesis import given
from hypothesis import strategies as st

from pi_tui.model import TextBuffer


@given(st.lists(st.text(max_size=5), max_size=12), st.integers(-2, 70))
def test_any_tail_is_the_tail_of_the_joined_text(pieces: list[str], start: int) -> None:
    buffer = TextBuffer()
    for piece in pieces:
        buffer.append(piece)
    whole = "".join(pieces)
    assert buffer.tail(start) == whole[max(start, 0) :]
    assert len(buffer) == len(whole)
    assert str(buffer) == whole
    assert buffer == TextBuffer(whole)


def test_replacing_tells_where_the_new_text_differs() -> None:
    cases = [("abc", "abc", 3), ("abc", "abcd", 3), ("abc", "abX", 2), ("abc", "ab", 2), ("", "x", 0)]
    for before, after, offset in cases:
        buffer = TextBuffer(before)
        assert buffer.replace(after) == offset
        assert str(buffer) == after


def test_reading_the_tail_of_a_long_text_joins_only_the_tail() -> None:
    buffer = TextBuffer()
    for number in range(10_000):
        buffer.append(f"{number:04d}")
    assert buffer.tail(len(buffer) - 6) == "989999"
    assert len(buffer._parts) == 10_000
