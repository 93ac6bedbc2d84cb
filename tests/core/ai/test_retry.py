"""When asking again can help."""

import pytest

from core.ai.builder import MessageBuilder
from core.ai.errors import ErrorInfo
from core.ai.messages import AssistantMessage
from core.ai.retry import is_retryable, retry_delay
from tests.core.ai.build import anthropic_model
from tests.core.ai.test_failures import OVERFLOWS, QUOTAS, THROTTLES


def by_another_program(text: str) -> AssistantMessage:
    return AssistantMessage(stop_reason="error", error_message=text)


def ours(**fields: object) -> AssistantMessage:
    info = ErrorInfo.model_validate({"message": "x", **fields})
    return MessageBuilder(anthropic_model()).failed(info).error


@pytest.mark.parametrize(
    "text",
    [
        *THROTTLES,
        '529 {"type":"error","error":{"type":"overloaded_error"}}',
        "503 Service Unavailable",
        "Connection error.",
        "fetch failed",
        "socket hang up",
        "The stream ended before message_stop",
        "Request timed out.",
        "terminated",
        "500 Internal server error",
        "Please retry your request",
    ],
)
def test_transient_texts_of_other_programs(text: str) -> None:
    assert is_retryable(by_another_program(text))


@pytest.mark.parametrize(
    "text", [*QUOTAS, *OVERFLOWS, "401 invalid x-api-key", "request req_a503b failed: bad schema", "refused by policy"]
)
def test_147_what_waiting_does_not_cure(text: str) -> None:
    assert not is_retryable(by_another_program(text))


@pytest.mark.parametrize("kind", ["rate_limit", "overloaded", "server", "network", "timeout", "malformed"])
def test_transient_kinds(kind: str) -> None:
    assert is_retryable(ours(kind=kind))
    assert not is_retryable(ours(kind=kind, retryable=False))


@pytest.mark.parametrize("kind", ["auth", "quota", "overflow", "invalid_request", "refusal"])
def test_kinds_that_stay(kind: str) -> None:
    assert not is_retryable(ours(kind=kind, message="overloaded, please try again, connection"))


def test_replies_that_did_not_fail() -> None:
    assert not is_retryable(AssistantMessage(stop_reason="aborted", error_message="connection"))
    assert not is_retryable(AssistantMessage())


@pytest.mark.parametrize(("attempt", "low"), [(1, 2.0), (2, 4.0), (3, 8.0)])
def test_148_delays_with_up_to_a_quarter_more(attempt: int, low: float) -> None:
    delays = [retry_delay(attempt, None, 2.0, 60.0) or 0 for _ in range(200)]
    assert low <= min(delays) < max(delays) <= low * 1.25


def test_143_never_sooner_than_asked_and_never_later_than_the_cap() -> None:
    def delay(seconds: float) -> float | None:
        return retry_delay(1, ErrorInfo(kind="rate_limit", message="", retry_after=seconds), 2.0, 60.0)

    assert delay(30.0) == 30.0
    assert delay(60.0) == 60.0
    assert delay(120.0) is None
    assert 2.0 <= (delay(0.5) or 0) <= 2.5


def test_backoff_stays_below_the_cap() -> None:
    assert retry_delay(10, None, 2.0, 60.0) == 60.0
