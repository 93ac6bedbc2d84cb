"""The one bridge between Python attributes (snake_case) and pi's JSON (camelCase).

Every type that is stored in a session file or leaves the process derives from `WireModel`. Unknown keys that were read
are kept and written back, absent optional values are omitted, field order is wire order.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, ClassVar, TypeAlias

from pydantic import BaseModel, ConfigDict

Json: TypeAlias = Any
"""A JSON value: None, bool, int, float, str, list[Json] or dict[str, Json]."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def camel_case(name: str) -> str:
    """Return `stopReason` for `stop_reason`, as pydantic's `to_camel` does, in a tenth of its time."""
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


class WireModel(BaseModel):
    """Frozen base: camelCase aliases, unknown keys kept (`model_extra`), snake_case accepted in Python."""

    model_config = ConfigDict(
        alias_generator=camel_case,
        validate_by_name=True,
        validate_by_alias=True,
        extra="allow",
        frozen=True,
        defer_build=True,
    )

    nullable_on_wire: ClassVar[frozenset[str]] = frozenset()
    """Fields written as `null` when they are None; all others are omitted."""

    def to_wire(self) -> dict[str, Json]:
        """Return the JSON object of this value: pi's keys in field order, then the unknown keys it was read with."""
        out: dict[str, Json] = {}
        values = self.__dict__
        for name, field in type(self).__pydantic_fields__.items():
            value = values[name]
            if value is None and name not in self.nullable_on_wire:
                continue
            out[field.alias or name] = wire_value(value)
        if self.__pydantic_extra__:
            out.update(self.__pydantic_extra__)
        return out


def wire_value(value: object) -> Json:
    """Return `value` as JSON data; models inside tuples, lists and dicts are converted too."""
    if isinstance(value, str | int | float) or value is None:
        return value
    if isinstance(value, WireModel):
        return value.to_wire()
    if isinstance(value, tuple | list):
        return [wire_value(item) for item in value]
    if isinstance(value, dict):
        return {key: wire_value(item) for key, item in value.items()}
    raise TypeError(f"{type(value).__name__} is not JSON data")


def json_line(value: Json) -> bytes:
    """Return compact UTF-8 JSON with a final newline: one record of a session file or an event stream.

    Surrogates, which UTF-8 cannot carry, are written as `\\uXXXX` escapes; NaN and infinities as null.
    """
    try:
        text = _dumps(value)
    except ValueError:
        text = _dumps(_finite(value))
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        escaped = _SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
        return escaped.encode() + b"\n"


def _dumps(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _finite(value: Json) -> Json:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def without_surrogates(text: str) -> str:
    """Return `text` without unpaired surrogates, which no provider accepts; other characters are untouched.

    A pair that arrived in two halves becomes the character that it stands for.
    """
    if text.isascii() or _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")


def json_without_surrogates(value: Json) -> Json:
    """Return JSON data with every string, keys included, freed of unpaired surrogates."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, dict):
        return {without_surrogates(key): json_without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_without_surrogates(item) for item in value]
    return value
