"""What one piece of terminal input means: characters and escape sequences -> names of keys.

Understood: the bytes of plain terminals, xterm with modifyOtherKeys, rxvt, the Linux console, and the Kitty keyboard
protocol in full, whatever part of it another program left switched on.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from textual._keyboard_protocol import FUNCTIONAL_KEYS
from textual.keys import KEY_NAME_REPLACEMENTS


class KeyPress(NamedTuple):
    """A key as Textual names it (`alt+enter`, `A`, `left_square_bracket`) and the character it types, if any."""

    key: str
    character: str | None


Keys: TypeAlias = tuple[KeyPress, ...]
"""The key presses of one sequence; empty for one that is known and means nothing to us, such as a key release."""

_SHIFT, _ALT, _CTRL, _CAPS, _NUM = 1, 2, 4, 64, 128
_MODIFIERS: Final = ((_SHIFT, "shift"), (_ALT, "alt"), (_CTRL, "ctrl"), (8, "super"), (16, "hyper"), (32, "meta"))
_SILENT: Final = {*range(57358, 57361), *range(57441, 57455)}
"""Kitty's codes for locks and for modifiers pressed alone."""

_CONTROL: Final = {
    0x00: "ctrl+@",
    0x08: "backspace",
    0x09: "tab",
    0x0D: "enter",
    0x1B: "escape",
    0x1C: "ctrl+backslash",
    0x1D: "ctrl+right_square_bracket",
    0x1E: "ctrl+circumflex_accent",
    0x1F: "ctrl+underscore",
    0x7F: "backspace",
}
_SS3: Final = {
    **dict(zip("ABCDEFHMPQRS", "up down right left clear end home enter f1 f2 f3 f4".split(), strict=True)),
    **dict(zip("abcd", ("ctrl+up", "ctrl+down", "ctrl+right", "ctrl+left"), strict=True)),
}
_KEYPAD: Final = dict(zip("jklmnopqrstuvwxy", "*+,-./0123456789", strict=True))
_RXVT: Final = {"$": _SHIFT, "^": _CTRL, "@": _SHIFT | _CTRL}

_CSI: Final = re.compile(r"\x1b\[([\d:;]*)([$^@~A-Za-z])")
_SS3_SEQUENCE: Final = re.compile(r"\x1bO(\d?)([A-Za-z])")
_CONSOLE: Final = re.compile(r"\x1b\[\[([A-E])")


@lru_cache(maxsize=4096)
def character_key(character: str) -> KeyPress | None:
    """The key that sends `character` by itself; None for one that no key sends (C1 controls)."""
    code = ord(character)
    if code < 0x20 or code == 0x7F:
        return KeyPress(_CONTROL.get(code) or f"ctrl+{chr(code + 0x60)}", character)
    if 0x80 <= code < 0xA0 or 0xD800 <= code < 0xE000:
        return None
    return KeyPress(_name(character), character)


def with_alt(press: KeyPress) -> KeyPress:
    """The same key with Alt held down, as plain terminals say with an ESC before it."""
    if press.key == "tab":
        return KeyPress("shift+tab", None)  # the Linux console's way
    *modifiers, key = press.key.split("+")
    if len(key) == 1 and key.isupper():
        key = key.lower()
        modifiers.append("shift")
    return KeyPress(_join({*modifiers, "alt"}, key), None)


@lru_cache(maxsize=1024)
def sequence_keys(sequence: str) -> Keys | None:
    """Key presses of a complete escape sequence; None when it is not one of a key."""
    if match := _CSI.fullmatch(sequence):
        return _csi_keys(match[1], match[2])
    if match := _SS3_SEQUENCE.fullmatch(sequence):
        modifiers, final = match.groups()
        if final in _KEYPAD:
            return (KeyPress(_name(_KEYPAD[final]), _KEYPAD[final]),)
        if final not in _SS3:
            return None
        return (_press(_SS3[final], int(modifiers or 1) - 1),)
    if match := _CONSOLE.fullmatch(sequence):
        return (KeyPress(f"f{ord(match[1]) - ord('A') + 1}", None),)
    return None


def _csi_keys(parameters: str, final: str) -> Keys | None:
    fields = parameters.split(";")
    if final == "~" and fields[0] == "27" and len(fields) == 3:  # xterm's modifyOtherKeys
        fields, final = [fields[2], fields[1]], "u"
    code = _number(fields[0].partition(":")[0], 1)
    modifiers, _, kind = (fields[1] if len(fields) > 1 else "").partition(":")
    bits = max(0, _number(modifiers, 1) - 1)
    if final in _RXVT:
        final, bits = "~", bits | _RXVT[final]
    elif final in "abcd" and not parameters:
        final, bits = final.upper(), _SHIFT
    elif final == "Z":
        return (_press("tab", bits | _SHIFT),)
    name = FUNCTIONAL_KEYS.get(f"{code}{final}")
    if final != "u" and name is None:
        return None
    if kind == "3" or code in _SILENT:
        return ()
    if final == "u" and (text := _text(fields[2].split(":") if len(fields) > 2 else ())):
        return tuple(KeyPress(_name(character), character) for character in text)
    if name is not None:
        return (_press(name, bits),)
    return _coded(code, bits)


def _coded(code: int, bits: int) -> Keys:
    """The key with the Unicode code point `code`, for which the terminal gave no text."""
    if 1 <= code < 27:
        code, bits = code + 0x60, bits | _CTRL
    if code < 0x20 or (character := _character(code)) is None:
        return ()
    if not bits & ~(_SHIFT | _CAPS | _NUM):
        character = character.upper() if bits & _SHIFT and len(character.upper()) == 1 else character
        return (KeyPress(_name(character), character),)
    if character.isupper() and len(character.lower()) == 1:
        character, bits = character.lower(), bits | _SHIFT
    return (_press(_name(character), bits),)


def _press(key: str, bits: int) -> KeyPress:
    modifiers = {name for bit, name in _MODIFIERS if bits & bit}
    *given, base = key.split("+")
    joined = _join(modifiers.union(given), base)
    return KeyPress(joined, {"enter": "\r", "tab": "\t", "backspace": "\x7f", "escape": "\x1b"}.get(joined))


def _join(modifiers: Iterable[str], key: str) -> str:
    return "+".join([*sorted(modifiers), key])


def _text(fields: Iterable[str]) -> list[str]:
    """The characters whose code points a Kitty text report lists; control characters and nonsense left out."""
    characters = (_character(_number(field, 0)) for field in fields)
    return [character for character in characters if character is not None]


def _character(code: int) -> str | None:
    """The character of a code point that text can hold, else None."""
    if code < 0x20 or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000 or code > 0x10FFFF:
        return None
    return chr(code)


def _number(digits: str, default: int) -> int:
    """The value of `digits`, `default` where there are none; what follows the eighth digit does not count."""
    return int(digits[:8]) if digits else default


def _name(character: str) -> str:
    """Textual's name for the key of a printable character."""
    if character.isalnum():
        return character
    name = unicodedata.name(character, "").lower().replace("-", "_").replace(" ", "_") or character
    return KEY_NAME_REPLACEMENTS.get(name, name)
