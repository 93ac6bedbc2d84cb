"""Argument text of tool calls: strict at the end, tolerant while it streams. 083 to 085 of the behaviour table."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ai.tool_arguments import PREVIEW_LIMIT, parse_final, parse_partial

OBJECTS = st.dictionaries(
    st.text(max_size=5),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=6,
    ),
    max_size=4,
)


@pytest.mark.parametrize("text", ["", "  ", "\n\t"])
def test_084_blank_text_is_no_arguments(text: str) -> None:
    assert parse_final(text) == ({}, None)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        (' {"a": [true, null]} \n', {"a": [True, None]}),
        ('{"a": "line\nbreak\tand tab"}', {"a": "line\nbreak\tand tab"}),
        (r'{"a": "C:\dir"}', {"a": r"C:\dir"}),
        (r'{"a": "\d+\\w\/ and \u00e9"}', {"a": r"\d+\w/ and é"}),
        (r'{"a": "C:\\dir\q"}', {"a": r"C:\dir\q"}),
        (r'{"a": "\u12"}', {"a": r"\u12"}),
        ('{"a": "x\ny\\z"}', {"a": "x\ny\\z"}),
    ],
)
def test_final_text_with_common_faults_inside_strings(text: str, value: dict[str, Any]) -> None:
    assert parse_final(text) == (value, None)


@pytest.mark.parametrize(
    "text",
    [
        '{"path":"a", tru',
        '{"path":"a"',
        '{"path":"a',
        '{"path":"a\\',
        "{'path': 'a'}",
        '{"a": 1} trailing',
        '{"a" "b": 1}',
        '{"a": NaN}',
        '{"a": Infinity}',
        "hello",
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"a": ' + "9" * 5_000 + "}",
    ],
    ids=lambda text: text[:12],
)
def test_083_text_that_is_no_json_is_never_completed(text: str) -> None:
    arguments, error = parse_final(text)
    assert arguments == {}
    assert error is not None
    assert text[:PREVIEW_LIMIT] in error
    assert len(error) < PREVIEW_LIMIT + 500


@pytest.mark.parametrize(
    ("text", "kind"),
    [("[1]", "an array"), ('"text"', "a string"), ("5", "a number"), ("true", "a boolean"), ("null", "null")],
)
def test_085_only_an_object_is_arguments(text: str, kind: str) -> None:
    arguments, error = parse_final(text)
    assert arguments == {}
    assert error is not None
    assert f"must be a JSON object, not {kind}" in error
    assert text in error


@given(OBJECTS)
def test_every_object_is_read_as_it_is(value: dict[str, Any]) -> None:
    assert parse_final(json.dumps(value)) == (value, None)
    assert parse_final(json.dumps(value, ensure_ascii=False)) == (value, None)


@given(OBJECTS, st.data())
def test_no_cut_text_passes_for_whole(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    arguments, error = parse_final(cut)
    assert arguments == {}
    assert error is not None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", {}),
        ("{", {}),
        ('{"a', {}),
        ('{"a":', {}),
        ('{"a":"x', {"a": "x"}),
        ('{"a":"x\\', {"a": "x"}),
        ('{"a":"x\\u00e', {"a": "x"}),
        ('{"a":1', {"a": 1}),
        ('{"a":1,"b":"x", ', {"a": 1, "b": "x"}),
        ('{"a":[1,', {"a": [1]}),
        ('{"a":{"b":"c', {"a": {"b": "c"}}),
        ('{"a":"x   ', {"a": "x   "}),
        ('{"a":"x\ny', {"a": "x\ny"}),
        (r'{"a":"C:\dir"}', {"a": r"C:\dir"}),
        (r'{"a":"C:\dir', {"a": r"C:\dir"}),
        ('{"a":1} and more', {"a": 1}),
        ("[1,2", {}),
        ('"text', {}),
        ("hello", {}),
        ('{"a":"\ud83d', {"a": "?"}),
        ("[" * 100_000, {}),
    ],
)
def test_partial_text(text: str, shown: dict[str, Any]) -> None:
    assert parse_partial(text) == shown


@given(OBJECTS, st.data())
def test_partial_text_never_raises_and_shows_whole_text_whole(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value, ensure_ascii=False)
    shown = parse_partial(text[: data.draw(st.integers(0, len(text)))])
    assert isinstance(shown, dict)
    assert shown.keys() <= value.keys()
    assert parse_partial(text) == value


@pytest.mark.parametrize("parse", [parse_final, parse_partial])
def test_a_long_cut_text_full_of_escapes_takes_linear_time(parse: Any) -> None:
    def seconds(size: int) -> float:
        text = '{"content": "\n' + r"<a href=\"x\">" * size
        begun = time.process_time()
        parse(text)
        return time.process_time() - begun

    seconds(10)
    assert seconds(40_000) < 2
