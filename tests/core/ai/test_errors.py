"""Structured errors and the notes that carry them on messages."""

from __future__ import annotations

import pytest

from core.ai.errors import TRANSIENT_KINDS, ErrorInfo, error_of
from core.ai.messages import AssistantMessage, Diagnostic, parse_message

FULL = ErrorInfo(
    kind="rate_limit",
    message="Slow down",
    status=429,
    code="rate_limited",
    retry_after=1.5,
    request_id="req_1",
    retryable=True,
)


@pytest.mark.parametrize("info", [FULL, ErrorInfo(kind="network", message="Lost")], ids=["full", "short"])
def test_an_error_survives_being_stored_on_a_message(info: ErrorInfo) -> None:
    message = AssistantMessage(stop_reason="error", error_message=info.message, diagnostics=(info.to_diagnostic(),))
    stored = message.to_wire()
    read = parse_message(stored)
    assert isinstance(read, AssistantMessage)
    assert error_of(read) == info
    note = stored["diagnostics"][0]
    assert note["type"] == "provider_error"
    assert note["error"] == {"message": info.message}
    assert "message" not in note["details"]


def test_the_note_uses_wire_names() -> None:
    assert FULL.to_diagnostic().details == {
        "kind": "rate_limit",
        "status": 429,
        "code": "rate_limited",
        "retryAfter": 1.5,
        "requestId": "req_1",
        "retryable": True,
    }


def test_a_failed_message_of_another_program_has_only_its_text() -> None:
    message = AssistantMessage(stop_reason="error", error_message="503 busy")
    assert error_of(message) == ErrorInfo(kind="unknown", message="503 busy")
    assert error_of(AssistantMessage(stop_reason="error")) == ErrorInfo(kind="unknown", message="")


def test_a_note_of_another_version_is_not_believed() -> None:
    note = Diagnostic(type="provider_error", timestamp=1, error={"message": "text"}, details={"kind": "weather"})
    message = AssistantMessage(stop_reason="error", error_message="It rains", diagnostics=(note,))
    assert error_of(message) == ErrorInfo(kind="unknown", message="It rains")
    bare = message.model_copy(update={"diagnostics": (Diagnostic(type="provider_error", timestamp=1),)})
    assert error_of(bare) == ErrorInfo(kind="unknown", message="It rains")


def test_other_notes_and_messages_that_did_not_fail_have_no_error() -> None:
    note = Diagnostic(type="something_else", timestamp=1)
    assert error_of(AssistantMessage(diagnostics=(note,))) is None
    assert error_of(AssistantMessage(stop_reason="aborted", error_message="Aborted")) is None


@pytest.mark.parametrize("kind", ["auth", "quota", "overflow", "invalid_request", "refusal", "unknown"])
def test_kinds_for_which_asking_again_does_not_help(kind: str) -> None:
    assert kind not in TRANSIENT_KINDS


def test_the_word_of_the_server_overrides_the_kind() -> None:
    assert ErrorInfo(kind="server", message="").transient
    assert not ErrorInfo(kind="server", message="", retryable=False).transient
    assert ErrorInfo(kind="auth", message="", retryable=True).transient
