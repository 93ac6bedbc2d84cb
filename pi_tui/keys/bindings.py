"""Textual bindings made from the table. The only module of this package that needs Textual."""

from collections.abc import Collection

from textual.binding import Binding, BindingsMap
from textual.dom import DOMNode

from pi_tui.keys.keymap import Keymap
from pi_tui.keys.names import to_textual
from pi_tui.keys.table import Context, actions_for


def bindings_for(
    context: Context, keymap: Keymap | None = None, *, only: Collection[str] = (), priority: bool = False
) -> list[Binding]:
    """Bindings of the actions of `context` (of the ids in `only`, where given), in table order.

    Each binding carries the action's id, names the action's method and is hidden from footers. An action without keys
    has none. `priority` makes Textual ask before the focused widget sees the key. For a class:
    `BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("app")]`.
    """
    keymap = keymap or Keymap()
    bindings: list[Binding] = []
    for action in actions_for(context):
        if only and action.id not in only:
            continue
        names = [name for key in keymap.keys(action.id) for name in to_textual(key)]
        if names:
            keys = ",".join(dict.fromkeys(names))
            bindings.append(
                Binding(keys, action.method, action.description, show=False, priority=priority, id=action.id)
            )
    return bindings


def rebind(node: DOMNode, bindings: list[Binding]) -> None:
    """Replace all bindings of a widget, screen or app that is already made, for example after /reload.

    `App.set_keymap` is not used: it cannot take all keys away from an action, and on taking a key from one action it
    drops the other actions on that key.
    """
    node._bindings = BindingsMap(bindings)
    if node.is_attached:
        node.screen.refresh_bindings()
