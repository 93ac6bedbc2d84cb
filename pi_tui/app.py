"""The app: folds events into the state, hands changes to the widgets, and turns keys into commands."""

from __future__ import annotations

import gc
import os
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.worker import Worker

from core.ai.messages import AssistantMessage, UserMessage
from core.session.agent_session import text_of
from core.session.events import SessionEvent
from pi_tui.commands import parse, suggestions
from pi_tui.errors import StartError
from pi_tui.external_editor import edited
from pi_tui.first_frame import PLACEHOLDER
from pi_tui.keys import Keymap
from pi_tui.keys.bindings import bindings_for, rebind
from pi_tui.model import Changes, NoticeBlock, State, TextBlock, TextBuffer, append_block, fold_messages, reduce
from pi_tui.panels.widgets import ActivityLine, Footer, Pane, QueueStrip
from pi_tui.preload import load_ahead
from pi_tui.prompt.box import TWICE_WITHIN, PromptBox
from pi_tui.prompt.completion import Completion, CompletionMenu
from pi_tui.prompt.history import HistoryStore
from pi_tui.screen_texts import farewell, header_lines, help_text, window_title
from pi_tui.term.app import TerminalApp
from pi_tui.term.early_frame import SMALL_ROWS, TINY_ROWS
from pi_tui.term.messages import TerminalBackground, TerminationRequested
from pi_tui.theme import built_in, color_depth, current_theme, dark_background, use_theme
from pi_tui.transcript import TranscriptView
from pi_tui.wiring import Wired

PRELOAD_AFTER = 0.1
"""Seconds after the first frame until what the first prompt needs is loaded."""


class PiApp(TerminalApp[int]):
    """The interactive screen over one conductor. Exits with the process's exit code."""

    CSS = """
    Screen { layout: vertical; background: ansi_default; }
    #top { height: 1fr; }
    #bottom { height: auto; }
    PromptBox .text-area--placeholder { color: ansi_default; text-style: dim; }
    Screen.small Footer { height: 1; }
    Screen.tiny Footer, Screen.tiny ActivityLine { display: none; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self, wired: Wired, *, keymap: Keymap, history: HistoryStore | None = None) -> None:
        super().__init__()
        self._wired = wired
        self._conductor = wired.conductor
        self._options = options = wired.options
        self._state = self._new_state()
        self._unknown_command = ""
        self._leaving = False
        self._preload_timer = None
        use_theme(built_in(dark_background(os.environ) is not False, color_depth(os.environ)))
        self.use_css_theme(current_theme().textual())
        self._view = TranscriptView(self._state, current_theme(), backlog=lambda: self.queue_depth)
        self._queue = QueueStrip(self._state)
        self._activity = ActivityLine(self._state, lambda: 0 if self._view.following else self._view.rows_below)
        self._menu = CompletionMenu()
        self._prompt = PromptBox(
            keymap=keymap,
            history=history,
            menu=self._menu,
            complete=self._complete,
            placeholder=PLACEHOLDER,
        )
        conductor = self._conductor
        self._footer = Footer(self._state, options.cwd, lambda: conductor.model, lambda: conductor.thinking_level)
        self._own_keymap = keymap

    # Life

    def compose(self) -> ComposeResult:
        with Pane(id="top"):
            yield self._view
        with Pane(id="bottom"):
            yield self._queue
            yield self._activity
            yield self._menu
            yield self._prompt
            yield self._footer

    def on_mount(self) -> None:
        rebind(self, [*bindings_for("app", self._own_keymap), *bindings_for("transcript", self._own_keymap)])
        self.set_window_title(window_title(self._options.cwd))
        self._prompt.focus()
        self._conductor.subscribe(self._on_event)
        if self._wired.settings.hide_thinking_block:
            self._view.thinking_hidden = True
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        """The first frame stands: show the history, say what is to be said, send what was given."""
        if not gc.isenabled():
            gc.freeze()  # what was loaded stays for the life of the process
            gc.enable()
        messages = self._conductor.messages
        if messages:
            fold_messages(messages, self._state)
            self._view.show(self._state)
            self._prompt.seed_history(text_of(m) for m in messages if isinstance(m, UserMessage))
            self._update_panels()
        for notice in (*self._wired.notices, *map(str, self._own_keymap.warnings)):
            self._say(notice, "warning")
        for index, text in enumerate(self._options.messages):
            self._conductor.follow_up(text) if index else self._conductor.submit(text)
        self._preload_timer = self.set_timer(PRELOAD_AFTER, self._preload)

    def _preload(self) -> None:
        self.run_worker(load_ahead(self._conductor.model.api), name="loading ahead", exit_on_error=False)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        error = event.worker.error
        if error is not None:
            self._say(f"{event.worker.name}: {type(error).__name__}: {error}", "error")

    async def action_quit(self) -> None:
        """Stop what runs, save, and leave; the last answer and the way back stay in the terminal."""
        await self._leave(0)

    def on_termination_requested(self, message: TerminationRequested) -> None:
        """A signal asks us to end: the same, with the exit code that says so."""
        message.prevent_default()
        self.run_worker(self._leave(128 + message.signum), name="leave", exit_on_error=False)

    async def _leave(self, code: int) -> None:
        if self._leaving:
            return
        self._leaving = True
        if self._prompt.text.strip():
            self._prompt.clear_text()  # a draft is kept in the history
        conductor = self._conductor
        try:
            await conductor.close()
        except OSError as error:
            self.exit(1, return_code=1, message=Text(f"The session could not be saved: {error}"))
            return
        saved = conductor.session_file is not None and conductor.session_file.exists()
        text = farewell(conductor.last_reply(), conductor.session_id, saved)
        self.exit(code, return_code=code, message=Text(text) if text and not code else None)

    # Events from below

    def _on_event(self, event: SessionEvent) -> None:
        self._apply(reduce(self._state, event))

    def _apply(self, changes: Changes) -> None:
        self._view.apply(changes)
        if changes.status:
            self._update_panels()

    def _update_panels(self) -> None:
        self._queue.update()
        self._activity.update()
        self._footer.update()

    def _say(self, text: str, level: str = "info") -> None:
        kind = "error" if level == "error" else "warning" if level == "warning" else "info"
        self._apply(append_block(self._state, NoticeBlock(kind, text)))

    # The prompt

    def show_typed(self, text: str) -> None:
        self._prompt.set_text(text)

    def on_prompt_box_submitted(self, message: PromptBox.Submitted) -> None:
        command = parse(message.text)
        if message.text.startswith("!"):
            self._explain("Commands of your own with ! are not supported yet", message.text)
        elif command is None:
            self._conductor.submit(message.text)
        elif command.command is None:
            self._explain(f"/{command.name} is not a command (see /help)", message.text)
        else:
            self.run_worker(command.command.run(self, command.arguments), name=f"/{command.name}", exit_on_error=False)

    def on_prompt_box_follow_up(self, message: PromptBox.FollowUp) -> None:
        self._conductor.follow_up(message.text)

    def on_prompt_box_quit_armed(self) -> None:
        self._activity.remark("Press ctrl+c again to quit", TWICE_WITHIN)

    async def on_prompt_box_quit_requested(self) -> None:
        await self.action_quit()

    def _complete(self, text: str) -> list[Completion]:
        """What can be completed before the cursor: a command's name, or the model of `/model`."""
        name, space, argument = text.partition(" ")
        if not text.startswith("/") or "\n" in text:
            return []
        if not space:
            found = suggestions(name[1:])
            return [Completion(f"/{c.name}", f"/{c.name} {c.arguments}".rstrip(), c.description) for c in found]
        if name != "/model":
            return []
        models = [m for m in self._conductor.composition.models() if argument.lower() in m.ref.lower()]
        return [Completion(f"/model {m.ref}", m.ref, m.name) for m in models if m.ref != argument]

    def _explain(self, problem: str, text: str) -> None:
        """What looks like a command and is none is explained first, and sent as a message when it is entered again."""
        if self._unknown_command == text:
            self._unknown_command = ""
            self._conductor.submit(text)
            return
        self._unknown_command = text
        self._prompt.set_text(text)
        self._say(f"{problem}. Enter sends it to the model as it is.", "warning")

    # Commands (the target of pi_tui.commands)

    def show_help(self) -> None:
        """Show commands and keys in the transcript."""
        block = TextBlock(final=True)
        block.text = TextBuffer(help_text())
        self._apply(append_block(self._state, block))

    async def choose_model(self, pattern: str) -> None:
        """Use the model that `pattern` names; without one, let the person choose."""
        if not pattern:
            pattern = await self._pick_model() or ""
            if not pattern:
                return
        try:
            model = self._conductor.set_model(pattern)
        except StartError as error:
            self._say(str(error), "error")
            return
        self._say(f"Model: {model.ref}")
        self._update_panels()
        self._preload()

    async def _pick_model(self) -> str | None:
        from pi_tui.overlays.picker import Choice, Picker

        models = self._conductor.composition.models()
        if not models:
            self._say(
                "There is no other model: set ANTHROPIC_API_KEY or OPENAI_API_KEY, or write models.json", "warning"
            )
            return None
        choices = [Choice(model.ref, model.ref, model.name) for model in models]
        picker = Picker("Model", choices, current=self._conductor.model.ref)
        return await self.push_screen_wait(picker)

    async def new_session(self) -> None:
        """Begin an empty session."""
        await self._conductor.new_session()
        self._state = self._new_state()
        self._queue.state = self._activity.state = self._footer.state = self._state
        self._view.show(self._state)
        self._update_panels()

    async def quit(self) -> None:
        """Leave."""
        await self.action_quit()

    def _new_state(self) -> State:
        return State.with_header(*header_lines(self._conductor.model))

    # Keys

    def action_interrupt(self) -> None:
        """Esc: stop what runs; what was queued comes back into the prompt."""
        if self._conductor.busy:
            self._prompt.restore(self._conductor.interrupt())
        else:
            self._prompt.leave_bash_mode()

    def action_message_dequeue(self) -> None:
        """Alt+Up: take queued messages back without stopping."""
        self._prompt.restore(self._conductor.take_back())

    def action_tools_expand(self) -> None:
        """Ctrl+O: all tool output in full, or folded."""
        self._view.tools_expanded = not self._view.tools_expanded

    def action_thinking_toggle(self) -> None:
        """Ctrl+T: the model's reasoning, or a label in its place."""
        self._view.thinking_hidden = not self._view.thinking_hidden

    def action_model_select(self) -> None:
        """Ctrl+L."""
        self.run_worker(self.choose_model(""), name="/model", exit_on_error=False)

    def action_message_copy(self) -> None:
        """Ctrl+X: copy the last reply."""
        text = next(
            (r.text for r in reversed(self._conductor.messages) if isinstance(r, AssistantMessage) and r.text), ""
        )
        if text:
            self.copy_to_clipboard(text)
        self._say("The last reply was copied." if text else "There is no reply to copy yet.")

    async def action_editor_external(self) -> None:
        """Ctrl+G: write the prompt in the person's editor; the agent goes on meanwhile."""
        problem = ""
        text = self._prompt.expanded_text
        with self.suspend():  # an exception that passed through it would leave the screen suspended
            try:
                text = await edited(text, self._wired.settings.external_editor)
            except (OSError, ValueError) as error:
                problem = str(error)
        if problem:
            self._say(f"The editor cannot be used: {problem}", "error")
        else:
            self._prompt.set_text(text)

    def action_suspend(self) -> None:
        """Ctrl+Z."""
        self.action_suspend_process()

    def action_view_page_up(self) -> None:
        self._view.action_page_up()

    def action_view_page_down(self) -> None:
        self._view.action_page_down()

    def action_view_half_page_up(self) -> None:
        self._view.action_half_page_up()

    def action_view_half_page_down(self) -> None:
        self._view.action_half_page_down()

    def action_view_line_up(self) -> None:
        self._view.action_line_up()

    def action_view_line_down(self) -> None:
        self._view.action_line_down()

    def action_view_top(self) -> None:
        self._view.action_to_top()

    def action_view_bottom(self) -> None:
        self._view.action_to_bottom()

    def action_view_previous_prompt(self) -> None:
        self._view.action_previous_prompt()

    def action_view_next_prompt(self) -> None:
        self._view.action_next_prompt()

    def on_transcript_view_follow_changed(self) -> None:
        self._activity.refresh()

    # The terminal

    def on_resize(self, event: events.Resize) -> None:
        rows = event.size.height
        self.screen.set_class(rows < SMALL_ROWS, "small")
        self.screen.set_class(rows < TINY_ROWS, "tiny")

    def on_terminal_background(self, message: TerminalBackground) -> None:
        """The terminal said what its background is: use the palette that is readable on it."""
        theme = built_in(message.dark, color_depth(os.environ))
        if theme.name != current_theme().name:
            use_theme(theme)
            self.use_css_theme(theme.textual())
            self._view.set_theme(theme)
            self._update_panels()
