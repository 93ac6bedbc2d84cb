"""From status, code and wording to a kind of failure."""

import ssl
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import pytest

from core.ai.errors import ErrorInfo
from core.ai.failures import (
    BODY_LIMIT,
    event_failure,
    http_failure,
    is_overflow,
    is_quota,
    kind_of,
    readable_body,
    redacted,
    transport_failure,
)

OVERFLOWS = [
    "prompt is too long: 213462 tokens > 200000 maximum",
    "Prompt too long",
    "Prompt exceeds max length",
    '{"type":"request_too_large","message":"Request exceeds the maximum size"}',
    "Input is too long for requested model.",
    "Your input exceeds the context window of this model.",
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens",
    "Requested token count exceeds the model's maximum context length of 131072 tokens",
    "context window exceeds limit (2013)",
    "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    "Please reduce the length of the messages or completion.",
    "Input length 265330 exceeds the maximum allowed input length of 262112 tokens.",
    "The input (516368 tokens) is longer than the model's context length (262144 tokens).",
    "prompt token count of 131393 exceeds the limit of 128000",
    "the request exceeds the available context size, try increasing it",
    "tokens to keep from the initial prompt is greater than the context length",
    "Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)",
    "Prompt contains 140000 tokens, too large for model with 131072 maximum context length",
    "prompt has 12000 tokens but configured context size is 8192",
    "model_context_window_exceeded",
    "Range of input length should be [1, 129024]",
    "error code context_length_exceeded",
    "too many tokens in the request",
    "token limit exceeded",
    "413 (no body)",
]
THROTTLES = [
    "Rate limit reached for gpt-test in organization org-1 on tokens per min (TPM): Limit 30000, Used 29000",
    "Too many requests, please wait before trying again.",
    "ThrottlingException: Too many tokens, please wait before trying again.",
    "Too many tokens per minute; rate limit exceeded",
]
QUOTAS = [
    "You exceeded your current quota, please check your plan and billing details.",
    "insufficient_quota",
    "Your credit balance is too low to access the API.",
    "You have reached your monthly limit",
    "Usage limit reached for 5 hours",
    "Insufficient balance or no resource package. Please recharge.",
    '{"error":{"code":"1308","message":"limit"}}',
    "quota exceeded",
]


@pytest.mark.parametrize("text", OVERFLOWS)
def test_146_overflow_wordings(text: str) -> None:
    assert is_overflow(text)
    assert kind_of(text, 400) == "overflow"


@pytest.mark.parametrize("text", THROTTLES)
def test_146_151_throttling_is_never_overflow(text: str) -> None:
    assert not is_overflow(text)
    for status in (None, 400, 413, 429, 500):
        assert kind_of(text, status) == "rate_limit"


@pytest.mark.parametrize("text", QUOTAS)
def test_147_paid_limits_are_not_throttling(text: str) -> None:
    assert is_quota(text)
    assert kind_of(text, 429) == "quota"
    assert not ErrorInfo(kind=kind_of(text, 429), message=text).transient


def test_a_link_to_the_billing_page_is_no_paid_limit() -> None:
    text = "Rate limit reached. Add a payment method at https://platform.example.com/account/billing to raise it."
    assert kind_of(text, 429) == "rate_limit"


@pytest.mark.parametrize(
    "text", ["image exceeds 5 MB maximum", "messages: text content blocks must be non-empty", "a tokenizer problem"]
)
def test_other_bad_requests_are_no_overflow(text: str) -> None:
    assert kind_of(text, 400) == "invalid_request"


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid_request"),
        (401, "auth"),
        (402, "quota"),
        (403, "auth"),
        (404, "invalid_request"),
        (408, "timeout"),
        (409, "server"),
        (413, "overflow"),
        (422, "invalid_request"),
        (429, "rate_limit"),
        (500, "server"),
        (502, "server"),
        (503, "overloaded"),
        (504, "timeout"),
        (520, "server"),
        (529, "overloaded"),
    ],
)
def test_statuses_without_telling_words(status: int, kind: str) -> None:
    assert kind_of("something", status) == kind


def failed(
    status: int,
    body: str = "",
    headers: Mapping[str, str] | None = None,
    *,
    secrets: tuple[str, ...] = (),
    bodyless_overflow: bool = False,
) -> ErrorInfo:
    return http_failure(
        status, headers or {}, body, separator=": ", secrets=secrets, bodyless_overflow=bodyless_overflow
    )


def test_the_text_is_status_and_body() -> None:
    error = failed(404, '{"error":{"type":"not_found_error","message":"model: x"}}', {"request-id": "req_1"})
    assert error.message == '404: {"error":{"type":"not_found_error","message":"model: x"}}'
    assert (error.status, error.code, error.request_id) == (404, "not_found_error", "req_1")
    assert failed(500, "", {"x-request-id": "r2"}).request_id == "r2"


def test_long_bodies_are_cut() -> None:
    assert len(failed(500, "x" * 10_000).message) == BODY_LIMIT + len("500: ")


def test_of_a_web_page_only_the_headline_is_told() -> None:
    page = "<!DOCTYPE html><html><head><title>502 Bad\n Gateway</title></head><body><script>x</script></body></html>"
    assert failed(502, page).message == "502: a web page: 502 Bad Gateway"
    assert readable_body("<html><body><h1>Blocked</h1></body></html>") == "a web page: Blocked"
    assert readable_body("<html>") == "a web page: without a title"


def test_secrets_are_blotted_out() -> None:
    error = failed(401, "Incorrect API key provided: sk-secret-1234.", secrets=("sk-secret-1234",))
    assert "sk-secret" not in error.message
    assert "[secret]" in error.message
    assert redacted("a-b-c", ("a",)) == "a-b-c"


def test_a_missing_body_is_overflow_only_where_it_is_known_to_be() -> None:
    assert failed(400).kind == "invalid_request"
    assert failed(400, bodyless_overflow=True).kind == "overflow"
    assert failed(400).message == "400: (no body)"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_143_144_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert failed(429, "x", headers).retry_after == seconds


def test_143_retry_after_as_a_date() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    waited = failed(429, "", {"retry-after": later}).retry_after
    assert waited is not None
    assert 25 < waited <= 30
    past = format_datetime(datetime.now(UTC) - timedelta(days=1), usegmt=True)
    assert failed(429, "", {"retry-after": past}).retry_after == 0


def test_a_wait_in_words_counts_when_no_header_says_it() -> None:
    assert failed(429, "Please try again in 7.2s. Visit the docs.").retry_after == 7.2
    assert failed(429, "Please try again in 350ms.").retry_after == 0.35
    assert failed(429, "Please try again in 7.2s", {"retry-after": "20"}).retry_after == 20


def test_144_the_server_s_word_on_retrying() -> None:
    assert failed(503, "x", {"x-should-retry": "false"}).transient is False
    assert failed(400, "x", {"x-should-retry": "true"}).transient is True
    assert failed(503, "x").transient is True


@pytest.mark.parametrize(
    ("error", "kind", "status", "code"),
    [
        ({"type": "overloaded_error"}, "overloaded", None, "overloaded_error"),
        ({"type": "api_error"}, "server", None, "api_error"),
        ({"type": "rate_limit_error"}, "rate_limit", None, "rate_limit_error"),
        ({"type": "invalid_request_error"}, "invalid_request", None, "invalid_request_error"),
        ({"code": 429}, "rate_limit", 429, None),
        ({"code": "502"}, "server", 502, None),
        ({"code": 7}, "unknown", None, None),
        (None, "unknown", None, None),
    ],
)
def test_error_events(error: dict[str, object] | None, kind: str, status: int | None, code: str | None) -> None:
    found = event_failure(error, "something", ())
    assert (found.kind, found.status, found.code) == (kind, status, code)


def raised(outer: Exception, *causes: Exception) -> Exception:
    """`outer`, raised from the first cause, that from the next, and so on."""
    error = outer
    for cause in causes:
        error.__cause__ = cause
        error = cause
    return outer


def test_a_connection_error_names_its_deepest_cause() -> None:
    error = raised(RuntimeError("SDK"), httpx2.ConnectError("all failed"), OSError(111, "Connection refused"))
    info = transport_failure(error, ())
    assert info is not None
    assert (info.kind, info.transient) == ("network", True)
    assert info.message == "Connection error: [Errno 111] Connection refused"


def test_a_certificate_is_named_and_not_asked_for_again() -> None:
    reason = ssl.SSLCertVerificationError(1, "certificate verify failed: self-signed certificate")
    info = transport_failure(raised(RuntimeError("SDK"), httpx2.ConnectError("x"), reason), ())
    assert info is not None
    assert (info.kind, info.transient) == ("network", False)
    assert "self-signed certificate" in info.message


def test_a_timeout_while_connecting() -> None:
    info = transport_failure(raised(RuntimeError("SDK"), httpx2.ConnectTimeout("")), ())
    assert info is not None
    assert (info.kind, info.message) == ("timeout", "Request timed out: ConnectTimeout")


def test_a_body_that_cannot_be_unpacked() -> None:
    info = transport_failure(httpx2.DecodingError("bad gzip"), ())
    assert info is not None
    assert info.kind == "malformed"


def test_faults_of_ours_are_no_connection_errors() -> None:
    assert transport_failure(ValueError("x"), ()) is None


def test_secrets_in_connection_errors() -> None:
    info = transport_failure(httpx2.ConnectError("http://user:pass-word@host refused"), ("pass-word",))
    assert info is not None
    assert "pass-word" not in info.message
