"""The small rows that say how much is not shown."""

from __future__ import annotations

from pi_tui.render.context import Context
from pi_tui.render.line import Line
from pi_tui.render.wrap import wrap_plain


def hint(text: str, context: Context) -> list[Line]:
    """A dim remark."""
    return wrap_plain(text, context.theme["dim"], context.width)


def more(count: int, what: str, context: Context) -> list[Line]:
    """Say that `count` lines are not shown and how to see them; nothing when there are none."""
    if count <= 0:
        return []
    lines = "line" if count == 1 else "lines"
    return hint(f"… {count:,} {what} {lines}, {context.expand_key} to expand", context)


def seconds(duration: float) -> str:
    """`0.4s`, `12s`, `3m 05s`, `1h 02m`."""
    if duration < 10:
        return f"{duration:.1f}s"
    if duration < 60:
        return f"{duration:.0f}s"
    minutes = int(duration // 60)
    return f"{minutes}m {int(duration % 60):02d}s" if minutes < 60 else f"{minutes // 60}h {minutes % 60:02d}m"
