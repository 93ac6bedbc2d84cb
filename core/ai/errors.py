"""Structured errors of providers.

ProviderError        raised inside an adapter, turned into a terminal `error` event at the provider boundary
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import ValidationError

from core.ai.messages import AssistantMessage, Diagnostic, now_ms
from core.ai.wire import Json, WireModel

ErrorKind: TypeAlias = Literal[
    "auth",  # the key is missing or refused
    "quota",  # paid limit reached: waiting does not help
    "rate_limit",  # too many requests: waiting helps
    "overloaded",  # the provider is busy
    "server",  # 5xx
    "network",  # no connection, connection lost
    "timeout",  # no bytes for too long
    "overflow",  # the conversation does not fit the context window
    "invalid_request",  # the provider refuses the request as it is
    "refusal",  # the provider's safety system ended the reply
    "malformed",  # the stream broke the protocol or ended early
    "unknown",
]

TRANSIENT_KINDS: frozenset[str] = frozenset({"rate_limit", "overloaded", "server", "network", "timeout", "malformed"})
"""Kinds for which asking again can help."""

DIAGNOSTIC_TYPE = "provider_error"


class ErrorInfo(WireModel):
    """What is known of a failure. `retry_after` is in seconds, as the server asked."""

    kind: ErrorKind
    message: str
    status: int | None = None
    code: str | None = None
    retry_after: float | None = None
    request_id: str | None = None
    retryable: bool | None = None
    """The server's own word (`x-should-retry`), which overrides the kind."""

    @property
    def transient(self) -> bool:
        """True when asking again can help."""
        return self.kind in TRANSIENT_KINDS if self.retryable is None else self.retryable

    def to_diagnostic(self) -> Diagnostic:
        """Return the note that carries this error on a message."""
        details = {key: value for key, value in self.to_wire().items() if key != "message"}
        return Diagnostic(type=DIAGNOSTIC_TYPE, timestamp=now_ms(), error={"message": self.message}, details=details)


class ProviderError(Exception):
    """Raised by adapters; never leaves `core.ai`."""

    def __init__(self, info: ErrorInfo) -> None:
        super().__init__(info.message)
        self.info = info


def error_of(message: AssistantMessage) -> ErrorInfo | None:
    """Return the structured error of a failed message; one written by another program has only its text."""
    for diagnostic in message.diagnostics or ():
        if diagnostic.type == DIAGNOSTIC_TYPE:
            text: Json = (diagnostic.error or {}).get("message", message.error_message or "")
            try:
                return ErrorInfo.model_validate({**(diagnostic.details or {}), "message": text})
            except ValidationError:  # another version's details: its text is all that is sure
                return ErrorInfo(kind="unknown", message=message.error_message or "")
    if message.stop_reason != "error":
        return None
    return ErrorInfo(kind="unknown", message=message.error_message or "")
