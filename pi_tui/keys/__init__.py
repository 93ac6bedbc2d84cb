"""One table of what keys do: ids, default keys, descriptions; the user's overrides; translation to Textual's names.

Importing this package loads neither Textual nor JSON; only `pi_tui.keys.bindings` needs Textual.
"""

from pi_tui.keys.keymap import Keymap, KeymapWarning, load_keymap
from pi_tui.keys.names import InvalidKey, from_textual, label, parse_key, to_textual
from pi_tui.keys.table import ACTIONS, Action, Context, actions_for

__all__ = [
    "ACTIONS",
    "Action",
    "Context",
    "InvalidKey",
    "Keymap",
    "KeymapWarning",
    "actions_for",
    "from_textual",
    "label",
    "load_keymap",
    "parse_key",
    "to_textual",
]
