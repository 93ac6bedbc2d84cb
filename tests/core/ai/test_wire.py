"""The bridge between Python attributes and pi's JSON."""

from __future__ import annotations

import json
import math
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ai.wire import WireModel, camel_case, json_line, json_without_surrogates, wire_value, without_surrogates


class Inner(WireModel):
    deep_value: int


class Outer(WireModel):
    nullable_on_wire: ClassVar[frozenset[str]] = frozenset({"always_there"})

    first_name: str
    always_there: str | None = None
    left_out: str | None = None
    inner_list: tuple[Inner, ...] = ()
    anything: Any = None


@pytest.mark.parametrize(
    ("name", "wire"),
    [
        ("type", "type"),
        ("stop_reason", "stopReason"),
        ("tool_call_id", "toolCallId"),
        ("cache_write_1h", "cacheWrite1h"),
        ("a_b", "aB"),
    ],
)
def test_wire_names(name: str, wire: str) -> None:
    assert camel_case(name) == wire


def test_names_order_and_absent_values() -> None:
    value = Outer(first_name="a", inner_list=(Inner(deep_value=1),), anything={"x": (1, Inner(deep_value=2))})
    assert list(value.to_wire().items()) == [
        ("firstName", "a"),
        ("alwaysThere", None),
        ("innerList", [{"deepValue": 1}]),
        ("anything", {"x": [1, {"deepValue": 2}]}),
    ]


def test_unknown_keys_are_kept_and_written_last() -> None:
    wire = {"someDay": [1], "firstName": "a", "alwaysThere": None, "innerList": [{"deepValue": 1, "new": None}]}
    value = Outer.model_validate(wire)
    assert value.to_wire() == wire
    assert list(value.to_wire())[-1] == "someDay"


def test_values_are_frozen() -> None:
    value = Inner(deep_value=1)
    with pytest.raises(ValueError, match="frozen"):
        value.__setattr__("deep_value", 2)


@pytest.mark.parametrize("value", [object(), {"a": {1, 2}}, [b"bytes"]])
def test_what_is_no_json_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="is not JSON data"):
        wire_value(value)


def test_a_copy_is_deep() -> None:
    original = {"a": [1, {"b": 2}]}
    copy = wire_value(original)
    copy["a"][1]["b"] = 3
    assert original == {"a": [1, {"b": 2}]}


def test_a_line_is_compact_utf8() -> None:
    assert json_line({"a": ["ü😀", 1.5, None, True]}) == '{"a":["ü😀",1.5,null,true]}\n'.encode()


def test_line_separators_of_javascript_stay_inside_the_line() -> None:
    assert json_line("a\u2028b\nc").count(b"\n") == 2 - 1
    assert json.loads(json_line("a\u2028b\nc")) == "a\u2028b\nc"


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_json_does_not_have_is_null(number: float) -> None:
    assert json_line({"a": [number, 1.0], "b": (number,)}) == b'{"a":[null,1.0],"b":[null]}\n'


def test_123_unpaired_surrogates_make_a_valid_line_that_reads_back() -> None:
    text = "a\ud800b\udfff"
    line = json_line({"text": text})
    assert line == b'{"text":"a\\ud800b\\udfff"}\n'
    assert json.loads(line)["text"] == text


LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)


@given(VALUES)
def test_every_json_value_reads_back(value: Any) -> None:
    line = json_line(value)
    assert line.count(b"\n") == 1
    assert json.loads(line) == value


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("plain", "plain"),
        ("emoji 😀 stays", "emoji 😀 stays"),
        ("a\ud83db", "ab"),
        ("c\ude00d", "cd"),
        ("\ud83d\ude00", "😀"),
        ("\ude00\ud83d", ""),
        ("end\ud83d", "end"),
        ("\ud83d\ud83d\ude00 漢", "😀 漢"),
    ],
)
def test_123_unpaired_surrogates_are_left_out_and_halves_joined(text: str, kept: str) -> None:
    assert without_surrogates(text) == kept
    assert json_without_surrogates({text: [text, 1]}) == {kept: [kept, 1]}


@given(st.text(st.characters(exclude_categories=())))
def test_what_is_left_can_be_sent(text: str) -> None:
    kept = without_surrogates(text)
    kept.encode()
    assert without_surrogates(kept) == kept
