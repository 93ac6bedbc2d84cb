"""Both adapters against a scripted server that fails: every way ends right, and nothing is sent twice."""

from __future__ import annotations

import asyncio
import json
import socket

import pytest

from core.ai.abort import AbortSignal
from core.ai.provider import stream_response
from core.ai.registry import provider_for
from core.ai.stream import StreamError, StreamEvent, TextDelta
from core.ai.wire import Json
from tests.core.ai.build import ask
from tests.core.ai.exchange import failed, model_of, reply_to, run
from tests.support.model_server import ModelServer
from tests.support.script import (
    APIS,
    BEFORE_HEADERS,
    Api,
    Framing,
    HttpFault,
    Pace,
    Reply,
    StreamFault,
    Text,
    break_off,
    fail,
    say,
)
from tests.support.wire import encode

pytestmark = pytest.mark.usefixtures("sdks")
BOTH = pytest.mark.parametrize("api", APIS)


@BOTH
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid_request"),
        (401, "auth"),
        (404, "invalid_request"),
        (413, "overflow"),
        (500, "server"),
        (529, "overloaded"),
    ],
)
async def test_statuses_before_the_stream(api: Api, status: int, kind: str) -> None:
    async with ModelServer([fail(status, request_id="req_7")]) as server:
        info, message, kinds = await failed(ask(model_of(api, server.url)))
        assert (info.kind, info.status, info.request_id, kinds) == (kind, status, "req_7", ["error"])
        separator = " " if api == "anthropic-messages" else ": "
        assert (message.error_message or "").startswith(f"{status}{separator}{{")
        assert len(server.requests) == 1


@BOTH
async def test_145_nothing_is_sent_twice_by_the_sdk(api: Api) -> None:
    async with ModelServer([fail(503), fail(503)]) as server:
        await failed(ask(model_of(api, server.url)))
        assert len(server.requests) == 1


@BOTH
async def test_143_retry_after_is_passed_on_at_once(api: Api) -> None:
    async with ModelServer([fail(429, retry_after="120")]) as server:
        async with asyncio.timeout(5):
            info, _, _ = await failed(ask(model_of(api, server.url)))
        assert (info.kind, info.retry_after) == ("rate_limit", 120)


@BOTH
async def test_147_a_used_up_quota(api: Api) -> None:
    body: Json = {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}
    async with ModelServer([fail(429, body)]) as server:
        info, _, _ = await failed(ask(model_of(api, server.url)))
        assert (info.kind, info.transient) == ("quota", False)


@BOTH
async def test_a_key_in_the_provider_s_answer_is_blotted_out(api: Api) -> None:
    async with ModelServer([fail(401, "bad key sk-very-secret", content_type="text/plain")]) as server:
        _, message, _ = await failed(ask(model_of(api, server.url), api_key="sk-very-secret"))
        assert "sk-very-secret" not in json.dumps(message.to_wire())


@BOTH
@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (break_off("error_event", 2), "overloaded"),
        (break_off("reset", 2), "network"),
        (break_off("drop", 2), "network"),
        (break_off("eof", 2), "malformed"),
        (break_off("malformed", 2), "malformed"),
        (break_off("eof", 0), "malformed"),
        (break_off("reset", 0), "network"),
    ],
    ids=lambda value: f"{value.type}@{value.at}" if isinstance(value, StreamFault) else str(value),
)
async def test_faults_in_mid_stream_keep_what_had_come(api: Api, fault: StreamFault, kind: str) -> None:
    async with ModelServer([say("abcdef", fault=fault, pace=Pace(chars=1))]) as server:
        info, message, kinds = await failed(ask(model_of(api, server.url)))
    assert (info.kind, info.transient) == (kind, True)
    assert message.text == "abcdef"[: fault.at]
    assert kinds.count("text_delta") == fault.at
    assert kinds[0] == "start"
    closes = "text_end" in kinds
    assert closes == (api == "openai-completions" and fault.at > 0)
    assert message.stop_reason == "error"


@BOTH
async def test_l15_an_error_event_counts_at_once_though_the_socket_stays_open(api: Api) -> None:
    text = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
    opened = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + text.encode())
        opened.set()
        await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        async with asyncio.timeout(5):
            info, _, _ = await failed(ask(model_of(api, f"http://127.0.0.1:{port}")))
    assert opened.is_set()
    assert info.kind == "overloaded"


@BOTH
@pytest.mark.parametrize(
    ("body", "content_type", "kind", "words"),
    [
        ("", "text/event-stream", "malformed", "ended before"),
        ("", "application/json", "malformed", "ended before"),
        ("<html><title>Sign in</title></html>", "text/html", "malformed", "a web page: Sign in"),
        ({"error": {"message": "prompt is too long"}}, "application/json", "overflow", "prompt is too long"),
        ({"choices": []}, "application/json", "malformed", "application/json"),
    ],
)
async def test_200_without_a_stream(api: Api, body: Json, content_type: str, kind: str, words: str) -> None:
    async with ModelServer([Reply(fault=HttpFault(status=200, body=body, content_type=content_type))]) as server:
        info, _, kinds = await failed(ask(model_of(api, server.url)))
    assert (info.kind, kinds) == (kind, ["start", "error"])
    assert words in info.message


@BOTH
async def test_an_error_page_in_html(api: Api) -> None:
    page = "<html><head><title>502 Bad Gateway</title></head></html>"
    async with ModelServer([fail(502, page, content_type="text/html")]) as server:
        info, _, _ = await failed(ask(model_of(api, server.url)))
    assert info.kind == "server"
    assert info.message.endswith("a web page: 502 Bad Gateway")


@BOTH
async def test_events_with_the_wrong_content_type_are_read(api: Api) -> None:
    reply = say("ok")
    reply = reply.model_copy(update={"headers": {"content-type": "text/plain"}})
    async with ModelServer([reply]) as server:
        assert (await reply_to(ask(model_of(api, server.url)))).text == "ok"


@BOTH
async def test_no_server(api: Api) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    info, _, kinds = await failed(ask(model_of(api, f"http://127.0.0.1:{port}")))
    assert (info.kind, kinds) == ("network", ["error"])
    assert info.message.startswith("Connection error: ")


@BOTH
async def test_an_address_without_scheme(api: Api) -> None:
    info, _, _ = await failed(ask(model_of(api, "127.0.0.1:9")))
    assert info.kind == "network"
    assert "protocol" in info.message


@BOTH
async def test_silence_beyond_the_limit(api: Api) -> None:
    stalls = say("abcdef", fault=break_off("stall", 2), pace=Pace(chars=1))
    async with ModelServer([stalls, say("never", gates={BEFORE_HEADERS: "closed"})]) as server:
        for text in ("ab", ""):
            info, message, _ = await failed(ask(model_of(api, server.url), timeout=0.3))
            assert (info.kind, message.text) == ("timeout", text)


@BOTH
async def test_l17_a_slow_but_living_stream_is_not_cut(api: Api) -> None:
    comments = Framing(comments=True)
    reply = Reply(content=(Text(text="abcde"),), pace=Pace(chars=1, delay=0.15), framing=comments)
    async with ModelServer([reply]) as server:
        assert (await reply_to(ask(model_of(api, server.url), timeout=0.4))).text == "abcde"


@BOTH
async def test_l17_keep_alives_count_as_life(api: Api) -> None:
    plan = encode(say("ok"), api, "m-1", 1)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        for _ in range(8):
            writer.write(b": still here\n\n")
            await writer.drain()
            await asyncio.sleep(0.1)
        writer.write(plan.head + b"".join(plan.deltas) + plan.tail)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        request = ask(model_of(api, f"http://127.0.0.1:{port}"), timeout=0.4)
        assert (await reply_to(request)).text == "ok"


@BOTH
async def test_an_abort_closes_the_connection_and_keeps_the_text(api: Api) -> None:
    async with ModelServer([say("abcdef", pace=Pace(chars=1), gates={3: "hold"})]) as server:
        signal = AbortSignal()
        events: list[StreamEvent] = []
        request = ask(model_of(api, server.url))
        async for event in stream_response(provider_for(api), request, signal):
            events.append(event)
            if sum(isinstance(each, TextDelta) for each in events) == 3:
                signal.abort("Stopped")
        end = events[-1]
        assert isinstance(end, StreamError)
        assert (end.reason, end.error.text, end.error.error_message) == ("aborted", "abc", "Stopped")
        async with asyncio.timeout(5):
            await server.requests[0].finished.wait()
        assert server.requests[0].closed_early


@BOTH
async def test_an_abort_before_the_headers(api: Api) -> None:
    async with ModelServer([say("x", gates={BEFORE_HEADERS: "hold"})]) as server:
        signal = AbortSignal()
        task = asyncio.create_task(run(ask(model_of(api, server.url)), signal))
        await server.wait_for_request(1)
        signal.abort()
        events = await task
        assert [event.type for event in events] == ["error"]
        async with asyncio.timeout(5):
            await server.requests[0].finished.wait()
        assert server.requests[0].closed_early
