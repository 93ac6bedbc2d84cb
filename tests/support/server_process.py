"""The scripted model server for code that must not share its event loop: in a thread, or in a process of its own."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.request import urlopen

from pydantic import JsonValue

from tests.support.model_server import ModelServer, Request, Responder
from tests.support.script import JsonObject, Reply, Script

ROOT = Path(__file__).resolve().parents[2]


class ServerThread:
    """A `ModelServer` with an event loop and a thread of its own, for tests that block (a pty, a subprocess).

    `requests` may be read at any time; every other access goes through the methods here.
    """

    def __init__(
        self,
        script: Script | Sequence[Reply | Responder] | Responder = (),
        *,
        check_requests: bool = True,
        api_key: str = "",
        repeat_last: bool = False,
    ) -> None:
        self.server = ModelServer(script, check_requests=check_requests, api_key=api_key, repeat_last=repeat_last)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="model-server", daemon=True)

    @property
    def url(self) -> str:
        return self.server.url

    @property
    def requests(self) -> list[Request]:
        return self.server.requests

    def wait_for_request(self, count: int, timeout: float = 10.0) -> Request:
        """Block until `count` model requests have come; raises `TimeoutError`."""
        return asyncio.run_coroutine_threadsafe(self.server.wait_for_request(count, timeout), self._loop).result()

    def wait_finished(self, count: int, timeout: float = 10.0) -> Request:
        """Block until request `count` has been answered to the end, or its client has left."""

        async def finished() -> Request:
            request = await self.server.wait_for_request(count, timeout)
            await asyncio.wait_for(request.finished.wait(), timeout)
            return request

        return asyncio.run_coroutine_threadsafe(finished(), self._loop).result()

    def open_gate(self, name: str) -> None:
        self._loop.call_soon_threadsafe(lambda: self.server.gate(name).set())

    def wait_at_gate(self, name: str, timeout: float = 10.0) -> None:
        """Block until a reply has come to this gate; raises `TimeoutError`."""
        asyncio.run_coroutine_threadsafe(self.server.wait_at_gate(name, timeout), self._loop).result()

    def extend(self, *replies: Reply | Responder) -> None:
        self._loop.call_soon_threadsafe(lambda: self.server.extend(*replies))

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self.server.start(), self._loop).result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self.server.stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class ServerProcess:
    """The server as a child process, so that its CPU time is not the client's."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._folder = tempfile.TemporaryDirectory(prefix="model-server-")
        self._process: subprocess.Popen[str] | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def requests(self) -> list[JsonObject]:
        """What came so far, each as `Request.record()`."""
        return self._get("requests")

    def wait_for_request(self, count: int, timeout: float = 60.0) -> JsonObject:
        return self._get(f"wait/{count}", timeout)[count - 1]

    def open_gate(self, name: str) -> None:
        self._get(f"gates/{name}")

    def wait_at_gate(self, name: str, timeout: float = 60.0) -> None:
        self._get(f"reached/{name}", timeout)

    def _get(self, command: str, timeout: float = 60.0) -> list[JsonObject]:
        with urlopen(f"{self.url}/control/{command}", timeout=timeout) as response:
            value: JsonValue = json.load(response)
        return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []

    def __enter__(self) -> Self:
        path = Path(self._folder.name) / "script.json"
        path.write_text(self._script.model_dump_json(), encoding="utf-8")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.model_server", str(path)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        process = self._process
        assert process is not None
        process.terminate()
        process.communicate()
        self._folder.cleanup()
