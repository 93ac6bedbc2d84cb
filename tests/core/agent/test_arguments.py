"""Coercion and validation of tool arguments: each row of the table, 062 to 064 and 154."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from core.agent.arguments import InvalidArguments, validated
from core.ai.wire import Json
from tests.core.agent.rig import FakeTool

REFUSED = object()
REMOVED = object()


def check(schema: dict[str, Json], value: Any, *, required: bool = False) -> Any:
    """Return what becomes of `value` for a property of `schema`: REFUSED, REMOVED or the value."""
    parameters = {"type": "object", "properties": {"p": schema}, "required": ["p"] if required else []}
    try:
        return validated(FakeTool(parameters=parameters), {"p": value}).get("p", REMOVED)
    except InvalidArguments:
        return REFUSED


NUMBER = {"type": "number"}
INTEGER = {"type": "integer"}
BOOLEAN = {"type": "boolean"}
STRING = {"type": "string"}
STRINGS = {"type": "array", "items": STRING}
OBJECT = {"type": "object", "properties": {"n": NUMBER}, "required": ["n"]}
OBJECTS = {"type": "array", "items": OBJECT}
NUMBER_OR_NULL = {"anyOf": [NUMBER, {"type": "null"}]}
NUMBER_OR_STRING = {"anyOf": [NUMBER, STRING]}

ROWS: list[tuple[str, dict[str, Any], Any, Any]] = [
    ("text of a number", NUMBER, "42", 42),
    ("padded text of a fraction", NUMBER, " 4.5 ", 4.5),
    ("exponent", NUMBER, "1e3", 1000.0),
    ("no text for a number", NUMBER, "", REFUSED),
    ("words for a number", NUMBER, "4 apples", REFUSED),
    ("truth as number", NUMBER, True, 1),
    ("null for an optional number", NUMBER, None, REMOVED),
    ("fraction in text for an integer", INTEGER, "4.5", REFUSED),
    ("fraction for an integer", INTEGER, 4.5, REFUSED),
    ("whole fraction for an integer", INTEGER, 4.0, 4),
    ("text of a whole fraction for an integer", INTEGER, "4.0", 4),
    ("text for an integer", INTEGER, "-7", -7),
    ("more digits than a float has", INTEGER, "12345678901234567890", 12345678901234567890),
    ("true", BOOLEAN, "true", True),
    ("True", BOOLEAN, "True", True),
    ("one in text", BOOLEAN, "1", True),
    ("one", BOOLEAN, 1, True),
    ("False", BOOLEAN, "False", False),
    ("zero", BOOLEAN, 0, False),
    ("yes", BOOLEAN, "yes", REFUSED),
    ("two", BOOLEAN, 2, REFUSED),
    ("number for a string", STRING, 5, "5"),
    ("fraction for a string", STRING, 0.5, "0.5"),
    ("truth for a string", STRING, True, "true"),
    ("null for an optional string", STRING, None, REMOVED),
    ("list for a string", STRING, ["a"], REFUSED),
    ("one for a list", STRINGS, "x", ["x"]),
    ("one number for a list of strings", STRINGS, 5, ["5"]),
    ("JSON text for a list", STRINGS, '["a", "b"]', ["a", "b"]),
    ("text that only looks like JSON", STRINGS, "[a", ["[a"]),
    ("JSON text for an object", OBJECT, '{"n": "1"}', {"n": 1}),
    ("JSON text with a raw newline", STRINGS, '["a\nb"]', ["a\nb"]),
    ("JSON text that does not fit", OBJECT, '{"m": 1}', REFUSED),
    ("words for an object", OBJECT, "n is 1", REFUSED),
    ("one object for a list", OBJECTS, {"n": "1"}, [{"n": 1}]),
    ("JSON text in a list", OBJECTS, ['{"n": 1}'], [{"n": 1}]),
    ("null for an optional list", STRINGS, None, REMOVED),
    ("text for a number or null", NUMBER_OR_NULL, "5", 5),
    ("154 null for a number or null", NUMBER_OR_NULL, None, None),
    ("154 text for a number or string", NUMBER_OR_STRING, "5", "5"),
    ("one of", {"oneOf": [NUMBER, {"type": "null"}]}, "5", 5),
    ("the second of two arms", {"anyOf": [INTEGER, BOOLEAN]}, "true", True),
    ("nothing fits a union", NUMBER_OR_NULL, "many", REFUSED),
    ("several types", {"type": ["integer", "null"]}, "5", 5),
    ("null of several types", {"type": ["integer", "null"]}, None, None),
    ("no type", {"description": "anything"}, {"a": [1]}, {"a": [1]}),
    ("null where anything goes", {}, None, None),
    ("enum", {"type": "string", "enum": ["a", "b"]}, "c", REFUSED),
]


@pytest.mark.parametrize(("schema", "value", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_coercion(schema: dict[str, Any], value: Any, expected: Any) -> None:
    result = check(schema, value)
    assert result == expected or result is expected
    assert type(result) is type(expected)


@pytest.mark.parametrize("schema", [NUMBER, STRING, BOOLEAN, STRINGS, OBJECT])
def test_null_for_a_required_property_is_refused(schema: dict[str, Any]) -> None:
    assert check(schema, None, required=True) is REFUSED
    parameters = {"type": "object", "properties": {"p": schema}, "required": ["p"]}
    with pytest.raises(InvalidArguments, match="p: None is not of type"):
        validated(FakeTool(parameters=parameters), {"p": None})


def test_unknown_properties_stay_unless_the_schema_forbids_them() -> None:
    open_schema: dict[str, Json] = {"type": "object", "properties": {"n": NUMBER}}
    assert validated(FakeTool(parameters=open_schema), {"n": "1", "x": "1"}) == {"n": 1, "x": "1"}
    with pytest.raises(InvalidArguments, match="Additional properties are not allowed"):
        validated(FakeTool(parameters={**open_schema, "additionalProperties": False}), {"x": "1"})


def test_a_default_is_not_filled_in() -> None:
    schema: dict[str, Json] = {"type": "object", "properties": {"n": {"type": "number", "default": 5}}}
    assert validated(FakeTool(parameters=schema), {}) == {}


def test_references_are_followed() -> None:
    schema: dict[str, Json] = {
        "type": "object",
        "properties": {
            "n": {"$ref": "#/$defs/count"},
            "m": {"anyOf": [{"$ref": "#/$defs/count"}, {"type": "null"}]},
        },
        "$defs": {"count": {"type": "integer"}},
    }
    assert validated(FakeTool(parameters=schema), {"n": 1}) == {"n": 1}
    assert validated(FakeTool(parameters=schema), {"n": "1", "m": "2"}) == {"n": 1, "m": 2}
    assert validated(FakeTool(parameters=schema), {"m": None}) == {"m": None}
    with pytest.raises(InvalidArguments):
        validated(FakeTool(parameters=schema), {"n": "many"})


def test_an_error_names_each_path_and_what_was_received() -> None:
    schema: dict[str, Json] = {
        "type": "object",
        "properties": {"edits": {"type": "array", "items": OBJECT}, "path": STRING},
        "required": ["path"],
    }
    with pytest.raises(InvalidArguments) as caught:
        validated(FakeTool("edit", parameters=schema), {"edits": [{"n": "x"}]})
    text = str(caught.value)
    assert "Invalid arguments for edit:" in text
    assert "- edits.0.n: 'x' is not of type 'number'" in text
    assert "- (arguments): 'path' is a required property" in text
    assert 'Received: {"edits": [{"n": "x"}]}' in text


def test_an_error_quotes_long_arguments_only_in_part() -> None:
    with pytest.raises(InvalidArguments) as caught:
        validated(FakeTool(parameters={"type": "object", "required": ["p"]}), {"text": "x" * 50_000})
    assert len(str(caught.value)) < 3_000
    assert "characters in all" in str(caught.value)


def test_an_error_about_a_long_value_is_short() -> None:
    schema: dict[str, Json] = {"type": "object", "properties": {"p": NUMBER}}
    with pytest.raises(InvalidArguments) as caught:
        validated(FakeTool(parameters=schema), {"p": "x" * 50_000})
    assert len(str(caught.value)) < 5_000


def test_what_comes_back_is_a_private_copy() -> None:
    given = {"list": [{"n": 1}]}
    copy = validated(FakeTool(), MappingProxyType(given))
    assert copy == given
    copy["list"][0]["n"] = 2
    assert given == {"list": [{"n": 1}]}


def test_a_schema_that_is_none_is_an_error_of_the_tool() -> None:
    with pytest.raises(InvalidArguments, match="schema of the tool work"):
        validated(FakeTool(parameters={"type": "nonsense"}), {"a": 1})
