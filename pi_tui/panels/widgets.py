"""The three panels as widgets. Each reads the state when it paints and keeps nothing of its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from rich.text import Text
from textual.containers import Vertical
from textual.timer import Timer
from textual.widget import Widget

from core.ai.model import Model
from pi_tui.model import State
from pi_tui.panels import figures
from pi_tui.panels.git_branch import git_branch
from pi_tui.theme import style_of

WARN_AT, ERROR_AT = 0.7, 0.9
"""Shares of the context window from which the footer warns, as in pi."""


class Pane(Vertical):
    """A container that paints nothing of its own, so that a change in one pane costs nothing in the other."""

    BLANK = True


class QueueStrip(Widget):
    """What waits to be sent; takes no room when nothing does."""

    DEFAULT_CSS = "QueueStrip { height: auto; padding: 0 1; }"

    def __init__(self, state: State) -> None:
        super().__init__()
        self.state = state
        self.display = False

    def update(self) -> None:
        """Show the queue as it is now."""
        queue = self.state.queue
        self.display = bool(queue.steering or queue.follow_up)
        self.refresh(layout=True)

    def render(self) -> Text:
        """One line per message."""
        lines = figures.queue_lines(self.state.queue, self.content_size.width or self.app.size.width - 2)
        return Text("\n".join(lines), style=style_of("dim"), no_wrap=True)


class ActivityLine(Widget):
    """What goes on, with a spinner and the time, and how far the view is from the end.

    Its clock stands still while nothing goes on. `rows_below` is 0 while the view follows the end.
    """

    DEFAULT_CSS = "ActivityLine { height: 1; padding: 0 1; }"

    def __init__(self, state: State, rows_below: Callable[[], int]) -> None:
        super().__init__()
        self.state = state
        self._rows_below = rows_below
        self._timer: Timer | None = None
        self._remark = ""

    def on_mount(self) -> None:
        self._timer = self.set_interval(1 / figures.SPINNER_RATE, self.refresh, pause=True)

    def update(self) -> None:
        """Show what goes on now."""
        if self._timer is not None:
            if self.state.activity.busy:
                self._timer.resume()
            else:
                self._timer.pause()
        self.refresh()

    def remark(self, text: str, seconds: float) -> None:
        """Show `text` for a while in place of what goes on."""
        self._remark = text
        self.refresh()
        self.set_timer(seconds, self._forget_remark)

    def _forget_remark(self) -> None:
        self._remark = ""
        self.refresh()

    def render(self) -> Text:
        """One line, empty when idle."""
        if self._remark:
            return Text(figures.clip(self._remark, self.content_size.width), style=style_of("dim"), no_wrap=True)
        width = self.content_size.width
        below = self._rows_below()
        hint = f"↓ {below} more rows · ctrl+end" if below > 0 and width >= 60 else ""
        line = figures.activity(self.state.activity, self.state.clock(), width - len(hint) - 2 if hint else width)
        text = Text(line, style=style_of("warning" if self.state.activity.retry else "accent"), no_wrap=True)
        if hint:
            text.append(" " * (width - text.cell_len - len(hint)) + hint, style=style_of("dim"))
        return text


class Footer(Widget):
    """Directory, branch and session; tokens, cost, context and model."""

    DEFAULT_CSS = "Footer { height: 2; padding: 0 1; }"

    def __init__(self, state: State, cwd: Path, model: Callable[[], Model], level: Callable[[], str]) -> None:
        super().__init__()
        self.state = state
        self._cwd = cwd
        self._model = model
        self._level = level
        self._branch: str | None = None
        self._read_at = 0.0

    def update(self) -> None:
        """Show the figures as they are now."""
        self.refresh()

    def _place(self) -> str:
        now = time.monotonic()
        if not self._read_at or now - self._read_at > 2:
            self._branch, self._read_at = git_branch(self._cwd), now
        place = figures.short_path(self._cwd, Path.home())
        return f"{place} ({figures.one_line(self._branch)})" if self._branch else place

    def render(self) -> Text:
        """Two lines."""
        width = self.content_size.width
        model = self._model()
        usage = figures.usage(self.state.totals, model)
        fullness = usage.fullness or 0.0
        context_style = "error" if fullness > ERROR_AT else "warning" if fullness > WARN_AT else "dim"
        level = f" • {self._level()}" if model.reasoning else ""
        right = Text(figures.clip(figures.one_line(f"{model.ref}{level}"), width), style=style_of("dim"))
        left = Text(f"{usage.text} " if usage.text else "", style=style_of("dim"))
        left.append(usage.context, style=style_of(context_style))
        gap = width - left.cell_len - right.cell_len
        second = left + Text(" " * gap) + right if gap > 0 else right
        first = Text(figures.clip(self._place(), width), style=style_of("dim"))
        return Text("\n", no_wrap=True).join([first, second])
