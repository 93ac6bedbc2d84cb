"""From a block to its view, and how high it may be before anybody looked."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from pi_tui.model.blocks import (
    Block,
    CustomBlock,
    HeaderBlock,
    NoticeBlock,
    ShellBlock,
    SummaryBlock,
    TextBlock,
    ThinkingBlock,
    ToolBlock,
    UserBlock,
)
from pi_tui.render.context import Context
from pi_tui.render.line import Line
from pi_tui.render.messages import (
    SHELL_ROWS,
    custom_lines,
    header_lines,
    notice_lines,
    shell_lines,
    summary_lines,
)
from pi_tui.render.text import rows_of
from pi_tui.render.tools.faces import face_of
from pi_tui.render.tools.frame import INDENT, call_of, tool_lines
from pi_tui.render.views import BlockView, MarkdownView, UserView, WholeView

Layout: TypeAlias = Callable[[Any, Context, bool], list[Line]]


def view_of(block: Block, context: Context, *, gap: bool, expanded: bool) -> BlockView:
    """Return the view of a block, synced. `gap`: a blank row parts it from the block before."""
    view: BlockView
    if isinstance(block, TextBlock | ThinkingBlock):
        view = MarkdownView(block, gap=gap, expanded=expanded)
    elif isinstance(block, UserBlock):
        view = UserView(block, gap=gap, expanded=expanded)
    else:
        layout: Layout = _tool if isinstance(block, ToolBlock) else _LAYOUTS[block.kind]
        height = estimate(block, context, gap=False, expanded=expanded)
        view = WholeView(partial(layout, block), gap=gap, expanded=expanded, height=height)
    view.sync(context)
    return view


def gap_between(above: Block | None, block: Block) -> bool:
    """True when a blank row stands between two blocks."""
    if above is None:
        return False
    both = isinstance(above, ToolBlock) and isinstance(block, ToolBlock)
    return not (both and face_of(above.name).compact and face_of(block.name).compact)


def default_expanded(block: Block, context: Context) -> bool:
    """True when the block is shown in full unless the person chose otherwise."""
    return not context.thinking_hidden if isinstance(block, ThinkingBlock) else context.tools_expanded


def can_expand(block: Block) -> bool:
    """True when a click on the block shows more or less of it."""
    return isinstance(block, ToolBlock | ThinkingBlock | ShellBlock | SummaryBlock)


def estimate(block: Block, context: Context, *, gap: bool, expanded: bool) -> int:
    """Return about how many rows a block takes, from the length of its text alone."""
    return _rows(block, max(context.width, 1), expanded, gap)


def _rows(block: Block, width: int, expanded: bool, gap: bool) -> int:
    if isinstance(block, TextBlock | ThinkingBlock):
        if not len(block.text):
            return 0
        if isinstance(block, ThinkingBlock) and not expanded:
            return 1 + gap
        return rows_of(str(block.text).strip("\n"), width) + gap
    if isinstance(block, UserBlock):
        return rows_of(block.text, width) + len(block.images) + 2 + gap
    if isinstance(block, ToolBlock):
        return 1 + face_of(block.name).guess(call_of(block, expanded, raw=True), max(width - INDENT, 1)) + gap
    if isinstance(block, ShellBlock):
        rows = block.output.count("\n") + 1
        return 3 + (rows if expanded else min(rows, SHELL_ROWS + 1)) + gap
    if isinstance(block, SummaryBlock):
        return 3 + (rows_of(block.text, width) + 1 if expanded else 0) + gap
    if isinstance(block, CustomBlock):
        return 4 + rows_of(block.text, width) + gap
    if isinstance(block, HeaderBlock):
        return sum([rows_of(text, width) for _, text in block.lines]) + gap
    return rows_of(block.text, width) + gap


def _tool(block: ToolBlock, context: Context, expanded: bool) -> list[Line]:
    return tool_lines(block, face_of(block.name), context, expanded)


_LAYOUTS: dict[str, Layout] = {
    HeaderBlock.kind: header_lines,
    NoticeBlock.kind: notice_lines,
    ShellBlock.kind: shell_lines,
    SummaryBlock.kind: summary_lines,
    CustomBlock.kind: custom_lines,
}
