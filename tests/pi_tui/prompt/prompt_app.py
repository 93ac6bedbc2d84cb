"""An app that holds only a prompt box and writes down what it posts."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from pi_tui.keys import Keymap
from pi_tui.prompt.box import PromptBox
from pi_tui.prompt.completion import CompletionMenu, CompletionSource
from pi_tui.prompt.history import HistoryStore


class PromptApp(App[None]):
    ENABLE_COMMAND_PALETTE = False
    CSS = "Screen { align: left bottom; }"

    def __init__(
        self,
        *,
        keymap: Keymap | None = None,
        history: HistoryStore | None = None,
        complete: CompletionSource | None = None,
    ) -> None:
        super().__init__(ansi_color=True)
        self.now = 100.0
        self.menu = CompletionMenu()
        self.box = PromptBox(
            keymap=keymap,
            history=history,
            menu=self.menu,
            complete=complete,
            placeholder="Ask",
            clock=lambda: self.now,
        )
        self.posted: list[str] = []
        self.copied: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.menu
        yield self.box

    def on_mount(self) -> None:
        self.box.focus()

    def copy_to_clipboard(self, text: str) -> None:
        self.copied.append(text)

    def on_prompt_box_submitted(self, message: PromptBox.Submitted) -> None:
        self.posted.append(f"submit {message.text}")

    def on_prompt_box_follow_up(self, message: PromptBox.FollowUp) -> None:
        self.posted.append(f"follow up {message.text}")

    def on_prompt_box_quit_armed(self) -> None:
        self.posted.append("armed")

    def on_prompt_box_quit_requested(self) -> None:
        self.posted.append("quit")

    async def on_key(self, event: events.Key) -> None:
        self.posted.append(f"up to the app: {event.key}")


@asynccontextmanager
async def prompt(
    *,
    keymap: Keymap | None = None,
    history: HistoryStore | None = None,
    complete: CompletionSource | None = None,
    size: tuple[int, int] = (80, 24),
) -> AsyncGenerator[tuple[Pilot[None], PromptApp], None]:
    """The app, running."""
    app = PromptApp(keymap=keymap, history=history, complete=complete)
    async with app.run_test(size=size) as pilot:
        yield pilot, app


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, all at once as a fast link delivers them; a single character types itself."""
    for key in keys:
        pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))
    await pilot.pause()


async def type_text(pilot: Pilot[None], text: str) -> None:
    """Type printable characters."""
    await press(pilot, *text)


async def paste(pilot: Pilot[None], text: str) -> None:
    pilot.app.post_message(events.Paste(text))
    await pilot.pause()
