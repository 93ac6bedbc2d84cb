"""What the adapters need around a test: their SDKs loaded before any clock runs, their connections closed after."""

from collections.abc import AsyncIterator

import pytest

from core.ai.sdk_clients import close_clients, load_sdk


@pytest.fixture
async def sdks() -> AsyncIterator[None]:
    """Both SDKs are loaded; what they keep open between requests is closed when the test is over."""
    await load_sdk("anthropic")
    await load_sdk("openai")
    yield
    await close_clients()
