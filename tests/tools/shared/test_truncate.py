import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.details import Truncation
from tools.shared.truncate import MAX_BYTES, count_lines, format_size, truncate_head, truncate_tail, utf8_size


def facts(cut: Truncation) -> tuple[bool, str | None, int, int]:
    return cut.truncated, cut.truncated_by, cut.output_lines, cut.output_bytes


def test_sizes_for_people():
    sizes = [format_size(count) for count in (0, 1023, 1024, MAX_BYTES, 1536 * 1024)]
    assert sizes == ["0B", "1023B", "1.0KB", "50.0KB", "1.5MB"]


@pytest.mark.parametrize(
    ("text", "lines"), [("", 0), ("\n", 1), ("a", 1), ("a\n", 1), ("a\nb", 2), ("a\r\u2028\x0cb\n", 1)]
)
def test_line_counts(text: str, lines: int):
    assert count_lines(text) == lines


@pytest.mark.parametrize("cut", [truncate_head, truncate_tail])
def test_within_the_limits_the_text_is_untouched(cut):
    for text in ("", "\n", "a\n" * 2000, "x" * MAX_BYTES, "x" * MAX_BYTES + "\n", "é" * (MAX_BYTES // 2)):
        result = cut(text)
        assert result.content == text
        assert not result.truncated
        assert result.truncated_by is None


def test_head_keeps_whole_lines_from_the_top():
    # E1
    cut = truncate_head("".join(f"{n}\n" for n in range(2500)))
    assert facts(cut)[:3] == (True, "lines", 2000)
    assert cut.content.split("\n")[-1] == "1999"
    assert (cut.total_lines, cut.last_line_partial) == (2500, False)
    cut = truncate_head("é" * 30 + "\n" + "b" * 40 + "\n" + "c\n", max_bytes=101)
    assert facts(cut) == (True, "bytes", 2, 101)
    assert cut.content == "é" * 30 + "\n" + "b" * 40
    first = truncate_head("x" * (MAX_BYTES + 1) + "\nb")
    assert (first.content, first.first_line_exceeds_limit, first.truncated_by) == ("", True, "bytes")


def test_tail_keeps_whole_lines_from_the_bottom():
    cut = truncate_tail("".join(f"{n}\n" for n in range(2001)))
    assert facts(cut)[:3] == (True, "lines", 2000)
    assert cut.content.startswith("1\n")
    cut = truncate_tail("a\n" + "é" * 30, max_bytes=20)
    assert cut.content == "é" * 10
    assert cut.last_line_partial
    cut = truncate_tail("x\n" + "é" * 30, max_bytes=21)
    assert (cut.content, cut.output_bytes) == ("é" * 10, 20)


def test_the_record_has_the_keys_of_the_wire():
    assert list(truncate_head("a").to_wire()) == [
        "content",
        "truncated",
        "truncatedBy",
        "totalLines",
        "totalBytes",
        "outputLines",
        "outputBytes",
        "lastLinePartial",
        "firstLineExceedsLimit",
        "maxLines",
        "maxBytes",
    ]


TEXTS = st.text(st.sampled_from("ab\né€😀\r"), max_size=60)


@given(TEXTS, st.integers(1, 6), st.integers(4, 40))
def test_both_ways_keep_the_limits_and_part_of_the_text(text: str, max_lines: int, max_bytes: int):
    body = text.removesuffix("\n")
    for cut in (truncate_head(text, max_lines, max_bytes), truncate_tail(text, max_lines, max_bytes)):
        assert utf8_size(cut.content.removesuffix("\n")) <= max_bytes
        assert count_lines(cut.content) <= max_lines
        assert cut.truncated == (count_lines(text) > max_lines or utf8_size(body) > max_bytes)
        if cut.truncated:
            assert cut.output_bytes == utf8_size(cut.content)
            assert cut.total_bytes == utf8_size(text)
    head, tail = truncate_head(text, max_lines, max_bytes), truncate_tail(text, max_lines, max_bytes)
    assert text.startswith(head.content)
    assert text.endswith(tail.content) or body.endswith(tail.content)
    assert tail.output_lines or not text
