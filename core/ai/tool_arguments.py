"""Tool-call argument text: strict parsing of the final text, tolerant parsing while it streams."""

from __future__ import annotations

import json
import re

import jiter

from core.ai.wire import Json

PREVIEW_LIMIT = 2_000
"""Characters of a bad payload that are quoted back to the model."""

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_BAD_ESCAPE = re.compile(r'\\(?:u(?![0-9a-fA-F]{4})|(?!["\\/bfnrtu]))')


def parse_final(text: str) -> tuple[dict[str, Json], str | None]:
    """Return `(arguments, None)`, or `({}, error text)` when the text is not a JSON object.

    Blank text means no arguments. Two faults of models are repaired inside strings only: raw control characters and
    backslashes that start no JSON escape. A text that is cut short is never completed: half a call must not run.
    """
    if not text.strip():
        return {}, None
    try:
        value = json.loads(text, strict=False)
    except json.JSONDecodeError as first:
        try:
            value = json.loads(_STRING.sub(_double_bad_escapes, text), strict=False)
        except json.JSONDecodeError:
            return {}, f"The arguments are not valid JSON ({first}). Received: {_preview(text)}"
    if not isinstance(value, dict):
        return {}, f"The arguments must be a JSON object, not {_kind(value)}. Received: {_preview(text)}"
    return value, None


def parse_partial(text: str) -> dict[str, Json]:
    """Return what can be shown of arguments that still arrive; unfinished strings count, anything else gives {}."""
    try:
        value = jiter.from_json(text.encode("utf-8", "replace"), partial_mode="trailing-strings")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _double_bad_escapes(match: re.Match[str]) -> str:
    literal = match.group()
    return _BAD_ESCAPE.sub(lambda bad: "\\" + bad.group(), literal) if "\\" in literal else literal


def _preview(text: str) -> str:
    if len(text) <= PREVIEW_LIMIT:
        return text
    return f"{text[:PREVIEW_LIMIT]}… ({len(text):,} characters in all)"


def _kind(value: Json) -> str:
    if value is None:
        return "null"
    return {list: "an array", str: "a string", bool: "a boolean"}.get(type(value), "a number")
