"""Tool arguments: lossless coercion to the schema, then validation with errors a model can act on."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from core.agent.tools import AgentTool
from core.ai.wire import Json, wire_value

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

PREVIEW_LIMIT = 2_000
"""Characters of the received arguments that are quoted back."""

MESSAGE_LIMIT = 300
"""Characters of one problem's message, which quotes the value."""

PROBLEM_LIMIT = 20
"""Problems that are told of."""

REFERENCE_LIMIT = 16
"""References that are followed from one place of a schema: one that leads back to itself has no end."""

_NUMBER = re.compile(r"\s*-?\d{1,400}(\.\d{1,400})?([eE][+-]?\d{1,400})?\s*")


class InvalidArguments(Exception):
    """The arguments do not fit; the text lists each path with its reason, and what was received."""


def validated(tool: AgentTool, arguments: Mapping[str, Json]) -> dict[str, Json]:
    """Return a private copy of `arguments` that fits the tool's schema. Raises InvalidArguments."""
    from jsonschema.exceptions import SchemaError  # imported here for the reason given at _validator

    schema = tool.parameters
    try:
        value = coerce(wire_value(dict(arguments)), schema, schema)
        problems = [
            f"- {_path(error.absolute_path)}: {_cut(error.message, MESSAGE_LIMIT)}"
            for error in islice(_validator(json.dumps(schema)).iter_errors(value), PROBLEM_LIMIT)
        ]
    except SchemaError as error:
        raise InvalidArguments(f"The schema of the tool {tool.name} is not valid: {error.message}") from error
    if problems:
        received = _cut(json.dumps(wire_value(dict(arguments)), ensure_ascii=False), PREVIEW_LIMIT)
        raise InvalidArguments(
            f"Invalid arguments for {tool.name}:\n" + "\n".join(sorted(problems)) + f"\n\nReceived: {received}"
        )
    return value


def coerce(value: Json, schema: Mapping[str, Json], root: Mapping[str, Json]) -> Json:
    """Return `value` with what models commonly get wrong put right, where nothing is lost.

    Numbers and booleans in strings, a single value for a list, JSON text for an object or list, null for an optional
    property. A value that already fits an arm of a union stays. Anything lossy (4.5 for an integer, null for a required
    property) is left for validation to refuse. References are looked up in `root`.
    """
    schema = _resolved(schema, root)
    arms = schema.get("anyOf") or schema.get("oneOf")
    if arms:
        if any(_fits(value, arm, root) for arm in arms):
            return value
        for arm in arms:
            coerced = coerce(value, arm, root)
            if _fits(coerced, arm, root):
                return coerced
        return value
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return coerce(value, {**schema, "type": None, "anyOf": [{**schema, "type": kind} for kind in kinds]}, root)
    if kinds == "object":
        return _coerce_object(value, schema, root)
    if kinds == "array":
        return _coerce_array(value, schema, root)
    if kinds in ("number", "integer"):
        return _coerce_number(value, integer=kinds == "integer")
    if kinds == "boolean":
        return _coerce_boolean(value)
    if kinds == "string" and isinstance(value, bool | int | float):
        return json.dumps(value)
    return value


def _coerce_object(value: Json, schema: Mapping[str, Json], root: Mapping[str, Json]) -> Json:
    if isinstance(value, str):
        parsed = _json_text(value)
        if not isinstance(parsed, dict):
            return value
        value = parsed
    if not isinstance(value, dict):
        return value
    properties: Mapping[str, Json] = schema.get("properties") or {}
    required = schema.get("required") or ()
    out: dict[str, Json] = {}
    for key, item in value.items():
        rule = properties.get(key)
        if rule is None:
            out[key] = item
        elif item is None and key not in required and not _fits(None, rule, root):
            continue
        else:
            out[key] = coerce(item, rule, root)
    return out


def _coerce_array(value: Json, schema: Mapping[str, Json], root: Mapping[str, Json]) -> Json:
    items: Mapping[str, Json] = schema.get("items") or {}
    if isinstance(value, str):
        parsed = _json_text(value)
        if isinstance(parsed, list):
            value = parsed
    if value is None:
        return value
    if not isinstance(value, list):
        value = [value]
    return [coerce(item, items, root) for item in value]


def _coerce_number(value: Json, *, integer: bool) -> Json:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        text = value.strip()
        number = float(text) if any(mark in text for mark in ".eE") else int(text)
        value = number if math.isfinite(number) else value
    if integer and isinstance(value, float) and math.isfinite(value) and value.is_integer():
        return int(value)
    return value


def _coerce_boolean(value: Json) -> Json:
    if isinstance(value, str) and value.strip().lower() in ("true", "1"):
        return True
    if isinstance(value, str) and value.strip().lower() in ("false", "0"):
        return False
    if value in (0, 1) and not isinstance(value, bool):
        return bool(value)
    return value


def _json_text(text: str) -> Json:
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text, strict=False)
    except json.JSONDecodeError:
        return None


def _resolved(schema: Mapping[str, Json], root: Mapping[str, Json]) -> Mapping[str, Json]:
    """Follow references within the document; one that leads nowhere is left for validation to complain about."""
    for _ in range(REFERENCE_LIMIT):
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#/"):
            break
        target: Json = root
        for part in reference[2:].split("/"):
            target = target.get(part) if isinstance(target, Mapping) else None
        if not isinstance(target, Mapping):
            break
        schema = target
    return schema


@lru_cache(maxsize=256)
def _validator(schema: str) -> Validator:
    # Imported on the first call: it costs 0.1 s, which must not fall into the start of the program.
    from jsonschema import Draft202012Validator

    parsed = json.loads(schema)
    Draft202012Validator.check_schema(parsed)
    return Draft202012Validator(parsed)


def _fits(value: Json, schema: Mapping[str, Json], root: Mapping[str, Json]) -> bool:
    definitions = {key: root[key] for key in ("$defs", "definitions") if key in root}
    return _validator(json.dumps({**definitions, **schema})).is_valid(value)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text):,} characters in all)"


def _path(parts: Iterable[str | int]) -> str:
    return ".".join(map(str, parts)) or "(arguments)"
