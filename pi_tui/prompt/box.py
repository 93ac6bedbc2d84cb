"""The prompt box: what the user writes to the agent. It posts messages and knows nothing of who answers them."""

import time
from collections.abc import Callable, Iterable
from typing import Final

from textual import events
from textual.actions import SkipAction
from textual.geometry import Size
from textual.message import Message
from textual.widgets.text_area import Edit, EditResult

from pi_tui.keys import Keymap, to_textual
from pi_tui.prompt.completion import ROWS, CompletionMenu, CompletionSource
from pi_tui.prompt.editor import Editor
from pi_tui.prompt.history import History, HistoryStore
from pi_tui.prompt.paste_store import clean_text
from pi_tui.theme import Token, current_theme

TWICE_WITHIN: Final = 0.5
"""Seconds within which Ctrl+C twice quits."""
_MENU_ACTIONS: Final = (
    *("tui.select.up", "tui.select.down", "tui.select.pageUp", "tui.select.pageDown"),
    *("tui.select.cancel", "tui.input.tab", "tui.input.submit"),
)
"""What keys do while the completion menu is open."""
LARGE: Final = 20_000
"""Characters above which a text that is put back shows as a marker: the editor is slow with very long texts."""


class PromptBox(Editor):
    """Grows with its text to 30 % of the screen (5 rows at least); then its frame says how much is out of view."""

    DEFAULT_CSS = """
    PromptBox, PromptBox:focus {
        height: auto;
        width: 1fr;
        border: none;
        border-top: solid ansi_default;
        border-bottom: solid ansi_default;
        padding: 0 1;
        background: transparent;
        scrollbar-size: 0 0;
        border-title-align: left;
        border-subtitle-align: left;
    }
    """

    class Submitted(Message):
        """Enter: send `text` (markers expanded, blank ends cut off; never empty)."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class FollowUp(Message):
        """Alt+Enter: queue `text` for when the agent is done."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class QuitArmed(Message):
        """Ctrl+C: the prompt is empty now, and a second Ctrl+C within `TWICE_WITHIN` seconds quits."""

    class QuitRequested(Message):
        """Ctrl+C twice, or Ctrl+D on an empty prompt."""

    def __init__(
        self,
        *,
        keymap: Keymap | None = None,
        history: HistoryStore | None = None,
        menu: CompletionMenu | None = None,
        complete: CompletionSource | None = None,
        placeholder: str = "",
        id: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`menu` is a widget that the app puts above the prompt; `complete` says what it offers."""
        self._past = History(history)
        self._recalling = False
        self._menu = menu
        self._complete = complete
        self._menu_keys: dict[str, str] = {}
        self._clock = clock
        self._interrupted = float("-inf")
        self._frame: Token = "border"
        self._frame_shown: tuple[str, Token] | None = None
        super().__init__(keymap=keymap, placeholder=placeholder, id=id)

    # --- for the app

    def set_text(self, text: str) -> None:
        """Replace the text, cursor at its end."""
        self.replace_all(self._fitting(text))

    def append_text(self, text: str) -> None:
        """Add to the end of the text, cursor behind it."""
        self.replace_all(self.text + self._fitting(text))

    def restore(self, texts: Iterable[str]) -> None:
        """Put queued texts back: before what is being written, separated by blank lines, cursor at the end."""
        parts = [*map(self._fitting, texts), self.text]
        self.replace_all("\n\n".join(part for part in parts if part.strip()))

    def clear_text(self) -> None:
        """Empty the prompt. The text stays within reach: Up calls it back, and so does undo."""
        self._past.add(self.expanded_text)
        self.replace_all("")

    def leave_bash_mode(self) -> bool:
        """Empty the prompt if it holds a `!` command. True when it did: the Escape is used up."""
        if not self.in_bash_mode:
            return False
        self.clear_text()
        return True

    @property
    def in_bash_mode(self) -> bool:
        """The text is a `!` command."""
        return self.document[0].startswith("!")

    def seed_history(self, texts: Iterable[str]) -> None:
        """Make the user's messages of a resumed session, oldest first, the newest of the history."""
        self._past.seed(texts)

    def set_frame(self, token: Token) -> None:
        """Colour of the frame, normally that of the thinking level. A `!` command has its own."""
        self._frame = token
        self._paint_frame()

    def use_keymap(self, keymap: Keymap) -> None:
        super().use_keymap(keymap)
        clear = keymap.keys("app.clear")
        self._menu_keys = {
            name: action
            for action in _MENU_ACTIONS
            for key in keymap.keys(action)
            if action != "tui.select.cancel" or key not in clear
            for name in to_textual(key)
        }

    # --- sending

    def action_submit(self) -> None:
        row, column = self.cursor_location
        if self.selection.is_empty and column and self.document[row][column - 1] == "\\":
            self._replace_via_keyboard("\n", (row, column - 1), (row, column))
        elif text := self._take():
            self.post_message(self.Submitted(text))

    def action_message_follow_up(self) -> None:
        if text := self._take():
            self.post_message(self.FollowUp(text))

    def action_new_line(self) -> None:
        self._replace_via_keyboard("\n", *self.selection)

    def action_tab(self) -> None:
        """Offer what can be completed. Without anything to offer Tab does nothing; it never moves the focus away."""
        self._offer()

    def _take(self) -> str:
        """The text to send, which leaves the prompt; "" when there is none."""
        text = self.expanded_text.strip()
        if not text:
            return ""
        if not text.startswith("/") or len(text.split(maxsplit=1)) > 1:  # bare commands are not worth recalling
            self._past.add(text)
        self._past.stop()
        self.load_text("")
        self.pastes.clear()
        return text

    # --- completion

    def _offer(self) -> None:
        if self._menu is not None and self._complete is not None:
            row, column = self.cursor_location
            text = self.document[0][:column] if row == 0 and self.document.line_count == 1 else ""
            self._menu.offer(self._complete(text) if text else ())

    async def _run_bound(self, event: events.Key) -> None:
        if self._menu is None or not self._menu.is_open or not self._use_menu(event.key, self._menu):
            await super()._run_bound(event)
        else:
            event.stop()

    def _use_menu(self, key: str, menu: CompletionMenu) -> bool:
        """Answer a key while the menu is open. False when the key has no meaning there."""
        chosen = menu.chosen
        match self._menu_keys.get(key):
            case "tui.select.up":
                menu.move(-1)
            case "tui.select.down":
                menu.move(1)
            case "tui.select.pageUp":
                menu.move(-ROWS)
            case "tui.select.pageDown":
                menu.move(ROWS)
            case "tui.select.cancel":
                menu.offer(())
            case "tui.input.tab" | "tui.input.submit" as action if chosen is not None:
                self._replace_via_keyboard(chosen.value, (0, 0), self.cursor_location)
                menu.offer(())
                if action == "tui.input.submit" and chosen.final:
                    self.action_submit()
            case _:
                return False
        return True

    # --- Ctrl+C and Ctrl+D

    def action_copy(self) -> None:
        """Copy the selection of the prompt or of the screen. Without one the key means `action_clear`."""
        text = self.pastes.expand(self.selected_text) or self.screen.get_selected_text()
        if not text:
            raise SkipAction
        self.app.copy_to_clipboard(text)
        self.screen.clear_selection()
        self.move_cursor(self.cursor_location)

    def action_clear(self) -> None:
        now, last = self._clock(), self._interrupted
        self._interrupted = now
        if self.text:
            self.clear_text()
        elif now - last <= TWICE_WITHIN:
            self.post_message(self.QuitRequested())
            return
        self.post_message(self.QuitArmed())

    def action_exit(self) -> None:
        if self.text:
            raise SkipAction
        self.post_message(self.QuitRequested())

    # --- history

    def action_cursor_up(self, select: bool = False) -> None:
        if select or not self.on_first_row:
            super().action_cursor_up(select)
        elif self._past.browsing or self.cursor_location[1] == 0:
            self.action_history_previous()
        else:
            self.action_cursor_line_start()

    def action_cursor_down(self, select: bool = False) -> None:
        if select or not self.on_last_row:
            super().action_cursor_down(select)
        elif self._past.browsing:
            self.action_history_next()
        else:
            self.action_cursor_line_end()

    def action_history_previous(self) -> None:
        if (text := self._past.previous(self.text)) is not None:
            self._recall(text)
            self.move_cursor((0, 0))

    def action_history_next(self) -> None:
        if (text := self._past.next()) is not None:
            self._recall(text)

    def _recall(self, text: str) -> None:
        self._recalling = True
        self.replace_all(self._fitting(text))
        self._recalling = False

    def edit(self, edit: Edit) -> EditResult:
        if not self._recalling:
            self._past.stop()
        return super().edit(edit)

    def _fitting(self, text: str) -> str:
        """A foreign text as the prompt holds it; a very long one becomes a marker."""
        text = clean_text(text)
        return self.pastes.put(text) if len(text) > LARGE else text

    # --- size and frame

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        most = max(1, min(max(5, viewport.height * 3 // 10), viewport.height - 5))
        return max(1, min(self.wrapped_document.height, most))

    def on_mount(self) -> None:
        self.watch(self.app, "theme", self._paint_frame)

    def on_resize(self, _event: events.Resize) -> None:
        self.scroll_cursor_visible()
        self.call_after_refresh(self.rows_changed)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.rows_changed()

    def text_changed(self) -> None:
        self._paint_frame()
        self._offer()

    def rows_changed(self) -> None:
        """Say in the frame how many rows are out of view above and below."""
        above = round(self.scroll_y)
        below = self.wrapped_document.height - above - self.content_size.height
        self.border_title = f"↑ {above} more" if above > 0 else ""
        self.border_subtitle = f"↓ {below} more" if below > 0 and self.is_mounted else ""

    def _paint_frame(self) -> None:
        token: Token = "bashMode" if self.in_bash_mode else self._frame
        theme = current_theme()
        if (shown := (theme.name, token)) != self._frame_shown:
            self._frame_shown = shown
            color = theme.color(token) or "ansi_default"
            self.styles.border_top = ("solid", color)
            self.styles.border_bottom = ("solid", color)
            self.styles.border_title_color = self.styles.border_subtitle_color = color
