"""Hostile and broken text: bounded time, no control characters, rows that fit."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import split_graphemes

from core.ai.messages import TextContent
from pi_tui.model import (
    Block,
    CustomBlock,
    HeaderBlock,
    NoticeBlock,
    ShellBlock,
    SummaryBlock,
    TextBlock,
    TextBuffer,
    ThinkingBlock,
    ToolBlock,
    UserBlock,
)
from pi_tui.render import Context, view_of
from pi_tui.theme import built_in

THEMES = (built_in(dark=True), built_in(dark=True, depth="none"))
FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]")
HOSTILE = st.lists(
    st.sampled_from(
        [
            *(
                "\x1b[31mred\x1b[0m",
                "\x1b]0;title\x07",
                "\u202eevil",
                "\x00\x08",
                "\r\n",
                "\r",
                "\t",
                "\x9b2J",
                "\u2028",
            ),
            *(
                "\ud800",
                "\U000e0041",
                "⚠️",
                "👩‍💻",
                "中文，",
                "e\u0301",
                "🏳️‍🌈",
                "- ",
                "1. ",
                "> ",
                "```",
                "# ",
                "|",
                "**",
                "`",
            ),
            *(
                "word ",
                "a",
                " ",
                "\n",
                "\n\n",
                "| a | b |\n|--|--|\n",
                "https://a.b/c。",
                "[a](b)",
                "<b>",
                "+1 x\n",
                "-22 ",
            ),
        ]
    ),
    max_size=25,
).map("".join)
STATUSES = st.sampled_from(["pending", "running", "ok", "error", "aborted"])
BLOCKS: st.SearchStrategy[Block] = st.one_of(
    st.builds(UserBlock, HOSTILE, st.tuples(HOSTILE)),
    st.builds(lambda text, final: TextBlock(TextBuffer(text), final), HOSTILE, st.booleans()),
    st.builds(lambda text: ThinkingBlock(TextBuffer(text), True), HOSTILE),
    st.builds(
        lambda name, status, text, other, diff: ToolBlock(
            "call",
            name,
            status=status,
            arguments={"path": other, "command": text, "content": text, other: text, "edits": [{"oldText": other}]},
            content=(TextContent(text=text),),
            details={"diff": diff} if diff else None,
            started_at=0.0,
        ),
        st.one_of(st.sampled_from(["bash", "read", "write", "edit"]), HOSTILE),
        STATUSES,
        HOSTILE,
        HOSTILE,
        HOSTILE,
    ),
    st.builds(
        lambda a, b, code: ShellBlock(a, b, code, full_output_path=b, truncated=True),
        HOSTILE,
        HOSTILE,
        st.integers(0, 2),
    ),
    st.builds(lambda text: SummaryBlock("compaction", text, 5), HOSTILE),
    st.builds(CustomBlock, HOSTILE, HOSTILE),
    st.builds(lambda text: NoticeBlock("error", text), HOSTILE),
    st.builds(lambda text: HeaderBlock((("accent", text), ("no such role", text))), HOSTILE),
)


@given(BLOCKS, st.sampled_from([1, 2, 5, 9, 10, 11, 13, 20, 40]), st.booleans(), st.sampled_from(THEMES))
def test_no_block_drives_the_terminal_or_leaves_its_columns(
    block: Block, width: int, expanded: bool, theme: object
) -> None:
    context = Context(width, theme if theme in THEMES else THEMES[0], clock=lambda: 9.0)
    view = view_of(block, context, gap=True, expanded=expanded)
    for index in range(len(view.pieces)):
        for line in view.rows(index, context):
            assert not FORBIDDEN.search(line.text)
            sizes = [size for _, _, size in split_graphemes(line.text)[0] if size]
            assert line.width <= width or len(sizes) == 1 or width <= 2


BOMBS = {
    "60 levels of quotes": ("> " * 60 + "x\n") * 50,
    "5,000 quote marks": ">" * 5_000 + " x",
    "a 1,500-deep list": "".join("  " * depth + "- x\n" for depth in range(1_500)),
    "5,000 list marks": "- " * 5_000 + "x",
    "a 1 MB table row": "| a | b |\n|---|---|\n| " + "x" * 1_000_000 + " | y |\n",
    "a row of 250,000 cells": "| a | b |\n|---|---|\n" + "| c " * 250_000 + "|\n",
    "a table of 500 columns": "|" + "a|" * 500 + "\n|" + "-|" * 500 + "\n" + ("|" + "b|" * 500 + "\n") * 40,
    "a 1 MB line": "word " * 200_000,
    "stars": "**a" * 5_000,
    "brackets": "[" * 5_000,
    "image brackets": "![" * 2_500,
    "ticks": "".join("`" * count + "a" for count in range(1, 100)),
    "combining marks": "a" + "\u0301" * 20_000,
    "joined emoji": "👩‍" * 20_000,
    "a link that never ends": "https://a.b/" + "(" * 3_000 + ")" * 3_000,
    "minified code": "```js\n" + "a=1;" * 50_000 + "\n```\n",
    "an open fence": "```python\n" + "x = 1  # y\n" * 20_000,
    "link definitions": "".join(f"[r{number}]: /{number}\n" for number in range(3_000)),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_costs_bounded_time(name: str) -> None:
    text, context = BOMBS[name], Context(100, THEMES[0])
    block = TextBlock()
    view = view_of(block, context, gap=False, expanded=True)
    step = len(text) // 20 + 1
    worst = 0.0
    for at in range(0, len(text), step):
        begun = time.process_time()
        offset = len(block.text)
        block.text.append(text[at : at + step])
        view.sync(context, offset)
        rows = 0
        for index in range(len(view.pieces) - 1, -1, -1):
            rows += len(view.rows(index, context))
            if rows > 60:
                break
        worst = max(worst, time.process_time() - begun)
    per_character = 4e-6  # what plain prose costs to cut and lay out, ten times over
    assert worst < 1.0 + per_character * step
