"""The text editor of the prompt: Textual's text area with pi's keys, a kill ring and markers for long pastes."""

from typing import ClassVar, Literal

from textual import events
from textual.actions import SkipAction
from textual.binding import BindingType
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult, Location, Selection

from pi_tui.keys import Keymap
from pi_tui.keys.bindings import bindings_for, rebind
from pi_tui.prompt.kill_ring import KillRing
from pi_tui.prompt.paste_store import PasteStore, clean_text


class Editor(TextArea, inherit_bindings=False):
    """Multi-line editor whose keys all come from the table. The marker of a long paste acts as one character."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("prompt")]

    def __init__(self, *, keymap: Keymap | None = None, placeholder: str = "", id: str | None = None) -> None:
        self.pastes = PasteStore()
        self._kills = KillRing()
        self._edits = 0
        self._after_kill: tuple[int, Selection] | None = None
        self._after_yank: tuple[int, Selection, Location] | None = None
        self._jump: Literal["forward", "backward"] | None = None
        self._styles_stale = True
        super().__init__(
            id=id, placeholder=placeholder, highlight_cursor_line=False, max_checkpoints=200, tab_behavior="focus"
        )
        # nobody asks for these, and each costs a key a quarter of a millisecond on its way up
        self.disable_messages(TextArea.Changed, TextArea.SelectionChanged)
        self.set_reactive(TextArea.cursor_blink, False)
        self.set_reactive(TextArea.match_cursor_bracket, False)
        self.use_keymap(keymap or Keymap())

    def use_keymap(self, keymap: Keymap) -> None:
        """Take the keys from `keymap` from now on."""
        rebind(self, bindings_for("prompt", keymap))

    @property
    def expanded_text(self) -> str:
        """The text with what was pasted in place of the markers."""
        return self.pastes.expand(self.text)

    def replace_all(self, text: str) -> None:
        """Replace the text, cursor at its end. `text` may hold markers; undo brings the old text back."""
        self.history.checkpoint()
        self.replace(text, (0, 0), self.document.end, maintain_selection_offset=False)

    def text_changed(self) -> None:
        """Called after each change of the text, before it is laid out."""

    def rows_changed(self) -> None:
        """Called when the text has come to need more or fewer rows."""

    def update_suggestion(self) -> None:
        self.text_changed()

    # --- typing and pasting

    async def _on_key(self, event: events.Key) -> None:
        event.prevent_default()  # the text area would take Enter as a character
        character = event.character
        jump, self._jump = self._jump, None
        if not character or character < " " or "\x7f" <= character <= "\x9f":
            await self._run_bound(event)
            return
        event.stop()
        if jump is not None:
            self._jump_to(character, jump)
            return
        row, column = self.selection.start
        if not character.isspace() and column and self.document[row][column - 1].isspace():
            self.history.checkpoint()  # one undo takes back one word
        self._replace_via_keyboard(character, *self.selection)

    async def _run_bound(self, event: events.Key) -> None:
        """Run the action of a key here and now.

        Left to Textual the key would first go up to the app, and keys typed after it would be taken before it.
        """
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            if await self.app.run_action(binding.action, self):
                event.stop()
                return

    async def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        text = clean_text(event.text)
        if not text:
            return
        row, column = min(self.selection)
        if text.startswith(("/", "~/", "./", "../")) and "\n" not in text and column:
            before = self.document[row][column - 1]
            text = f" {text}" if before.isalnum() or before == "_" else text  # a dropped file right after a word
        self._replace_via_keyboard(self.pastes.put(text), *self.selection)

    # --- markers are one character

    def _validate_selection(self, selection: Selection) -> Selection:
        selection = super()._validate_selection(selection)
        if not self.pastes:
            return selection
        forward = selection.end > self.selection.end
        return Selection(self._outside(selection.start, forward), self._outside(selection.end, forward))

    def _outside(self, location: Location, forward: bool) -> Location:
        """`location`, or the edge of the marker that it is inside of."""
        row, column = location
        for start, end in self.pastes.spans(self.document[row]):
            if start < column < end:
                return row, end if forward else start
        return location

    def _delete_via_keyboard(self, start: Location, end: Location) -> EditResult | None:
        return self._replace_via_keyboard("", start, end)

    def _replace_via_keyboard(self, insert: str, start: Location, end: Location) -> EditResult | None:
        start, end = sorted((start, end))
        if start != end and self.pastes:
            start, end = self._outside(start, False), self._outside(end, True)
        return super()._replace_via_keyboard(insert, start, end)

    def edit(self, edit: Edit) -> EditResult:
        self._edits += 1
        return super().edit(edit)

    def _refresh_size(self) -> None:
        before = self.virtual_size
        super()._refresh_size()
        if self.virtual_size != before and self.is_mounted:
            self.scroll_cursor_visible()  # the text area scrolls before it knows how far it can
            self.rows_changed()

    # --- deleting and the kill ring

    def action_delete_char_backward(self) -> None:
        self.action_delete_left()

    def action_delete_char_forward(self) -> None:
        self.action_delete_right()

    def action_delete_word_backward(self) -> None:
        self._kill(self.get_cursor_word_left_location(), forward=False)

    def action_delete_word_forward(self) -> None:
        self._kill(self.get_cursor_word_right_location(), forward=True)

    def action_delete_to_line_start(self) -> None:
        row, column = self.cursor_location
        self._kill((row, 0) if column else self.get_cursor_left_location(), forward=False)

    def action_delete_to_line_end(self) -> None:
        row, column = self.cursor_location
        end = len(self.document[row])
        self._kill((row, end) if column < end else self.get_cursor_right_location(), forward=True)

    def _kill(self, to: Location, *, forward: bool) -> None:
        """Delete from the cursor to `to`, or the selection, and keep what was deleted."""
        start, end = self.selection if not self.selection.is_empty else (self.cursor_location, to)
        joined = self._after_kill == (self._edits, self.selection)
        result = self._delete_via_keyboard(start, end)
        if result is not None:
            self._kills.kill(result.replaced_text, forward=forward, joined=joined)
        self._after_kill = (self._edits, self.selection)

    def action_yank(self) -> None:
        self._yank(self._kills.yank(), *sorted(self.selection))

    def action_yank_pop(self) -> None:
        if self._after_yank is None or self._after_yank[:2] != (self._edits, self.selection):
            raise SkipAction
        self._yank(self._kills.rotate(), self._after_yank[2], self.cursor_location)

    def _yank(self, text: str, start: Location, end: Location) -> None:
        self._replace_via_keyboard(text, start, end)
        self._after_yank = (self._edits, self.selection, start)

    # --- moving

    @property
    def on_first_row(self) -> bool:
        """The cursor is on the first row of the first line, as wrapped."""
        return self.wrapped_document.location_to_offset(self.cursor_location).y == 0

    @property
    def on_last_row(self) -> bool:
        """The cursor is on the last row of the last line, as wrapped."""
        return self.wrapped_document.location_to_offset(self.cursor_location).y == self.wrapped_document.height - 1

    def action_cursor_line_start(self, select: bool = False) -> None:
        self.move_cursor((self.cursor_location[0], 0), select=select)

    def action_cursor_line_end(self, select: bool = False) -> None:
        row = self.cursor_location[0]
        self.move_cursor((row, len(self.document[row])), select=select)

    def action_page_up(self) -> None:
        self._need_pages()
        self.action_cursor_page_up()

    def action_page_down(self) -> None:
        self._need_pages()
        self.action_cursor_page_down()

    def _need_pages(self) -> None:
        """Leave the key to others when all of the text is in view."""
        if self.virtual_size.height <= self.content_size.height:
            raise SkipAction

    def action_select_left(self) -> None:
        self.action_cursor_left(select=True)

    def action_select_right(self) -> None:
        self.action_cursor_right(select=True)

    def action_select_up(self) -> None:
        super().action_cursor_up(select=True)

    def action_select_down(self) -> None:
        super().action_cursor_down(select=True)

    def action_select_line_start(self) -> None:
        self.action_cursor_line_start(select=True)

    def action_select_line_end(self) -> None:
        self.action_cursor_line_end(select=True)

    def action_jump_forward(self) -> None:
        self._jump = "forward"

    def action_jump_backward(self) -> None:
        self._jump = "backward"

    def _jump_to(self, character: str, direction: Literal["forward", "backward"]) -> None:
        """Move to the next `character` in `direction`, on this line or beyond; stay when there is none."""
        row, column = self.cursor_location
        forward = direction == "forward"
        rows = range(row, self.document.line_count) if forward else range(row, -1, -1)
        for number in rows:
            line = self.document[number]
            if forward:
                found = line.find(character, column + 1 if number == row else 0)
            else:
                found = line.rfind(character, 0, column if number == row else len(line))
            if found >= 0:
                self.move_cursor((number, found))
                return

    # --- painting

    def notify_style_update(self) -> None:
        self._styles_stale = True
        super().notify_style_update()

    def _set_theme(self, theme: str) -> None:
        self._styles_stale = True
        super()._set_theme(theme)

    def render_lines(self, crop: Region) -> list[Strip]:
        if self._styles_stale:
            # the text area looks its styles up for each paint, which is a fifth of the cost of a key
            self._styles_stale = False
            self._theme.apply_css(self)
        if self.has_focus:
            # where the input method opens its window; a layout may have moved us without the cursor moving
            self.app.cursor_position = self.cursor_screen_offset
        return super(TextArea, self).render_lines(crop)
