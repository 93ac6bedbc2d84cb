"""When asking again can help, and how long to wait before."""

from __future__ import annotations

import random
import re

from core.ai.errors import ErrorInfo, error_of
from core.ai.failures import is_overflow, is_quota
from core.ai.messages import AssistantMessage

_TRANSIENT_TEXT = re.compile(
    r"overload|busy|throttl|high demand|at capacity|rate.?limit|too many requests|service.?unavailable|server error"
    r"|internal error|(?<![\w-])(?:429|500|502|503|504|520|524|529)(?![\w-])|provider returned error|upstream|network"
    r"|connection|socket hang up|fetch failed|ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|timed? ?out|terminated|websocket"
    r"|ended (?:without|before)|retry your request|ResourceExhausted",
    re.IGNORECASE,
)
"""Wordings of failures that pass, for messages that another program wrote without a structured error."""


def is_retryable(message: AssistantMessage) -> bool:
    """True when the failed `message` may come out well another time: never for keys, paid limits or overflow."""
    info = error_of(message)
    if info is None:
        return False
    if info.kind != "unknown" or info.retryable is not None:
        return info.transient
    text = info.message
    return bool(_TRANSIENT_TEXT.search(text)) and not is_quota(text) and not is_overflow(text)


def retry_delay(attempt: int, info: ErrorInfo | None, base: float, cap: float) -> float | None:
    """Return the seconds to wait before `attempt` (from 1): base, 2 base, 4 base ... plus up to 25 %, at most `cap`.

    Never less than the server asked for; None when it asked for more than `cap`: failing now is honest then.
    """
    asked = info.retry_after if info is not None and info.retry_after is not None else 0.0
    if asked > cap:
        return None
    backoff = base * 2 ** (attempt - 1) * (1 + random.random() / 4)
    return max(asked, min(backoff, cap))
