"""Reading JSON files that people write: never raises, says what is wrong and where."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from core.ai.wire import Json


@dataclass(frozen=True, slots=True)
class ConfigWarning:
    """Something in a configuration file that was left aside. `str()` is one line for people."""

    path: Path
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


def read_object(path: Path) -> tuple[dict[str, Json], ConfigWarning | None]:
    """Return the JSON object in `path` and what is wrong with the file.

    A file that is not there is an empty object; one that cannot be used is an empty object with a warning. A leading
    byte order mark is ignored.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return {}, None
    except OSError as error:
        return {}, ConfigWarning(path, f"cannot be read ({error.strerror or error}); the file is ignored")
    except UnicodeDecodeError as error:
        return {}, ConfigWarning(path, f"is not UTF-8 (byte {error.start}); the file is ignored")
    if not text.strip():
        return {}, None
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        return {}, ConfigWarning(path, f"is not valid JSON ({error.msg}, {where}); the file is ignored")
    except RecursionError:
        return {}, ConfigWarning(path, "is nested too deeply; the file is ignored")
    if not isinstance(value, dict):
        return {}, ConfigWarning(path, "must hold a JSON object; the file is ignored")
    return value, None
