"""The HTTP clients below the SDKs."""

from typing import Any

import httpx2
import pytest

from core.ai.sdk_clients import ambient_header_names, close_clients, http_client


class Recorder(httpx2.AsyncClient):
    """A client that notes what it was made with."""

    def __init__(self, **options: Any) -> None:
        super().__init__(verify=False, trust_env=False)
        self.made_with = options


async def test_one_client_for_this_machine_and_one_for_the_world() -> None:
    made = {
        url: http_client("sdk", url, Recorder)
        for url in ("http://localhost:1/v1", "http://127.0.0.1:2", "https://api.example", "https://localhost", "")
    }
    plain, _, world, *rest = made.values()
    assert made["http://127.0.0.1:2"] is plain
    assert all(client is world for client in rest)
    assert isinstance(plain, Recorder)
    assert isinstance(world, Recorder)
    assert plain.made_with == {"trust_env": False, "verify": False, "follow_redirects": False}
    assert world.made_with == {"mounts": {"all://localhost": None, "all://127.0.0.1": None, "all://[::1]": None}}
    assert http_client("other", "https://api.example", Recorder) is not world
    await close_clients()
    assert plain.is_closed
    assert world.is_closed
    assert http_client("sdk", "https://api.example", Recorder) is not world
    await close_clients()


def test_header_names_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "X-One: a:b\nno colon\n X-Two :c\n: d")
    assert ambient_header_names("ANTHROPIC_CUSTOM_HEADERS") == ["X-One", "X-Two"]
    assert ambient_header_names("NOT_SET") == []
