"""What a provider's failure means: from status, code and wording to a structured error.

The wordings are those of the providers' own messages. A conversation that is too long must never be taken for
throttling, nor the other way round: one is cured by shortening, the other by waiting.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from core.ai.errors import ErrorInfo, ErrorKind
from core.ai.wire import Json

BODY_LIMIT = 4000
"""Characters of a response body that are kept in an error text."""

_URL = re.compile(r"https?://\S+")
_QUOTA = re.compile(
    r"insufficient[_ ]quota|quota[_ ](?:has been )?exceeded|exceeded your (?:current )?quota|out of budget|billing"
    r"|(?:credit|available|account|insufficient)[_ ]balance|insufficient (?:credits|funds)"
    r"|monthly (?:usage |spend(?:ing)? )?limit|usage[_ ]limit|spend(?:ing)?[_ ]limit|subscription limit"
    r"|\"?code\"?:\s*\"?1308\b",
    re.IGNORECASE,
)
_THROTTLED = re.compile(
    r"rate.?limit|too many requests|throttl|(?:tokens|requests) per (?:second|minute|hour|day)|concurrency limit",
    re.IGNORECASE,
)
_OVERFLOW = re.compile(
    r"prompt (?:is )?too long|prompt exceeds max length|request_too_large|input (?:is )?too long for requested model"
    r"|exceeds the (?:model'?s? )?context (?:window|length)|exceeds (?:the )?(?:model'?s )?maximum context length"
    r"|context window (?:is )?exceed|input token count.{0,60}exceeds (?:the )?maximum|maximum prompt length is \d"
    r"|reduce the length of the (?:messages|prompt|input)|maximum context length (?:is|of) \d"
    r"|exceeds (?:the )?maximum allowed input length|longer than the model'?s context length|exceeds the limit of \d"
    r"|exceeds the available context size|(?:greater|larger) than the (?:model'?s )?context (?:length|size|window)"
    r"|exceeded model token limit|too large for model with \d|prompt has \d+ tokens,? but|model_context_window_exceeded"
    r"|range of input length should be|context_length_exceeded|too many tokens|token limit exceeded|^\s*413\b",
    re.IGNORECASE | re.DOTALL,
)
_BUSY = re.compile(r"overloaded|at capacity|high demand|server is busy|temporarily unavailable", re.IGNORECASE)
_WAIT_HINT = re.compile(r"(?:try again|retry)\s+(?:in|after)\s+(\d+(?:\.\d+)?)\s*(ms|s\b|sec)", re.IGNORECASE)
_TITLE = re.compile(r"<(title|h1)[^>]*>(.*?)</\1>", re.IGNORECASE | re.DOTALL)

_BY_CODE: Mapping[str, ErrorKind] = {
    "authentication_error": "auth",
    "invalid_api_key": "auth",
    "permission_error": "auth",
    "billing_error": "quota",
    "insufficient_quota": "quota",
    "rate_limit_error": "rate_limit",
    "rate_limit_exceeded": "rate_limit",
    "overloaded_error": "overloaded",
    "server_overloaded": "overloaded",
    "api_error": "server",
    "server_error": "server",
    "internal_server_error": "server",
    "timeout_error": "timeout",
    "request_too_large": "overflow",
    "context_length_exceeded": "overflow",
    "invalid_request_error": "invalid_request",
    "not_found_error": "invalid_request",
}
_BY_STATUS: Mapping[int, ErrorKind] = {
    401: "auth",
    402: "quota",
    403: "auth",
    408: "timeout",
    409: "server",
    413: "overflow",
    429: "rate_limit",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
}


def is_quota(text: str) -> bool:
    """True for wordings of a paid limit that is used up; links in the text do not count."""
    return bool(_QUOTA.search(_URL.sub("", text)))


def is_throttling(text: str) -> bool:
    """True for wordings of too many requests or tokens per time."""
    return bool(_THROTTLED.search(_URL.sub("", text)))


def is_overflow(text: str) -> bool:
    """True for wordings of a conversation that does not fit the context window, and of nothing else."""
    return bool(_OVERFLOW.search(text)) and not is_throttling(text)


def kind_of(text: str, status: int | None = None, code: str | None = None) -> ErrorKind:
    """Return the kind of a failure; wording comes before status, since providers share statuses between causes."""
    if is_quota(text) or _BY_CODE.get(code or "") == "quota":
        return "quota"
    if status in (401, 403):
        return "auth"
    if status == 429 or is_throttling(text):
        return "rate_limit"
    if is_overflow(text):
        return "overflow"
    if status is not None and status in _BY_STATUS:
        return _BY_STATUS[status]
    if code in _BY_CODE and (status is None or status < 400 or code != "invalid_request_error"):
        return _BY_CODE[code]
    if _BUSY.search(text):
        return "overloaded"
    if status is None or status < 400:
        return "unknown"
    return "server" if status >= 500 else "invalid_request"


def http_failure(
    status: int,
    headers: Mapping[str, str],
    body: str,
    *,
    separator: str,
    secrets: Iterable[str],
    bodyless_overflow: bool,
) -> ErrorInfo:
    """Return the error of a response whose status is not a success.

    The text is the status, `separator`, and the body (at most `BODY_LIMIT` characters, secrets blotted out).
    `bodyless_overflow`: this provider answers 400 or 413 without a body when the conversation is too long.
    """
    text = readable_body(body)
    code = error_code(body)
    kind = kind_of(f"{code or ''} {text}", status, code)
    if not body.strip() and bodyless_overflow and status in (400, 413):
        kind = "overflow"
    return ErrorInfo(
        kind=kind,
        message=redacted(f"{status}{separator}{text or '(no body)'}", secrets),
        status=status,
        code=code,
        retry_after=_retry_after(headers, text),
        request_id=headers.get("request-id") or headers.get("x-request-id"),
        retryable=_should_retry(headers),
    )


def event_failure(error: Json, text: str, secrets: Iterable[str], request_id: str | None = None) -> ErrorInfo:
    """Return the failure that an error event in mid-stream tells of: its error object and the text to show."""
    fields = error if isinstance(error, dict) else {}
    code = _code_of(fields)
    raw_status = fields.get("code", fields.get("status"))
    numeric = isinstance(raw_status, int) or (isinstance(raw_status, str) and raw_status.isdigit())
    status = int(raw_status) if numeric and 400 <= int(raw_status) < 600 else None
    return ErrorInfo(
        kind=kind_of(f"{code or ''} {text}", status, code),
        message=redacted(text[:BODY_LIMIT], secrets),
        status=status,
        code=code,
        retry_after=_retry_after({}, text),
        request_id=request_id,
    )


def transport_failure(error: BaseException, secrets: Iterable[str]) -> ErrorInfo | None:
    """Return the failure of a connection, None when `error` is something else. The deepest cause is named."""
    import ssl

    import httpx2

    chain = [error]
    while (cause := chain[-1].__cause__ or chain[-1].__context__) is not None and cause not in chain:
        chain.append(cause)
    deepest = chain[-1]
    reason = redacted(str(deepest) or type(deepest).__name__, secrets)
    if any(isinstance(each, httpx2.TimeoutException) for each in chain):
        return ErrorInfo(kind="timeout", message=f"Request timed out: {reason}")
    if any(isinstance(each, httpx2.TransportError | OSError) for each in chain):
        hopeless = any(isinstance(each, httpx2.UnsupportedProtocol | ssl.SSLCertVerificationError) for each in chain)
        info = ErrorInfo(kind="network", message=f"Connection error: {reason}")
        return info.model_copy(update={"retryable": False}) if hopeless else info
    if isinstance(error, httpx2.RequestError):
        return ErrorInfo(kind="malformed", message=f"The response could not be read: {reason}")
    return None


def readable_body(body: str) -> str:
    """Return a response body as text for people, at most `BODY_LIMIT` characters; of a web page only its headline."""
    text = body.strip()
    if text[:1] == "<":
        found = _TITLE.search(text)
        headline = " ".join(found.group(2).split()) if found else "without a title"
        return f"a web page: {headline[:200]}"
    return text[:BODY_LIMIT]


def error_code(body: str) -> str | None:
    """Return the error's code or type in a JSON body, None where there is none."""
    try:
        value = json.loads(body)
    except ValueError:
        return None
    if isinstance(value, list) and value:
        value = value[0]
    error = value.get("error", value) if isinstance(value, dict) else None
    return _code_of(error) if isinstance(error, dict) else None


def redacted(text: str, secrets: Iterable[str]) -> str:
    """Return `text` with every secret replaced; values too short to be one are left alone."""
    for secret in secrets:
        if len(secret) >= 6:
            text = text.replace(secret, "[secret]")
    return text


def _code_of(error: dict[str, Json]) -> str | None:
    for key in ("code", "type", "status"):
        value = error.get(key)
        if isinstance(value, str) and value and not value.isdigit():
            return value
    return None


def _retry_after(headers: Mapping[str, str], text: str) -> float | None:
    """Seconds to wait as the server asked by header, or in words; None when it did not or cannot be understood."""
    try:
        return max(0.0, float(headers["retry-after-ms"]) / 1000)
    except (KeyError, ValueError):
        pass
    value = headers.get("retry-after", "").strip()
    if value:
        try:
            return max(0.0, float(value))
        except ValueError:
            pass
        return _seconds_until(value)
    if hint := _WAIT_HINT.search(text):
        return float(hint.group(1)) / (1000 if hint.group(2).lower() == "ms" else 1)
    return None


def _seconds_until(http_date: str) -> float | None:
    from datetime import UTC, datetime
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(http_date)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _should_retry(headers: Mapping[str, str]) -> bool | None:
    return {"true": True, "false": False}.get(headers.get("x-should-retry", "").strip().lower())
