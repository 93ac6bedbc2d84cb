"""What all tool calls have in common: status glyph, title, timer, background."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rich.segment import Segment

from core.ai.wire import Json
from pi_tui.model.blocks import ToolBlock, ToolStatus
from pi_tui.model.fold import plain_text
from pi_tui.render.context import Context
from pi_tui.render.hints import seconds
from pi_tui.render.line import BOLD, Line, Run, indent, tint
from pi_tui.render.messages import narrowed
from pi_tui.render.output import head, whole
from pi_tui.render.text import clean, image_label
from pi_tui.render.wrap import wrap
from pi_tui.theme import STATUS, Status

ERROR_ROWS = 20
"""Lines of a failure that are shown collapsed."""
INDENT = 2
"""Cells of the status glyph and the space after it; the body hangs under the title."""

_MARKS: dict[ToolStatus, Status] = {
    "pending": "waiting",
    "running": "running",
    "ok": "done",
    "error": "failed",
    "aborted": "stopped",
}


@dataclass(frozen=True, slots=True)
class Call:
    """A call as a face sees it: `text` is the result, or the live output while it runs.

    What a face reads here is clean, except in a `raw` call, which is for guessing heights and never shown.
    """

    block: ToolBlock
    arguments: Mapping[str, Json]
    text: str
    expanded: bool
    raw: bool = False

    @property
    def failed(self) -> bool:
        """True for an error or an abort."""
        return self.block.status in ("error", "aborted")

    def argument(self, *names: str) -> str:
        """Return the first of these arguments as clean text, empty where none is there."""
        for name in names:
            value = self.arguments.get(name)
            if value is not None:
                return self.fit(value if isinstance(value, str) else str(value))
        return ""

    def fit(self, text: str) -> str:
        """Return foreign text made fit to be shown."""
        return text if self.raw else clean(text)


@dataclass(frozen=True, slots=True)
class Face:
    """How one tool looks. `title` gives the first row's runs, `body` the rows under it.

    `guess` tells about how many rows the body takes at a width. `timed` shows the time of short calls too; calls of a
    `compact` tool follow each other without a blank row.
    """

    title: Callable[[Call, Context], list[Run]]
    body: Callable[[Call, Context], list[Line]]
    guess: Callable[[Call, int], int]
    timed: bool = False
    compact: bool = False


def tool_lines(block: ToolBlock, face: Face, context: Context, expanded: bool) -> list[Line]:
    """Lay out a tool call."""
    theme = context.theme
    glyph, word, colour, background = STATUS[_MARKS[block.status]]
    call = call_of(block, expanded)
    inner = narrowed(context, INDENT if context.width >= 12 else 0)
    title = face.title(call, inner)
    if call.failed:
        title.append((f"  {word}", theme[colour]))
    timer = _timer(block, face, context)
    if timer:
        title.append((f"  {timer}", theme["dim"]))
    mark = Segment(f"{glyph} ", theme[colour] + BOLD)
    if inner.width == context.width:
        return tint(
            [*wrap([(mark.text, theme[colour]), *title], inner.width), *face.body(call, inner)], theme[background]
        )
    lines = indent(wrap(title, inner.width), [mark], [Segment(" " * INDENT)], INDENT)
    pad = [Segment(" " * INDENT)]
    lines += indent(face.body(call, inner), pad, pad, INDENT)
    return tint(lines, theme[background])


def call_of(block: ToolBlock, expanded: bool, *, raw: bool = False) -> Call:
    """Return what a face gets to see of a block; cleaning a long result costs too much for a mere guess (`raw`)."""
    content = block.content
    if block.partial is not None and not block.settled:
        content = block.partial.content
    text = plain_text(content) if raw else clean(plain_text(content))
    images = [image_label(part.mime_type) for part in content if part.type == "image"]
    if images:
        text = "\n".join([text, *images] if text else images)
    return Call(block, block.shown_arguments(), text, expanded, raw)


def error_lines(call: Call, context: Context) -> list[Line]:
    """The text of a failure, of a long one the begin: it is what a person has to see."""
    text, style = call.text.strip("\n") or "(no message)", context.theme["error"]
    return whole(text, style, context) if call.expanded else head(text, ERROR_ROWS, style, context)


def _timer(block: ToolBlock, face: Face, context: Context) -> str:
    if block.status == "running" and block.started_at is not None:
        elapsed = int(context.clock() - block.started_at)
        return seconds(elapsed).replace(".0s", "s") if elapsed >= 1 else ""
    if block.duration_ms is None or not (face.timed or block.duration_ms >= 1000):
        return ""
    return seconds(block.duration_ms / 1000)
