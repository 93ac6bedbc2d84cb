"""The app: folds events into the state, hands changes to the widgets, and turns keys into commands."""

from __future__ import annotations

import os
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType

from core.agent.events import EventBase
from core.ai.registry import preload
from pi_tui.commands import parse
from pi_tui.errors import StartError
from pi_tui.keys import bindings_for
from pi_tui.model import Changes, NoticeBlock, State, append_block, fold_messages, reduce
from pi_tui.options import Options
from pi_tui.panels.widgets import ActivityLine, Footer, QueueStrip
from pi_tui.prompt import PromptBox
from pi_tui.screen_texts import farewell, header_lines, help_text, window_title
from pi_tui.term.app import TerminalApp
from pi_tui.term.messages import TerminalBackground, TerminationRequested
from pi_tui.theme import Theme, built_in, color_depth, dark_background, use_theme
from pi_tui.transcript import TranscriptView
from pi_tui.wiring import Wired

SMALL_ROWS, TINY_ROWS = 16, 9
"""Heights below which the second footer line, and then footer and activity line, leave their room to the transcript."""


class PiApp(TerminalApp[int]):
    """The interactive screen over one conductor. Exits with the process's exit code."""

    CSS = """
    Screen { layout: vertical; background: ansi_default; }
    Screen.small Footer { height: 1; }
    Screen.tiny Footer, Screen.tiny ActivityLine { display: none; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("app"), *bindings_for("transcript")]

    def __init__(self, wired: Wired, options: Options) -> None:
        super().__init__()
        self._conductor = wired.conductor
        self._options = options
        self._notices = wired.notices
        self._state = State.with_header(*header_lines(self._conductor.model))
        self._unknown_command = ""
        self._leaving = False
        self._use(built_in(dark_background(os.environ) is not False, color_depth(os.environ)))

    def compose(self) -> ComposeResult:
        conductor = self._conductor
        yield TranscriptView(self._state, self._theme_now.palette, backlog=lambda: self.queue_depth)
        yield QueueStrip(self._state)
        yield ActivityLine(self._state)
        yield PromptBox()
        yield Footer(self._state, self._options.cwd, lambda: conductor.model, lambda: conductor.thinking_level)
