"""What the adapters need to know of a URL."""

from __future__ import annotations

from urllib.parse import urlsplit


def host_of(url: str) -> str:
    """Return the host of a URL in lower case, "" when there is none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""
