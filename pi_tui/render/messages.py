"""Blocks that are neither text of the model nor tool calls."""

from __future__ import annotations

from dataclasses import replace

from rich.segment import Segment
from rich.style import Style

from pi_tui.model.blocks import CustomBlock, HeaderBlock, Level, NoticeBlock, ShellBlock, SummaryBlock
from pi_tui.render.context import Context
from pi_tui.render.hints import hint
from pi_tui.render.line import BOLD, Line, indent, line_of, tint
from pi_tui.render.markdown.layout import markdown_lines
from pi_tui.render.output import tail, whole
from pi_tui.render.text import clean
from pi_tui.render.wrap import wrap, wrap_plain
from pi_tui.theme import TOKENS, Token

SHELL_ROWS = 20
"""Rows of a person's own command that are shown collapsed."""


_ROLES: dict[str, Token] = {token: token for token in TOKENS}


def header_lines(block: HeaderBlock, context: Context, expanded: bool) -> list[Line]:
    """The app's own first lines."""
    lines: list[Line] = []
    for role, text in block.lines:
        style = context.theme[_ROLES[role]] if role in _ROLES else Style.null()
        lines += wrap_plain(clean(text), style + BOLD if role == "accent" else style, context.width)
    return lines


_GLYPHS: dict[Level, tuple[str, Token]] = {"info": ("·", "dim"), "warning": ("!", "warning"), "error": ("✗", "error")}


def notice_lines(block: NoticeBlock, context: Context, expanded: bool) -> list[Line]:
    """A remark: a glyph tells the level, colour only repeats it."""
    glyph, token = _GLYPHS[block.level]
    style = context.theme[token]
    if context.width < 10:
        return wrap_plain(f"{glyph} {clean(block.text)}", style, context.width)
    body = wrap_plain(clean(block.text).strip("\n"), style, context.width - 2)
    return indent(body, [Segment(f"{glyph} ", style)], [Segment("  ")], 2)


def shell_lines(block: ShellBlock, context: Context, expanded: bool) -> list[Line]:
    """A person's own command between two rules, dim when the model does not read it."""
    theme = context.theme
    style = theme["dim"] if block.excluded else theme["bashMode"]
    rule = line_of(("─" * context.width, style))
    output = clean(block.output)
    lines = [rule, *wrap([("$ ", style + BOLD), (clean(block.command), style + BOLD)], context.width)]
    if output.strip():
        lines += (
            whole(output, theme["toolOutput"], context)
            if expanded
            else tail(output, SHELL_ROWS, theme["toolOutput"], context)
        )
    else:
        lines += hint("(no output)", context)
    if block.cancelled:
        lines += wrap_plain("Cancelled", theme["error"], context.width)
    elif block.exit_code:
        lines += wrap_plain(f"Exit code {block.exit_code}", theme["error"], context.width)
    if block.truncated and block.full_output_path:
        lines += hint(f"All of the output: {clean(block.full_output_path)}", context)
    if block.excluded:
        lines += hint("Not sent to the model", context)
    return [*lines, rule]


def summary_lines(block: SummaryBlock, context: Context, expanded: bool) -> list[Line]:
    """One row that stands for what is not in the context any more; expanded, with the summary."""
    if block.origin == "branch":
        what = "summary of a branch that was left"
    else:
        tokens = f"{block.tokens_before:,} tokens" if block.tokens_before else "the conversation"
        what = f"{tokens} condensed to a summary"
    return _labelled(block.origin, what, block.text, context, expanded)


def custom_lines(block: CustomBlock, context: Context, expanded: bool) -> list[Line]:
    """A message of an extension."""
    return _labelled(block.custom_type, "", block.text, context, True)


def _labelled(label: str, what: str, text: str, context: Context, expanded: bool) -> list[Line]:
    theme = context.theme
    more = "" if expanded else f" ({context.expand_key} to expand)"
    title = [
        (f"[{clean(label)}]", theme["customMessageLabel"]),
        (f" {what}" if what else "", Style.null()),
    ]
    lines = wrap([*title, (more, theme["dim"])], context.width)
    if expanded and text.strip():
        lines += [Line(), *markdown_lines(clean(text), theme, theme["customMessageText"], context.width)]
    return tint([Line(), *lines, Line()], theme["customMessageBg"])


def narrowed(context: Context, cells: int) -> Context:
    """`context` with `cells` less to draw in, but never less than one."""
    return replace(context, width=max(context.width - cells, 1))
