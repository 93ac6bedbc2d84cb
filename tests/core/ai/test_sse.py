"""The decoder of Server-Sent Events."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ai import sse
from core.ai.sse import LineTooLong, SseDecoder, SseEvent

STREAM = (
    ": a comment\n"
    "event: first\n"
    'data: {"text": "naïve 😀 \u2028 \x0b end"}\n'
    "\n"
    "data:no space\n"
    "data:  two spaces\n"
    "id: 7\n"
    "retry: 10\n"
    "unknown: x\n"
    "\n"
    "event: without data\n"
    "\n"
    "data\n"
    "\n"
    "event: last\n"
    "data: no empty line follows"
)
EVENTS = [
    SseEvent("first", '{"text": "naïve 😀 \u2028 \x0b end"}'),
    SseEvent("", "no space\n two spaces"),
    SseEvent("", ""),
    SseEvent("last", "no empty line follows"),
]


def decode(data: bytes, cuts: list[int]) -> list[SseEvent]:
    decoder = SseDecoder()
    events: list[SseEvent] = []
    for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
        events += decoder.feed(data[start:end])
    return [*events, *decoder.end()]


@pytest.mark.parametrize("newline", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_one_byte_at_a_time_gives_the_same_events(newline: str, bom: bytes) -> None:
    data = bom + STREAM.replace("\n", newline).encode()
    assert decode(data, list(range(1, len(data)))) == EVENTS
    assert decode(data, []) == EVENTS


@given(data=st.data(), newline=st.sampled_from(["\n", "\r", "\r\n"]))
def test_any_cut_gives_the_same_events(data: st.DataObject, newline: str) -> None:
    stream = STREAM.replace("\n", newline).encode()
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=12).map(sorted))
    assert decode(stream, cuts) == EVENTS


def test_mixed_line_ends_count_each() -> None:
    assert decode(b"data: a\r\ndata: b\rdata: c\n\r\n", [8]) == [SseEvent("", "a\nb\nc")]


def test_a_byte_order_mark_is_no_part_of_the_first_field() -> None:
    assert decode(b"\xef\xbb\xbfdata: a\n\n", [1, 2]) == [SseEvent("", "a")]
    assert decode(b"data: a\n\n\xef\xbb\xbfdata: b\n\n", []) == [SseEvent("", "a")]


def test_an_empty_chunk_between_cr_and_lf_changes_nothing() -> None:
    decoder = SseDecoder()
    assert decoder.feed(b"data: a\r") == []
    assert decoder.feed(b"") == []
    assert decoder.feed(b"\n") == []
    assert decoder.feed(b"\r\n") == [SseEvent("", "a")]


def test_broken_utf8_is_replaced() -> None:
    assert decode(b"data: a\xffb\n\n", []) == [SseEvent("", "a\ufffdb")]


def test_an_endless_line_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "MAX_LINE_BYTES", 1000)
    decoder = SseDecoder()
    decoder.feed(b"data: " + b"x" * 900)
    with pytest.raises(LineTooLong, match="longer than"):
        decoder.feed(b"x" * 200)


def test_empty_stream() -> None:
    assert decode(b"", []) == []
