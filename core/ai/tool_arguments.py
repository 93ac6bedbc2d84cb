"""Tool-call argument text: strict parsing of the final text, tolerant parsing while it streams."""

from __future__ import annotations

import json
import re

import jiter

from core.ai.wire import Json

PREVIEW_LIMIT = 2_000
"""Characters of a bad payload that are quoted back to the model."""

_STRING = re.compile(r'"(?:[^"\\]++|\\.|\\\Z)*+"?', re.DOTALL)
"""A string literal, or the rest of the text where it is cut short: each character is looked at once."""

_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})?')
_CONTROL = re.compile("[\x00-\x1f]")


def parse_final(text: str) -> tuple[dict[str, Json], str | None]:
    """Return `(arguments, None)`, or `({}, error text)` when the text is not a JSON object.

    Blank text means no arguments. Two faults of models are repaired inside strings only: raw control characters and
    backslashes that start no JSON escape. A text that is cut short is never completed: half a call must not run.
    """
    if not text.strip():
        return {}, None
    try:
        value = _loads(text)
    except (ValueError, RecursionError) as first:
        try:
            value = _loads(_STRING.sub(_double_bad_escapes, text))
        except (ValueError, RecursionError):
            return {}, f"The arguments are not valid JSON ({first}). Received: {_preview(text)}"
    if not isinstance(value, dict):
        return {}, f"The arguments must be a JSON object, not {_kind(value)}. Received: {_preview(text)}"
    return value, None


def parse_partial(text: str) -> dict[str, Json]:
    """Return what can be shown of arguments that still arrive; unfinished strings count, anything else gives {}.

    The same faults are forgiven as at the end. Linear in the text: for every delta anew it would be quadratic.
    """
    try:
        value = _from_partial(text)
    except ValueError:
        try:
            value = _from_partial(_STRING.sub(_escape_controls, text))
        except ValueError:
            return {}
    return value if isinstance(value, dict) else {}


def _loads(text: str) -> Json:
    return json.loads(text, strict=False, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")


def _from_partial(text: str) -> Json:
    return jiter.from_json(text.encode("utf-8", "replace"), partial_mode="trailing-strings")


def _double_bad_escapes(literal: re.Match[str]) -> str:
    text = literal.group()
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda escape: escape.group() if len(escape.group()) > 1 else "\\\\", text)


def _escape_controls(literal: re.Match[str]) -> str:
    return _CONTROL.sub(lambda control: f"\\u{ord(control.group()):04x}", _double_bad_escapes(literal))


def _preview(text: str) -> str:
    if len(text) <= PREVIEW_LIMIT:
        return text
    return f"{text[:PREVIEW_LIMIT]}… ({len(text):,} characters in all)"


def _kind(value: Json) -> str:
    if value is None:
        return "null"
    return {list: "an array", str: "a string", bool: "a boolean"}.get(type(value), "a number")
