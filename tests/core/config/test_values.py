"""The value syntax of keys and headers."""

import pytest

from core.config import values
from core.config.values import Unresolved, missing_variables, resolve

ENV = {"KEY": "value", "EMPTY": "", "A_1": "a"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("literal", "literal"),
        ("$KEY", "value"),
        ("${KEY}", "value"),
        ("Bearer ${KEY}-$A_1", "Bearer value-a"),
        ("a$$b", "a$b"),
        ("$!cmd", "!cmd"),
        ("$$KEY", "$KEY"),
        ("100$", "100$"),
        ("$1", "$1"),
        ("!echo  hi ", "hi"),
        ("!printf 'a\\nb\\n'", "a\nb"),
    ],
)
def test_values(text: str, value: str) -> None:
    assert resolve(text, ENV) == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("$MISSING", "the environment variable MISSING is not set"),
        ("x${EMPTY}", "the environment variable EMPTY is not set"),
        ("!exit 3", "its command ended with code 3"),
        ("!true", "its command printed nothing"),
    ],
)
def test_values_that_cannot_be_had(text: str, reason: str) -> None:
    with pytest.raises(Unresolved, match=reason):
        resolve(text, ENV)


def test_a_command_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "COMMAND_SECONDS", 0.1)
    with pytest.raises(Unresolved, match=r"did not end within 0\.1 seconds"):
        resolve("!sleep 60", ENV)


def test_a_command_gets_no_input() -> None:
    assert resolve("!cat; echo end", ENV) == "end"


def test_a_command_names_no_variable_to_look_up() -> None:
    assert missing_variables("!echo $MISSING", ENV) == []
    assert missing_variables("$$MISSING", ENV) == []
