"""One list to choose from, with a search line: data in, the chosen key out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option


@dataclass(frozen=True, slots=True)
class Choice:
    """A row: what is returned, what is shown, and a dimmer remark behind it."""

    key: str
    label: str
    remark: str = ""


class Picker(ModalScreen[str | None]):
    """Dismisses with the key of the chosen row, or None. Typing filters: every word must occur in label or remark."""

    DEFAULT_CSS = """
    Picker { align: center middle; background: $background 60%; }
    Picker > Vertical { width: 80%; max-width: 90; height: auto; max-height: 80%; border: round $primary; }
    Picker > Vertical { padding: 0 1; }
    Picker Input, Picker Input:focus { border: none; height: 1; padding: 0; background: transparent; }
    Picker OptionList, Picker OptionList:focus { border: none; height: auto; max-height: 20; padding: 0; }
    Picker OptionList, Picker OptionList:focus { background: transparent; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "dismiss", show=False, priority=True, id="tui.select.cancel"),
        Binding("up", "move('cursor_up')", show=False, priority=True, id="tui.select.up"),
        Binding("down", "move('cursor_down')", show=False, priority=True, id="tui.select.down"),
        Binding("pageup", "move('page_up')", show=False, priority=True, id="tui.select.pageUp"),
        Binding("pagedown", "move('page_down')", show=False, priority=True, id="tui.select.pageDown"),
        Binding("enter", "confirm", show=False, priority=True, id="tui.select.confirm"),
    ]

    def __init__(self, title: str, choices: Sequence[Choice], *, search: str = "", current: str = "") -> None:
        super().__init__()
        self._title = title
        self._choices = tuple(choices)
        self._search = search
        self._current = current

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(Text(self._title, style="bold"))
            yield Input(value=self._search, placeholder="type to search")
            yield OptionList()

    def on_mount(self) -> None:
        self._fill(self._search)
        self.query_one(Input).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        self._fill(event.value)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)

    def action_move(self, motion: str) -> None:
        """Move in the list while the search line keeps the keys."""
        getattr(self.query_one(OptionList), f"action_{motion}")()

    def action_confirm(self) -> None:
        """Choose the highlighted row."""
        self.query_one(OptionList).action_select()

    def _fill(self, search: str) -> None:
        words = search.lower().split()
        rows = [c for c in self._choices if all(word in f"{c.label} {c.remark}".lower() for word in words)]
        options = self.query_one(OptionList)
        options.clear_options()
        for choice in rows:
            mark = "✓ " if choice.key == self._current else "  "
            options.add_option(Option(Text.assemble(mark + choice.label, (f"  {choice.remark}", "dim")), choice.key))
        if rows:
            keys = [choice.key for choice in rows]
            options.highlighted = keys.index(self._current) if self._current in keys else 0
