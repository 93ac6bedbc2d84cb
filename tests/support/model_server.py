"""A scripted model behind HTTP on 127.0.0.1: Anthropic Messages and OpenAI Chat Completions, streamed.

In a test:

    async with ModelServer([say("", call("read", {"path": "a.txt"})), say("It says hi.")]) as server:
        ...                                    # point a client at server.url
        request = await server.wait_for_request(2)

Apart from the test's event loop use `tests.support.server_process`. As a program, `python -m tests.support.model_server
script.json` prints its port on one line and serves until it is terminated or its standard input, if a pipe, closes.
"""

from __future__ import annotations

import asyncio
import json
import os
import stat
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from tests.support.http_wire import ClientGone, Connection, RawRequest, listen
from tests.support.pairing import find_problem
from tests.support.request import Request
from tests.support.script import AT_END, BEFORE_HEADERS, Api, Framing, HttpFault, Reply, Script, StreamFault
from tests.support.wire import dump, encode, error_body, fault_event

_ROUTES: dict[str, Api] = {
    "/v1/messages": "anthropic-messages",
    "/v1/chat/completions": "openai-completions",
    "/chat/completions": "openai-completions",
}
_EVENT_STREAM = "text/event-stream; charset=utf-8"
_CONTROL = "/control/"


Responder = Callable[[Request], Reply]


class ModelServer:
    """The server. `script`: a `Script`, a list of replies or of functions request -> reply, or one function for all.

    A request that a provider would refuse (`check_requests`), or with another key than `api_key`, is answered 400 or
    401 and uses up no reply. `requests` holds the model requests in order, `strays` every other request's method and
    path.
    """

    def __init__(
        self,
        script: Script | Sequence[Reply | Responder] | Responder = (),
        *,
        check_requests: bool = True,
        api_key: str = "",
        repeat_last: bool = False,
    ) -> None:
        if isinstance(script, Script):
            check_requests, api_key, repeat_last = script.check_requests, script.api_key, script.repeat_last
            script = script.replies
        self._always = script if callable(script) else None
        self._replies: list[Reply | Responder] = [] if callable(script) else list(script)
        self._check_requests = check_requests
        self._api_key = api_key
        self._repeat_last = repeat_last
        self._used = 0
        self._gates: dict[str, asyncio.Event] = {}
        self._reached: dict[str, asyncio.Event] = {}
        self._arrived = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.requests: list[Request] = []
        self.strays: list[str] = []
        self.port = 0

    @property
    def url(self) -> str:
        """`http://127.0.0.1:PORT`: the base URL for Anthropic; add `/v1` for OpenAI clients."""
        return f"http://127.0.0.1:{self.port}"

    async def start(self, port: int = 0) -> None:
        self._server = await listen(self._accept, port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Stop listening and end every connection, also those that stall."""
        if self._server is not None:
            self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.sleep(0)  # the transports close in the loop's next round

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    def extend(self, *replies: Reply | Responder) -> None:
        """Add replies to the end of the script."""
        self._replies.extend(replies)

    def gate(self, name: str) -> asyncio.Event:
        """The event that replies with this gate name wait for; `server.gate("x").set()` lets them go on."""
        return self._gates.setdefault(name, asyncio.Event())

    async def wait_for_request(self, count: int, timeout: float = 10.0) -> Request:
        """Wait until `count` model requests have come; return that one (counted from 1). Raises `TimeoutError`."""
        async with asyncio.timeout(timeout), self._arrived:
            await self._arrived.wait_for(lambda: len(self.requests) >= count)
        return self.requests[count - 1]

    async def wait_at_gate(self, name: str, timeout: float = 10.0) -> None:
        """Wait until a reply has come to this gate: all that stands before it has been sent. Raises `TimeoutError`."""
        await asyncio.wait_for(self._reached.setdefault(name, asyncio.Event()).wait(), timeout)

    def _accept(self, connection: Connection) -> None:
        task = asyncio.create_task(self._serve(connection))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, connection: Connection) -> None:
        try:
            while connection.keep_alive and (raw := await connection.read_request()):
                await self._dispatch(connection, raw)
        except ClientGone:
            return
        except asyncio.CancelledError:
            connection.abort()
            raise
        finally:
            connection.close()

    async def _dispatch(self, connection: Connection, raw: RawRequest) -> None:
        path = urlsplit(raw.path).path
        if path.startswith(_CONTROL):
            await self._control(connection, path.removeprefix(_CONTROL))
            return
        api = _ROUTES.get(path)
        if api is None or raw.method != "POST":
            self.strays.append(f"{raw.method} {raw.path}")
            body = error_body("openai-completions", 404, f"{raw.method} {path} is not served here")
            await connection.respond(404, "application/json", dump(body).encode())
            return
        request = Request(len(self.requests) + 1, api, raw.path, raw.headers, json.loads(raw.body), time.monotonic())
        status, request.problem = self._refusal(request)
        reply = None if request.problem else self._next_reply(request)
        if not request.problem and reply is None:
            status, request.problem = 400, f"the script has no reply for request {request.number}"
        request.reply = reply
        self.requests.append(request)
        async with self._arrived:
            self._arrived.notify_all()
        try:
            if reply is None:
                body = error_body(api, status, request.problem or "")
                await connection.respond(status, "application/json", dump(body).encode())
            else:
                await self._answer(connection, request, reply)
        except ClientGone:
            request.closed_early = True
            raise
        finally:
            request.finished.set()

    def _refusal(self, request: Request) -> tuple[int, str | None]:
        if self._api_key:
            sent = request.headers.get("x-api-key") or request.headers.get("authorization", "").removeprefix("Bearer ")
            if sent != self._api_key:
                return 401, "invalid api key"
        return 400, find_problem(request.api, request.body) if self._check_requests else None

    def _next_reply(self, request: Request) -> Reply | None:
        if self._always is not None:
            return self._always(request)
        if self._used < len(self._replies):
            self._used += 1
        elif not (self._repeat_last and self._replies):
            return None
        step = self._replies[self._used - 1]
        return step(request) if callable(step) else step

    async def _control(self, connection: Connection, command: str) -> None:
        """`gates/NAME` opens a gate, `reached/NAME` answers once a reply waits there; `requests` lists what came,
        `wait/N` answers once N requests have come."""
        verb, _, argument = command.partition("/")
        if verb == "gates":
            self.gate(argument).set()
        elif verb == "reached":
            await self.wait_at_gate(argument, timeout=600)
        elif verb == "wait":
            async with self._arrived:
                await self._arrived.wait_for(lambda: len(self.requests) >= int(argument))
        body = dump([request.record() for request in self.requests] if verb in ("requests", "wait") else [])
        await connection.respond(200, "application/json", body.encode())

    async def _pass(self, connection: Connection, gate: str) -> None:
        self._reached.setdefault(gate, asyncio.Event()).set()
        await connection.wait_event(self.gate(gate))

    async def _answer(self, connection: Connection, request: Request, reply: Reply) -> None:
        if gate := reply.gates.get(BEFORE_HEADERS):
            await self._pass(connection, gate)
        await connection.wait(reply.pace.first_delay)
        if isinstance(reply.fault, HttpFault):
            fault = reply.fault
            body = error_body(request.api, fault.status, "scripted failure") if fault.body is None else fault.body
            text = body if isinstance(body, str) else dump(body)
            await connection.respond(fault.status, fault.content_type, text.encode(), reply.headers | fault.headers)
            return
        await connection.start_stream(_EVENT_STREAM, reply.headers)
        if await self._stream(connection, request, reply):
            await connection.end_stream()

    async def _stream(self, connection: Connection, request: Request, reply: Reply) -> bool:
        """Send the stream; True if its HTTP response is to be ended in good order."""
        plan = encode(reply, request.api, str(request.body.get("model", "")), request.number)
        pace, count = reply.pace, len(plan.deltas)
        gates = {min(at, count): name for at, name in reply.gates.items() if at != BEFORE_HEADERS}
        fault = reply.fault if isinstance(reply.fault, StreamFault) else None
        fault_at = min(fault.at, count) if fault else AT_END
        stops = sorted({*gates, fault_at, count})
        await connection.wait(pace.head_delay)
        await connection.send_chunk(plan.head, pace.bytes_per_chunk)
        begun = time.monotonic()
        position = 0
        while True:
            if position in gates:
                await self._pass(connection, gates[position])
                begun = time.monotonic() - position * pace.delay
            if fault and position == fault_at and not await self._break(connection, request, fault):
                return fault.type in ("eof", "error_event")
            if position == count:
                if pace.delay:
                    await connection.wait(begun + (count + 1) * pace.delay - time.monotonic())
                await connection.send_chunk(plan.tail, pace.bytes_per_chunk)
                return True
            until = min(position + pace.deltas_per_chunk, next(stop for stop in stops if stop > position))
            if pace.delay:
                await connection.wait(begun + until * pace.delay - time.monotonic())
            request.last_delta_at = time.monotonic()
            request.first_delta_at = request.first_delta_at or request.last_delta_at
            await connection.send_chunk(b"".join(plan.deltas[position:until]), pace.bytes_per_chunk)
            request.deltas_sent = position = until

    async def _break(self, connection: Connection, request: Request, fault: StreamFault) -> bool:
        """Do the fault; True when the stream goes on after it."""
        match fault.type:
            case "error_event" | "malformed":
                framing = request.reply.framing if request.reply else Framing()
                await connection.send_chunk(fault_event(fault, request.api, framing))
            case "reset":
                connection.reset()
            case "drop":
                connection.keep_alive = False
            case "stall":
                await connection.wait_event(asyncio.Event())
            case "eof":
                pass
        return fault.type == "malformed"


async def _main(script: Script) -> None:
    async with ModelServer(script) as server:
        print(server.port, flush=True)
        if stat.S_ISFIFO(os.fstat(0).st_mode):
            await asyncio.to_thread(sys.stdin.read)
        else:
            await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_main(Script.model_validate_json(Path(sys.argv[1]).read_text(encoding="utf-8"))))
