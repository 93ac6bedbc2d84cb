"""Streaming Markdown in any pieces gives what laying it out whole gives, with a bounded live end."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style

from pi_tui.render.markdown.layout import markdown_lines
from pi_tui.render.markdown.split import LINE_LIMIT, Splitter
from pi_tui.theme import built_in
from tests.pi_tui.transcript.sessions import markdown

THEME = built_in(dark=True)
FRAGMENTS = st.lists(
    st.sampled_from(
        [
            *(
                "word ",
                "a",
                "\n",
                "\n\n",
                "\n\n\n",
                "- ",
                "- x\n",
                "1. ",
                "2",
                "2. y\n",
                "> ",
                "# h\n",
                "---\n",
                "===\n",
            ),
            *(
                "```",
                "```python\n",
                "~~~\n",
                "    ",
                "  ",
                "| a | b |\n|---|---|\n",
                "| c | d |\n",
                "**",
                "`",
                "[a]: /b\n",
            ),
        ]
    ),
    max_size=25,
)


def drawn(splitter: Splitter, width: int = 50) -> list[str]:
    rows: list[str] = []
    for number, part in enumerate(splitter.parts):
        lines = part.lines(THEME, Style.null(), width, splitter.env)
        rows += [line.text for line in lines[1 if part.gap and not number and lines else 0 :]]
    return rows


def whole(text: str) -> list[str]:
    return [line.text for line in markdown_lines(text, THEME, Style.null(), 50)]


@given(FRAGMENTS, st.randoms(use_true_random=False))
def test_any_cut_gives_the_same_rows(fragments: list[str], random_: random.Random) -> None:
    text = "".join(fragments)
    at_once = Splitter()
    at_once.feed(text, final=True)
    piecewise = Splitter()
    rest = text
    while rest:
        size = random_.choice([1, 2, 5, 30])
        piecewise.feed(rest[:size])
        rest = rest[size:]
    piecewise.feed("", final=True)
    assert drawn(piecewise) == drawn(at_once)


@pytest.mark.parametrize("seed", range(4))
def test_short_blocks_look_as_if_laid_out_whole(seed: int) -> None:
    random_ = random.Random(seed)
    blocks = [markdown(random_, 1) for _ in range(30)]
    text = "\n\n".join(block for block in blocks if block.count("\n") < 15 and not block.startswith(("- ", "1. ")))
    splitter = Splitter()
    for at in range(0, len(text), 37):
        splitter.feed(text[at : at + 37])
    splitter.feed("", final=True)
    assert drawn(splitter) == whole(text)


def test_frozen_parts_stay_the_same_objects() -> None:
    random_ = random.Random(5)
    text = markdown(random_, 40)
    splitter = Splitter()
    frozen: list[object] = []
    for at in range(0, len(text), 90):
        first = splitter.feed(text[at : at + 90])
        assert all(old is new for old, new in zip(frozen[:first], splitter.parts[:first], strict=True))
        frozen = list(splitter.parts[: splitter.frozen])


def test_the_live_end_is_bounded_whatever_grows() -> None:
    for text in (
        "```python\n" + "x = 1\n" * 3_000,
        "- item\n" * 3_000,
        "| a | b |\n|---|---|\n" + "| c | d |\n" * 3_000,
        "one line of a paragraph\n" * 3_000,
        "word " * 20_000,
        "> quoted\n" * 3_000,
        "".join(" " * depth + "- deep\n" for depth in range(400)),
    ):
        splitter = Splitter()
        for at in range(0, len(text), 1_000):
            splitter.feed(text[at : at + 1_000])
            live = splitter.parts[splitter.frozen :]
            assert sum(len(part.text) for part in live) < 10_000, text[:20]


def test_a_long_ordered_list_keeps_counting_over_its_parts() -> None:
    text = "".join(f"1. item {number}\n" for number in range(1, 121))
    splitter = Splitter()
    for at in range(0, len(text), 50):
        splitter.feed(text[at : at + 50])
    splitter.feed("", final=True)
    assert len(splitter.parts) > 2
    assert [row.split(".")[0] for row in drawn(splitter)] == [str(number) for number in range(1, 121)]


def test_parts_of_a_long_table_repeat_its_heading() -> None:
    splitter = Splitter()
    splitter.feed("| a | b |\n|---|---|\n" + "| c | d |\n" * 150, final=True)
    rows = drawn(splitter)
    assert sum("│ a" in row for row in rows) == len(splitter.parts) > 1
    assert sum("│ c" in row for row in rows) == 150


def test_a_closed_fence_is_coloured_as_a_whole() -> None:
    code = '"""\n' + "text, not = code\n" * 60 + '"""\n'
    splitter = Splitter()
    splitter.feed("```python\n" + code)
    string = THEME["syntaxString"]
    assert splitter.parts[1].lines(THEME, Style.null(), 50, {})[0].segments[1].style != string
    assert splitter.feed("```\n") == 0
    for part in splitter.parts:
        inside = part.lines(THEME, Style.null(), 50, {})[3]
        assert inside.segments[1].style == string


def test_the_closing_markup_is_not_shown_as_code_while_it_arrives() -> None:
    splitter = Splitter()
    splitter.feed("```\nx\n``")
    assert drawn(splitter) == ["```", "  x"]
    splitter.feed("`\nafter")
    assert drawn(splitter) == ["```", "  x", "```", "", "after"]


def test_an_overlong_line_is_shown_as_it_is() -> None:
    line = "*not* parsed " * 1_000
    splitter = Splitter()
    splitter.feed(f"before\n\n{line}\n\n**after**", final=True)
    rows = drawn(splitter)
    assert (rows[0], rows[-1]) == ("before", "after")
    assert len(line) > LINE_LIMIT
    assert "*not*" in rows[2]
    glued = "".join(
        (row.glue or "") + row.text for part in splitter.parts[1:-1] for row in part.lines(THEME, Style.null(), 50, {})
    )
    assert glued.split() == line.split()


def test_link_definitions_reach_parts_after_them() -> None:
    splitter = Splitter()
    splitter.feed("[docs]: https://a.b\n\ntext\n\nsee [docs]\n", final=True)
    assert drawn(splitter)[-1] == "see docs (https://a.b)"
