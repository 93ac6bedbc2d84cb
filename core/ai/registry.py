"""Adapters by the name of their wire format, imported when first used."""

from __future__ import annotations

import importlib

from core.ai.daemon_thread import in_daemon_thread
from core.ai.provider import Provider
from core.ai.sdk_clients import load_sdk

_ADAPTERS: dict[str, tuple[str, str]] = {
    "anthropic-messages": ("core.ai.anthropic", "AnthropicProvider"),
    "openai-completions": ("core.ai.openai_chat", "OpenAIChatProvider"),
    "demo": ("core.ai.demo", "DemoProvider"),
    "scripted": ("core.ai.scripted", "ScriptedProvider"),
}
_SDKS = {"anthropic-messages": "anthropic", "openai-completions": "openai"}


class UnknownApi(LookupError):
    """There is no adapter for a wire format; the text says what to do."""


def provider_for(api: str) -> Provider:
    """Return an adapter for the wire format `api`. Imports no SDK. Raises UnknownApi."""
    if api == "openai-responses":
        raise UnknownApi('The API "openai-responses" is not supported yet; use "openai-completions" for this model')
    if api not in _ADAPTERS:
        raise UnknownApi(f'The API "{api}" is not supported; known are: {", ".join(_ADAPTERS)}')
    module, name = _ADAPTERS[api]
    provider: Provider = getattr(importlib.import_module(module), name)()
    return provider


async def preload(api: str) -> None:
    """Import in a thread what the first request to `api` needs: for a pause after the first frame."""
    if api in _ADAPTERS:
        await in_daemon_thread(lambda: importlib.import_module(_ADAPTERS[api][0]))
    if api in _SDKS:
        await load_sdk(_SDKS[api])
