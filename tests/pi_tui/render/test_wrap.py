"""Rows never wider than asked, and together what was put in."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len, split_graphemes
from rich.style import Style

from pi_tui.render.wrap import wrap, wrap_plain

RED, BLUE = Style(color="red"), Style(color="blue")
texts = st.one_of(
    st.text(st.sampled_from("ab  cd-\n"), max_size=50),
    st.lists(st.sampled_from(["a", " ", "中", "，", "。", "（", "👩‍💻", "⚠️", "é́", "word", "\n"]), max_size=30).map(
        "".join
    ),
)


@given(texts, st.integers(0, 50), st.integers(1, 16), st.booleans())
def test_rows_fit_and_give_the_text_back(text: str, cut: int, width: int, words: bool) -> None:
    lines = wrap([(text[:cut], RED), (text[cut:], BLUE)], width, words=words)
    for logical, rows in zip(text.split("\n"), _logical(lines), strict=True):
        joined = "".join((line.glue or "") + line.text for line in rows)
        assert logical.startswith(joined)
        assert not logical[len(joined) :].strip(" ")
    for line in lines:
        graphemes = [size for _, _, size in split_graphemes(line.text)[0] if size]
        assert cell_len(line.text) <= width or len(graphemes) == 1
        assert line.width == sum(cell_len(segment.text) for segment in line.segments)


def _logical(lines: list) -> list[list]:
    out: list[list] = []
    for line in lines:
        if line.glue is None:
            out.append([])
        out[-1].append(line)
    return out


def test_styles_stay_with_their_characters() -> None:
    lines = wrap([("one two ", RED), ("three four", BLUE)], 9)
    assert [[(segment.text, segment.style) for segment in line.segments] for line in lines] == [
        [("one two", RED)],
        [("three", BLUE)],
        [("four", BLUE)],
    ]
    assert [line.glue for line in lines] == [None, " ", " "]


def test_long_words_are_cut_and_their_parts_join_without_a_space() -> None:
    lines = wrap_plain("a abcdefghij", Style.null(), 4)
    assert [(line.text, line.glue) for line in lines] == [("a", None), ("abcd", " "), ("efgh", ""), ("ij", "")]


def test_chinese_breaks_between_characters_but_not_before_punctuation() -> None:
    lines = wrap_plain("这是一个句子，里面有标点。", Style.null(), 12)
    assert [line.text for line in lines] == ["这是一个句", "子，里面有标", "点。"]


def test_code_is_cut_at_the_edge() -> None:
    assert [line.text for line in wrap_plain("ab cd ef", Style.null(), 4, words=False)] == ["ab c", "d ef"]
