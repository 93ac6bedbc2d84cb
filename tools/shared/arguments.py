"""What models get wrong in arguments, put right before validation, and checks that a schema does not make."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from core.ai.wire import Json
from tools.shared.errors import ToolError


def renamed(raw: Mapping[str, Json], aliases: Mapping[str, Sequence[str]]) -> dict[str, Json]:
    """Return a copy of `raw` in which each argument that came under one of its other names has its own.

    A null does not count as given when there is another value. Raises ToolError when two names disagree.
    """
    arguments = dict(raw)
    for name, others in aliases.items():
        for other in others:
            if other not in arguments:
                continue
            value = arguments.pop(other)
            if arguments.get(name) is None:
                arguments[name] = value
            elif value is not None and value != arguments[name]:
                raise ToolError(
                    f"{name} and {other} mean the same argument but have different values. Give {name} only."
                )
    return arguments


def without_blanks(arguments: dict[str, Json], names: Sequence[str]) -> dict[str, Json]:
    """Drop the optional arguments `names` that are null or an empty text: models send these for "not given"."""
    return {
        name: value
        for name, value in arguments.items()
        if name not in names or not (value is None or (isinstance(value, str) and not value.strip()))
    }


def text_of(arguments: Mapping[str, Json], name: str) -> str:
    """Return a required text argument. Raises ToolError when it is missing or of another type."""
    value = arguments.get(name)
    if not isinstance(value, str):
        raise ToolError(f"{name} must be a text, not {_kind(value)}.")
    return value


def whole_number(arguments: Mapping[str, Json], name: str) -> int | None:
    """Return an optional whole number. Raises ToolError for a fraction or anything else."""
    value = number_of(arguments, name)
    if value is None or value.is_integer():
        return None if value is None else int(value)
    raise ToolError(f"{name} must be a whole number, not {arguments[name]}.")


def number_of(arguments: Mapping[str, Json], name: str) -> float | None:
    """Return an optional finite number. Raises ToolError for anything else."""
    value = arguments.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ToolError(f"{name} must be a number, not {_kind(value)}.")
    return float(value)


def _kind(value: Json) -> str:
    kinds = {bool: "true or false", str: "a text", list: "a list", dict: "an object", float: str(value)}
    return "missing or null" if value is None else kinds.get(type(value), str(value))
