"""Views: what they lay out again and what not, and how near their guesses are."""

from __future__ import annotations

import random
import time

import pytest

from core.ai.messages import TextContent
from pi_tui.model import Block, TextBlock, TextBuffer, ToolBlock, UserBlock
from pi_tui.render import Context, estimate, gap_between, view_of
from pi_tui.render.views import MarkdownView
from pi_tui.theme import built_in
from tests.pi_tui.render.golden import rows_of_block
from tests.pi_tui.render.scenes import SCENES, tool
from tests.pi_tui.transcript.sessions import markdown

CONTEXT = Context(80, built_in(dark=True), clock=lambda: 0.0)


def all_rows(block: Block) -> list[str]:
    view = view_of(block, CONTEXT, gap=False, expanded=True)
    return [line.text for index in range(len(view.pieces)) for line in view.rows(index, CONTEXT)]


@pytest.mark.parametrize("name", SCENES)
def test_an_unseen_block_is_guessed_about_right(name: str) -> None:
    block = SCENES[name]
    for expanded in (False, True):
        guess = estimate(block, CONTEXT, gap=True, expanded=expanded)
        actual = len(rows_of_block(block, 80, expanded=expanded)) + 1
        assert abs(guess - actual) <= max(3, actual * 0.3)


def test_a_growing_text_keeps_the_rows_of_what_is_final() -> None:
    text = markdown(random.Random(1), 30)
    block = TextBlock()
    view = view_of(block, CONTEXT, gap=False, expanded=True)
    assert isinstance(view, MarkdownView)
    laid_out = 0
    layout = view.layout

    def counting(index: int, context: Context) -> list:
        nonlocal laid_out
        laid_out += 1
        return layout(index, context)

    view.layout = counting
    steps = 0
    for at in range(0, len(text), 100):
        block.text.append(text[at : at + 100])
        view.sync(CONTEXT, at)
        for index in range(len(view.pieces)):
            view.rows(index, CONTEXT)
        steps += 1
    assert view.height == sum(piece.height for piece in view.pieces)
    assert laid_out < len(view.pieces) + 3 * steps
    block.final = True
    view.sync(CONTEXT, len(text))
    assert [line.text for index in range(len(view.pieces)) for line in view.rows(index, CONTEXT)] == all_rows(block)


def test_a_text_that_was_replaced_is_read_anew() -> None:
    block = TextBlock(TextBuffer("one two"))
    view = view_of(block, CONTEXT, gap=False, expanded=True)
    view.sync(CONTEXT, block.text.replace("one 2"))
    assert [line.text for line in view.rows(0, CONTEXT)] == ["one 2"]


def test_an_escape_sequence_cut_in_two_leaves_nothing_at_the_end() -> None:
    block = TextBlock(TextBuffer("a \x1b["))
    view = view_of(block, CONTEXT, gap=False, expanded=True)
    block.text.append("31mb\x1b[0m")
    view.sync(CONTEXT, 4)
    block.final = True
    view.sync(CONTEXT, len(block.text))
    assert [line.text for line in view.rows(0, CONTEXT)] == ["a b"]


def test_a_long_message_of_a_person_comes_in_pieces_and_whole() -> None:
    text = "\n".join(f"line {number} of what was pasted" for number in range(3_000))
    view = view_of(UserBlock(text), CONTEXT, gap=False, expanded=False)
    assert len(view.pieces) > 10
    rows = [line.text for index in range(len(view.pieces)) for line in view.rows(index, CONTEXT)]
    assert rows == ["", *text.split("\n"), ""]


def test_reads_follow_each_other_without_a_blank_row() -> None:
    read, bash = tool("read", path="a"), tool("bash", command="b")
    assert not gap_between(read, read)
    assert gap_between(read, bash)
    assert gap_between(bash, bash)
    assert not gap_between(None, bash)


def test_live_output_shows_its_end_without_reading_all_of_it() -> None:
    block = tool("bash", "running", command="make", partial="x" * 50 + "\n" * 3 + "long " * 500_000)
    rows = rows_of_block(block, 80)
    assert len(rows) == 7
    assert rows[1].startswith("  … 3 earlier lines")


def test_an_expanded_result_without_end_is_cut() -> None:
    block = ToolBlock("c", "other", status="ok", arguments={}, content=(TextContent(text="x\n" * 9_000),))
    rows = rows_of_block(block, 80, expanded=True)
    assert len(rows) == 2_002
    assert "7,000 more rows, not shown" in rows[-1]


def test_a_long_failure_shows_its_begin() -> None:
    block = tool("other", "error", "\n".join(f"reason {number}" for number in range(500)))
    rows = rows_of_block(block, 80)
    assert len(rows) == 22
    assert rows[-1].startswith("  … 480 more lines")


@pytest.mark.perf
def test_guessing_heights_does_not_depend_on_how_long_results_are() -> None:
    text = "a line of output, as long as usual\n" * 1_500
    blocks = [tool(name, text=text, path="a", command="b") for name in ("read", "bash", "other") * 1_000]
    begun = time.process_time()
    for block in blocks:
        estimate(block, CONTEXT, gap=True, expanded=False)
    assert time.process_time() - begun < 0.3
