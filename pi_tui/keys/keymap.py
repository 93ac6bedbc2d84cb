"""The keys in force: the table's defaults with the user's keybindings.json laid over them."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from pi_tui.keys.names import InvalidKey, label, parse_key
from pi_tui.keys.table import BY_ID, BY_LEGACY_ID, UNSUPPORTED_IDS


@dataclass(frozen=True, slots=True)
class KeymapWarning:
    """A fault in a keybindings file that was passed over. `id` is "" when the file as a whole is at fault."""

    file: str
    id: str
    problem: str

    def __str__(self) -> str:
        where = f"{self.file}: {self.id}" if self.id else self.file
        return f"{where}: {self.problem}"


@dataclass(frozen=True, slots=True)
class Keymap:
    """Which keys each action has.

    `overrides` maps an action id to the user's keys in canonical spelling; an empty tuple disables the action.
    `warnings` lists what was wrong with the file. `wsl` selects the defaults for Windows Subsystem for Linux.
    """

    overrides: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    warnings: tuple[KeymapWarning, ...] = ()
    wsl: bool = False

    def keys(self, action_id: str) -> tuple[str, ...]:
        """Keys of an action in keybindings syntax; () when it has none. Raises KeyError for an id not in the table."""
        action = BY_ID[action_id]
        if action_id in self.overrides:
            return self.overrides[action_id]
        return action.wsl_keys if self.wsl and action.wsl_keys is not None else action.keys

    def label(self, action_id: str) -> str:
        """The first key of an action as hints show it (`Ctrl+O`), or "" when it has none."""
        keys = self.keys(action_id)
        return label(keys[0]) if keys else ""


def load_keymap(content: str, file: str, environ: Mapping[str, str] | None = None) -> Keymap:
    """Read the text of a keybindings file: a JSON object of action id -> key or list of keys; [] disables.

    `file` is the name that warnings give. Never raises: what cannot be used gives a warning and the default stays. An
    empty text means no overrides. Old un-prefixed ids are taken for their successors, unless those are there too.
    """
    environ = os.environ if environ is None else environ
    wsl = "WSL_DISTRO_NAME" in environ
    text = content.removeprefix("\ufeff")
    if not text.strip():
        return Keymap(wsl=wsl)
    import json  # only when there is a file to read

    try:
        data: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        return Keymap(warnings=(KeymapWarning(file, "", f"not valid JSON ({error}); the default keys apply"),), wsl=wsl)
    if not isinstance(data, dict):
        problem = 'must be a JSON object such as {"app.tools.expand": "ctrl+o"}; the default keys apply'
        return Keymap(warnings=(KeymapWarning(file, "", problem),), wsl=wsl)
    overrides: dict[str, tuple[str, ...]] = {}
    warnings: list[KeymapWarning] = []
    entries = cast(dict[str, object], data)
    for name, value in entries.items():
        action_id = name
        if name in BY_LEGACY_ID:
            action_id = BY_LEGACY_ID[name].id
            if action_id in entries:
                continue
        if action_id in UNSUPPORTED_IDS:
            continue
        if action_id not in BY_ID:
            warnings.append(KeymapWarning(file, name, "no such action; the ids are in pi_tui/keys/table.py"))
            continue
        keys, problems = _keys(value)
        warnings += [KeymapWarning(file, name, problem) for problem in problems]
        if keys is not None:
            overrides[action_id] = keys
    return Keymap(overrides, tuple(warnings), wsl)


def _keys(value: object) -> tuple[tuple[str, ...] | None, list[str]]:
    """Keys of one entry, and what is wrong with it. No keys (None) when nothing in it can be used."""
    given: list[object] = cast(list[object], value) if isinstance(value, list) else [value]
    keys: list[str] = []
    problems: list[str] = []
    for key in given:
        if not isinstance(key, str):
            problems.append(f"{key!r} is not a key; write a string such as 'ctrl+o', a list of strings, or []")
            continue
        try:
            name = parse_key(key)
        except InvalidKey as error:
            problems.append(str(error))
            continue
        if name not in keys:
            keys.append(name)
    return (None if given and not keys else tuple(keys)), problems
