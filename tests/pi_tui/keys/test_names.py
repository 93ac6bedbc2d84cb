"""Key names in keybindings.json and in Textual."""

import pytest
from textual.keys import _character_to_key

from pi_tui.keys import InvalidKey, from_textual, label, parse_key, to_textual
from pi_tui.keys.names import SYMBOLS


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("ctrl+shift+up", "ctrl+shift+up"),
        ("shift+ctrl+p", "ctrl+shift+p"),
        ("Ctrl+O", "ctrl+o"),
        ("pageup", "pageUp"),
        ("esc", "escape"),
        ("return", "enter"),
        ("ctrl+]", "ctrl+]"),
        ("ctrl++", "ctrl++"),
        ("+", "+"),
        ("super+alt+f12", "alt+super+f12"),
        (" alt + x ", "alt+x"),
    ],
)
def test_a_key_has_one_spelling(text: str, name: str) -> None:
    assert parse_key(text) == name


@pytest.mark.parametrize(
    "text", ["", "ctrl+", "hyper+a", "ctrl+pagedn", "f13", "é", "ctrl+ab", "a+b", "++", "ctrl+shift"]
)
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(InvalidKey):
        parse_key(text)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("enter", ("enter",)),
        ("pageUp", ("pageup",)),
        ("ctrl+alt+]", ("alt+ctrl+right_square_bracket",)),
        ("shift+l", ("L",)),
        ("ctrl+shift+f", ("ctrl+shift+f",)),
        ("ctrl+-", ("ctrl+minus", "ctrl+underscore")),
        ("ctrl+space", ("ctrl+space", "ctrl+@")),
        ("alt++", ("alt+plus",)),
    ],
)
def test_textual_names(text: str, names: tuple[str, ...]) -> None:
    assert to_textual(text) == names
    assert from_textual(names[0]) == parse_key(text)


def test_symbols_are_spelled_as_textual_spells_them() -> None:
    assert {symbol: _character_to_key(symbol) for symbol in SYMBOLS} == SYMBOLS


def test_a_key_that_a_file_cannot_name_is_refused() -> None:
    with pytest.raises(InvalidKey):
        from_textual("media_play")


@pytest.mark.parametrize(
    ("text", "shown"),
    [("ctrl+o", "Ctrl+O"), ("escape", "Esc"), ("alt+up", "Alt+↑"), ("ctrl+-", "Ctrl+-"), ("f1", "F1")],
)
def test_labels(text: str, shown: str) -> None:
    assert label(text) == shown
