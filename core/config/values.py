"""The value syntax of keys and headers: literal, `$NAME`, `${NAME}`, `!command`, `$$` and `$!`."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping

COMMAND_SECONDS = 10.0
"""A command that takes longer gives no value."""

_VARIABLE = re.compile(r"\$(?:([$!])|([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})")


class Unresolved(ValueError):
    """A value cannot be had; the text says why and never holds the value."""


def resolve(text: str, env: Mapping[str, str]) -> str:
    """Return what `text` stands for. Runs the command of a `!command`. Raises Unresolved."""
    if text.startswith("!"):
        return _run(text[1:].strip())
    missing = missing_variables(text, env)
    if missing:
        raise Unresolved(f"the environment variable {missing[0]} is not set")
    return _VARIABLE.sub(lambda m: m.group(1) or env[m.group(2) or m.group(3)], text)


def is_command(text: str) -> bool:
    """True when resolving `text` runs a program."""
    return text.startswith("!")


def missing_variables(text: str, env: Mapping[str, str]) -> list[str]:
    """Return the names of variables in `text` that are not set or empty."""
    if is_command(text):
        return []
    names = (match.group(2) or match.group(3) for match in _VARIABLE.finditer(text))
    return [name for name in names if name and not env.get(name)]


def _run(command: str) -> str:
    try:
        done = subprocess.run(
            command,
            shell=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=COMMAND_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Unresolved(f"its command did not end within {COMMAND_SECONDS:g} seconds") from None
    except (OSError, ValueError):
        raise Unresolved("its command cannot be run") from None
    if done.returncode != 0:
        raise Unresolved(f"its command ended with code {done.returncode}")
    value = done.stdout.decode("utf-8", "replace").strip()
    if not value:
        raise Unresolved("its command printed nothing")
    return value
