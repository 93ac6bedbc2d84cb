"""What both SDKs need to send a request: a shared HTTP client, headers, keys."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from core import __version__
from core.ai.daemon_thread import in_daemon_thread
from core.ai.errors import ErrorInfo, ProviderError
from core.ai.model import ModelRequest

if TYPE_CHECKING:
    import httpx2

CONNECT_SECONDS = 30.0
"""Limit for making a connection; silence after that is the provider boundary's business."""

UNUSED_KEY = "unused"
"""Given to an SDK that shall send no key of its own, so that it does not look for one in the environment."""

LOOPBACK = ("localhost", "127.0.0.1", "::1")
"""Hosts that are never reached through a proxy."""

_http_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, bool], httpx2.AsyncClient]] = (
    WeakKeyDictionary()
)


def http_client(sdk: str, url: str, make: Callable[..., httpx2.AsyncClient]) -> httpx2.AsyncClient:
    """Return this event loop's HTTP client for `sdk`; its connections are used again by later requests.

    `make` is the SDK's client class, which knows proxies from the environment and the system's certificates. Reading
    those costs about 100 ms, so plain HTTP to this machine has a client of its own that needs neither.
    """
    parts = urlsplit(url)
    plain = parts.scheme == "http" and parts.hostname in LOOPBACK
    clients = _http_clients.setdefault(asyncio.get_running_loop(), {})
    if (sdk, plain) not in clients:
        if plain:
            client = make(trust_env=False, verify=False, follow_redirects=False)
        else:
            hosts = (f"[{host}]" if ":" in host else host for host in LOOPBACK)
            client = make(mounts={f"all://{host}": None for host in hosts})
        clients[sdk, plain] = client
    return clients[sdk, plain]


_loaded: set[str] = set()
_USED_MODULES: Mapping[str, Sequence[str]] = {
    "anthropic": ("anthropic.resources.messages",),
    "openai": ("openai.resources.chat.completions.completions", "openai.resources.chat.chat"),
}
_LATE_MODULES = ("httpcore2", "anyio._backends._asyncio")
"""What the first request would import by itself while the event loop waits. A name that changes does no harm."""


async def load_sdk(sdk: str) -> None:
    """Import an SDK in a thread, so that the event loop goes on meanwhile: one to two seconds of CPU, once."""
    if sdk not in _loaded:
        await in_daemon_thread(lambda: _import_sdk(sdk))
        _loaded.add(sdk)


def _import_sdk(sdk: str) -> None:
    for name in _USED_MODULES[sdk]:
        importlib.import_module(name)
    for name in _LATE_MODULES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


async def close_clients() -> None:
    """Close the connections of the running event loop; call it before the loop ends."""
    for client in _http_clients.pop(asyncio.get_running_loop(), {}).values():
        await client.aclose()


def request_timeout() -> httpx2.Timeout:
    """Return the SDK's time limits: one for connecting, none for the rest."""
    import httpx2

    return httpx2.Timeout(None, connect=CONNECT_SECONDS)


def ambient_header_names(variable: str) -> Sequence[str]:
    """Return the header names that an SDK takes from an environment variable of lines `name: value`.

    They are meant for the SDK's own provider and must not be sent to others.
    """
    lines = os.environ.get(variable, "").split("\n")
    return [name.strip() for name, colon, _ in (line.partition(":") for line in lines) if colon and name.strip()]


def user_agent() -> str:
    """Return the User-Agent that providers see."""
    version = ".".join(str(part) for part in sys.version_info[:3])
    return f"pi/{__version__} ({sys.platform}; python/{version}; {platform.machine()})"


def request_headers(request: ModelRequest, own: Mapping[str, str]) -> dict[str, str | None]:
    """Return the headers of one request: ours, then the model's, then the request's; None suppresses a default.

    Names are in lower case. Raises ProviderError for a value that cannot be sent.
    """
    merged: dict[str, str | None] = {"user-agent": user_agent()}
    for source in (own, request.model.headers or {}, request.options.headers):
        for name, value in source.items():
            if value is not None and not _sendable(value):
                raise ProviderError(
                    ErrorInfo(
                        kind="invalid_request",
                        message=f"The header {name!r} for {request.model.ref} holds characters that cannot be sent",
                    )
                )
            merged[name.lower()] = value
    return merged


def required_key(request: ModelRequest, headers: Mapping[str, str | None]) -> str | None:
    """Return the API key, None when a header does its work. Raises ProviderError when there is neither."""
    key = request.options.api_key
    if key and not _sendable(key):
        text = (
            f"The API key for {request.model.provider} holds characters that cannot be sent; check how it was entered"
        )
        raise ProviderError(ErrorInfo(kind="auth", message=text))
    if key:
        return key
    if any(headers.get(name) for name in ("authorization", "x-api-key", "api-key")):
        return None
    text = f"No API key for {request.model.provider}"
    raise ProviderError(ErrorInfo(kind="auth", message=text))


def secrets_of(key: str | None, headers: Mapping[str, str | None]) -> Sequence[str]:
    """Return what must never be in an error text."""
    quiet = ("authorization", "x-api-key", "api-key", "cookie", "proxy-authorization")
    values = [value for name, value in headers.items() if value and (name in quiet or "token" in name or "key" in name)]
    return [secret for secret in (key, *values) if secret]


def _sendable(value: str) -> bool:
    return value.isascii() and value.isprintable()
