"""Names of keys (`enter`, `ctrl+c`, `alt+enter`, `shift+tab`, `pageup`, `f5`) as the bytes that a terminal sends."""

from __future__ import annotations

_NAMED = {
    "enter": "\r",
    "tab": "\t",
    "escape": "\x1b",
    "backspace": "\x7f",
    "space": " ",
    "plus": "+",
}
_LETTERED = {"up": "A", "down": "B", "right": "C", "left": "D", "home": "H", "end": "F"}
_NUMBERED = {"insert": 2, "delete": 3, "pageup": 5, "pagedown": 6}
_FUNCTION = {"f1": "P", "f2": "Q", "f3": "R", "f4": "S"}
_FUNCTION_NUMBERED = {f"f{n}": code for n, code in zip(range(5, 13), (15, 17, 18, 19, 20, 21, 23, 24), strict=True)}
_MODIFIERS = {"shift": 1, "alt": 2, "ctrl": 4, "super": 8}
_KITTY_CODES = {"enter": 13, "tab": 9, "escape": 27, "backspace": 127, "space": 32}


def encode_key(name: str, *, kitty: bool = False, modify_other: bool = False) -> bytes:
    """The bytes of a key press.

    Without `kitty` (the Kitty keyboard protocol) and `modify_other` (modifyOtherKeys 2) as a plain xterm: Shift+Enter
    is Enter there, Alt is an ESC before the key. Raises `ValueError` on an unknown name.
    """
    *modifiers, key = name.split("+")
    try:
        bits = sum(_MODIFIERS[modifier] for modifier in modifiers)
    except KeyError as error:
        raise ValueError(f"unknown modifier {error} in the key {name!r}") from None
    return _encode(name, key, bits, kitty, modify_other).encode()


def _encode(name: str, key: str, bits: int, kitty: bool, modify_other: bool) -> str:
    modified = f";{bits + 1}" if bits else ""
    if key in _LETTERED:
        return f"\x1b[1{modified}{_LETTERED[key]}" if bits else f"\x1b[{_LETTERED[key]}"
    if key in _FUNCTION:
        return f"\x1b[1{modified}{_FUNCTION[key]}" if bits else f"\x1bO{_FUNCTION[key]}"
    number = _NUMBERED.get(key) or _FUNCTION_NUMBERED.get(key)
    if number:
        return f"\x1b[{number}{modified}~"
    if key not in _NAMED and len(key) != 1:
        raise ValueError(f"unknown key {name!r}")
    plain = _NAMED.get(key, key)
    code = _KITTY_CODES.get(key, ord(plain))
    if kitty and (bits & ~1 or (bits and key in _KITTY_CODES) or key == "escape"):
        return f"\x1b[{code}{modified}u"
    if modify_other and bits and key in _KITTY_CODES and not (key == "tab" and bits == 1):
        return f"\x1b[27;{bits + 1};{code}~"
    if key == "tab" and bits & 1:
        return "\x1b[Z"
    if bits & 4:
        plain = chr(ord(plain.upper()) & 0x1F) if plain.upper() in "@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_" else plain
    elif bits & 1:
        plain = plain.upper()
    return "\x1b" + plain if bits & 2 else plain
