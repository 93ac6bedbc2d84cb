"""Key names: the syntax of keybindings.json (`ctrl+shift+up`, `pageUp`, `ctrl+]`) and the names Textual gives events.

A name in a keybindings file is `modifier+...+key`. The modifiers are ctrl, shift, alt and super, in any order. Textual
sorts the modifiers, spells symbols out (`right_square_bracket`) and names a shifted letter by its capital.
"""

from functools import lru_cache

MODIFIERS = ("ctrl", "shift", "alt", "super")
"""The modifiers in the order in which they are written."""

SPECIAL = {
    "escape": "escape",
    "enter": "enter",
    "tab": "tab",
    "space": "space",
    "backspace": "backspace",
    "delete": "delete",
    "insert": "insert",
    "clear": "clear",
    "home": "home",
    "end": "end",
    "pageUp": "pageup",
    "pageDown": "pagedown",
    "up": "up",
    "down": "down",
    "left": "left",
    "right": "right",
    **{f"f{number}": f"f{number}" for number in range(1, 13)},
}
"""Named keys as written in a keybindings file -> the name Textual uses."""

SYMBOLS = {
    "!": "exclamation_mark",
    '"': "quotation_mark",
    "#": "number_sign",
    "$": "dollar_sign",
    "%": "percent_sign",
    "&": "ampersand",
    "'": "apostrophe",
    "(": "left_parenthesis",
    ")": "right_parenthesis",
    "*": "asterisk",
    "+": "plus",
    ",": "comma",
    "-": "minus",
    ".": "full_stop",
    "/": "slash",
    ":": "colon",
    ";": "semicolon",
    "<": "less_than_sign",
    "=": "equals_sign",
    ">": "greater_than_sign",
    "?": "question_mark",
    "@": "at",
    "[": "left_square_bracket",
    "\\": "backslash",
    "]": "right_square_bracket",
    "^": "circumflex_accent",
    "_": "underscore",
    "`": "grave_accent",
    "{": "left_curly_bracket",
    "|": "vertical_line",
    "}": "right_curly_bracket",
    "~": "tilde",
}
"""ASCII symbols -> the name Textual uses."""

_ALIASES = {"esc": "escape", "return": "enter"}
_BY_LOWER = {name.lower(): name for name in SPECIAL}
_FROM_TEXTUAL = {textual: name for name, textual in (SPECIAL | SYMBOLS).items()}
_TWINS = {
    "ctrl+-": "ctrl+underscore",
    "ctrl+/": "ctrl+underscore",
    "ctrl+space": "ctrl+@",
    "ctrl+6": "ctrl+circumflex_accent",
}
"""Keys whose byte on a terminal without an extended keyboard protocol is the one of another key."""

_LABELS = {
    "escape": "Esc",
    "pageUp": "PgUp",
    "pageDown": "PgDn",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "delete": "Del",
}


class InvalidKey(ValueError):
    """A text that is not the name of a key."""


def parse_key(text: str) -> str:
    """Bring the key name `text` into its one spelling: modifiers in fixed order, `pageUp`, `escape`, `enter`.

    Raises InvalidKey, whose message names the faulty part.
    """
    head, _, tail = text.strip().rpartition("+")
    if text.strip() == "+":
        tail = "+"
    elif head.endswith("+") and head != "+":  # "ctrl++": the key itself is "+"
        head, tail = head[:-1], "+"
    modifiers = [part.strip().lower() for part in head.split("+")] if head else []
    for modifier in modifiers:
        if modifier not in MODIFIERS:
            raise InvalidKey(f"{modifier!r} in {text!r} is not a modifier; use ctrl, shift, alt or super")
    key = tail.strip()
    lower = key.lower()
    lower = _ALIASES.get(lower, lower)
    if lower in _BY_LOWER:
        key = _BY_LOWER[lower]
    elif len(lower) == 1 and (key in SYMBOLS or (lower.isascii() and lower.isalnum())):
        key = lower
    else:
        raise InvalidKey(
            f"{text!r} does not end in a key name; write a letter, a digit, a symbol or a name like pageUp"
        )
    return "+".join([*(modifier for modifier in MODIFIERS if modifier in modifiers), key])


@lru_cache(maxsize=512)
def to_textual(text: str) -> tuple[str, ...]:
    """Names of the Textual key events that mean the key `text`, the main one first. Raises InvalidKey."""
    name = parse_key(text)
    modifiers, key = _split(name)
    if modifiers == ["shift"] and key.isalpha() and len(key) == 1:
        return (key.upper(),)
    base = SPECIAL.get(key) or SYMBOLS.get(key) or key
    main = "+".join([*sorted(modifiers), base])
    twin = _TWINS.get(name)
    return (main, twin) if twin and twin != main else (main,)


def from_textual(name: str) -> str:
    """Inverse of `to_textual` for the main name, to show or to store a key that the user pressed.

    Raises InvalidKey for a key that a keybindings file cannot name (media keys, letters that are not ASCII).
    """
    *modifiers, key = name.split("+")
    if len(key) == 1 and key.isupper() and not modifiers:
        modifiers, key = ["shift"], key.lower()
    return parse_key("+".join([*modifiers, _FROM_TEXTUAL.get(key, key)]))


def label(text: str) -> str:
    """The key `text` as help and hints show it: `Ctrl+O`, `Esc`, `Alt+↑`. Raises InvalidKey."""
    modifiers, key = _split(parse_key(text))
    shown = _LABELS.get(key) or (key.upper() if len(key) == 1 else key[0].upper() + key[1:])
    return "+".join([*(modifier.capitalize() for modifier in modifiers), shown])


def _split(name: str) -> tuple[list[str], str]:
    """Modifiers and key of a name in canonical spelling."""
    if name.endswith("+"):
        return [part for part in name[:-1].split("+") if part], "+"
    *modifiers, key = name.split("+")
    return modifiers, key
