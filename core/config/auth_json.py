"""Stored credentials: `auth.json` in the agent directory, pi's format."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.ai.wire import Json
from core.config.json_file import ConfigWarning, read_object


@dataclass(frozen=True, slots=True)
class StoredKey:
    """An API key in value syntax, and variables that beat the process environment for its provider."""

    key: str = field(repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class StoredCredentials:
    """What auth.json holds. `logins` names the providers with an OAuth login, which cannot be used yet."""

    keys: Mapping[str, StoredKey] = field(default_factory=dict)
    logins: frozenset[str] = frozenset()
    warnings: tuple[ConfigWarning, ...] = ()


def read_auth(path: Path) -> StoredCredentials:
    """Read auth.json. Never raises; entries that are not understood are reported without their content."""
    entries, problem = read_object(path)
    warnings = [problem] if problem else []
    if entries and _open_to_others(path):
        warnings.append(ConfigWarning(path, f"can be read by others; run: chmod 600 {path}"))
    keys: dict[str, StoredKey] = {}
    logins: set[str] = set()
    for provider, entry in entries.items():
        kind = entry.get("type") if isinstance(entry, dict) else None
        if kind == "oauth":
            logins.add(provider)
        elif kind == "api_key" and isinstance(entry.get("key"), str) and entry["key"]:
            keys[provider] = StoredKey(entry["key"], _texts(entry.get("env")))
        else:
            warnings.append(ConfigWarning(path, f'the entry "{provider}" is neither an API key nor a login; ignored'))
    return StoredCredentials(keys, frozenset(logins), tuple(warnings))


def _texts(value: Json) -> dict[str, str]:
    return {k: v for k, v in value.items() if isinstance(v, str)} if isinstance(value, dict) else {}


def _open_to_others(path: Path) -> bool:
    try:
        return bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))
    except OSError:
        return False
