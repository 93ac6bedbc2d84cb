"""Single points of Markdown; how the whole looks is in the golden files."""

from __future__ import annotations

import pytest
from rich.style import Style

from pi_tui.model import TextBuffer, ThinkingBlock
from pi_tui.render.line import Line
from pi_tui.render.markdown.layout import markdown_lines
from pi_tui.theme import built_in
from tests.pi_tui.render.golden import rows_of_block

THEME = built_in(dark=True)


def lines(text: str, width: int = 60) -> list[Line]:
    return markdown_lines(text, THEME, Style.null(), width)


def rows(text: str, width: int = 60) -> list[str]:
    return [line.text.rstrip() for line in lines(text, width)]


def linked(text: str) -> list[str]:
    """The stretches that are drawn as links."""
    return [segment.text for line in lines(text) for segment in line.segments if segment.style == THEME["mdLink"]]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("见 https://a.b/c。然后", "https://a.b/c"),
        ("（https://a.b/c），", "https://a.b/c"),
        ("see https://a.b/c.", "https://a.b/c"),
        ("(see https://a.b/c_(d))", "https://a.b/c_(d)"),
        ("<https://a.b/c>", "https://a.b/c"),
        ("https://a.b/c?d=e&f=g, then", "https://a.b/c?d=e&f=g"),
    ],
)
def test_a_bare_address_ends_before_punctuation(text: str, address: str) -> None:
    assert linked(text) == [address]


def test_a_link_shows_where_it_leads_unless_its_text_says_so() -> None:
    assert rows("[docs](https://a.b)") == ["docs (https://a.b)"]
    assert rows("[https://a.b](https://a.b)") == ["https://a.b"]
    assert rows("[x](javascript:alert)") == ["x (javascript:alert)"]


def test_html_is_text() -> None:
    assert rows("<think>a</think> & <b>") == ["<think>a</think> & <b>"]


def test_line_breaks_and_loose_lists_are_kept() -> None:
    assert rows("a\nb\n\n- c\n\n- d\n- e\n  - f") == ["a", "b", "", "• c", "", "• d", "• e", "  • f"]


def test_deeper_nesting_than_is_parsed_is_shown_as_it_is() -> None:
    assert rows("> " * 60 + "deep", 30) == [*["> " * 14 + ">"] * 4, "deep"]


def test_a_list_that_starts_at_a_number_goes_on_from_it() -> None:
    assert rows("9. a\n10. b") == ["9.  a", "10. b"]


def test_nesting_stops_to_indent_where_no_room_is_left() -> None:
    text = "\n".join("  " * depth + "- x" for depth in range(12))
    assert max(len(row) for row in rows(text, 12)) <= 12
    assert sum(row.endswith("x") for row in rows(text, 12)) == 12


def test_a_table_too_wide_for_the_screen_becomes_records() -> None:
    text = "| Name | Value | More |\n|---|---|---|\n| a | 1 | x |\n| b | 2 | y |"
    assert rows(text, 16) == ["Name: a", "Value: 1", "More: x", "", "Name: b", "Value: 2", "More: y"]


def test_a_wide_column_is_wrapped_and_narrow_ones_keep_their_width() -> None:
    text = "| a | b |\n|---|---|\n| 12345 | some words that need room |"
    assert rows(text, 30) == [
        "┌───────┬────────────────────┐",
        "│ a     │ b                  │",
        "├───────┼────────────────────┤",
        "│ 12345 │ some words that    │",
        "│       │ need room          │",
        "└───────┴────────────────────┘",
    ]


def test_wide_characters_and_emoji_keep_columns_straight() -> None:
    text = "| a | b |\n|---|---|\n| 表格 | ⚠️ |\n| 👩‍💻 | x |"
    assert {line.width for line in lines(text)} == {13}


def test_code_copies_without_its_indentation() -> None:
    assert [line.text[line.gutter :] for line in lines("```\nx = 1\n  y\n```")] == ["```", "x = 1", "  y", "```"]


def test_reasoning_is_drawn_in_its_own_style() -> None:
    assert rows_of_block(ThinkingBlock(TextBuffer("- why"), final=True), 40, expanded=True) == ["• why"]
    assert rows_of_block(ThinkingBlock(TextBuffer("- why"), final=True), 40) == ["Thinking..."]
