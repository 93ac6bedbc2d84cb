"""The menu above the prompt that completes what is being typed. What can be completed comes from a function."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.widget import Widget

from pi_tui.term.safe import safe_line
from pi_tui.theme import current_theme

ROWS: Final = 5
"""Rows of the menu; a last one tells the position when there are more items than rows."""


class Completion(NamedTuple):
    """One item: `value` takes the place of the text before the cursor, `label` and `hint` are shown.

    `final` says that Enter accepts and sends; otherwise it accepts and the text can be gone on with.
    """

    value: str
    label: str
    hint: str = ""
    final: bool = True


CompletionSource: TypeAlias = Callable[[str], Sequence[Completion]]
"""Items for the text before the cursor, best first; none when there is nothing to complete. Called at each key."""


class CompletionMenu(Widget):
    """Shows items and which one is chosen. Never takes the focus: `PromptBox` moves through it."""

    DEFAULT_CSS = "CompletionMenu { height: auto; width: 1fr; padding: 0 1; display: none; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._items: Sequence[Completion] = ()
        self._at = 0

    @property
    def is_open(self) -> bool:
        return bool(self._items)

    @property
    def chosen(self) -> Completion | None:
        return self._items[self._at] if self._items else None

    def offer(self, items: Sequence[Completion]) -> None:
        """Show `items`, the first one chosen; none closes the menu."""
        if items != self._items:
            self._items, self._at = items, 0
            self.display = bool(items)
            self.refresh(layout=True)

    def move(self, rows: int) -> None:
        """Choose another item; past the end comes the beginning, but a page stops there."""
        last = len(self._items) - 1
        at = self._at + rows
        self._at = max(0, min(at, last)) if abs(rows) > 1 else at % (last + 1)
        self.refresh()

    def render(self) -> Text:
        theme = current_theme()
        first = max(0, min(self._at - ROWS // 2, len(self._items) - ROWS))
        shown = self._items[first : first + ROWS]
        labels = [safe_line(item.label) for item in shown]
        width = max(map(cell_len, labels), default=0) + 2
        text = Text(no_wrap=True, overflow="ellipsis")
        for number, (item, label) in enumerate(zip(shown, labels, strict=True), first):
            chosen = number == self._at
            row = Text(
                f"{'→' if chosen else ' '} {set_cell_size(label, width)}", style=theme["accent"] if chosen else ""
            )
            row.append(safe_line(item.hint), style=theme["muted"])
            if chosen:
                row.stylize(theme["selectedBg"])
            text.append_text(row).append("\n")
        if len(self._items) > ROWS:
            text.append(f"  ({self._at + 1}/{len(self._items)})", style=theme["dim"])
        text.rstrip()
        return text
