"""The scripted server against the official SDKs, raw HTTP, and requests that a provider refuses."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import anthropic
import httpx2
import openai
import pytest
from anthropic.types import MessageParam
from openai.types.chat import ChatCompletionChunk

from tests.support.model_server import ModelServer
from tests.support.script import (
    AT_END,
    BEFORE_HEADERS,
    Framing,
    Pace,
    Reply,
    Script,
    StreamFault,
    Text,
    Usage,
    break_off,
    call,
    fail,
    say,
)
from tests.support.server_process import ServerProcess, ServerThread

HELLO: list[MessageParam] = [{"role": "user", "content": "hello"}]


async def ask_anthropic(server: ModelServer, messages: list[MessageParam] | None = None) -> anthropic.types.Message:
    async with (
        anthropic.AsyncAnthropic(api_key="k", base_url=server.url, max_retries=0) as client,
        client.messages.stream(model="scripted-1", max_tokens=99, messages=messages or HELLO) as stream,
    ):
        return await stream.get_final_message()


async def chunks_of_openai(server: ModelServer) -> AsyncIterator[ChatCompletionChunk]:
    async with openai.AsyncOpenAI(api_key="k", base_url=f"{server.url}/v1", max_retries=0) as client:
        stream = await client.chat.completions.create(
            model="scripted-1", messages=[{"role": "user", "content": "hello"}], stream=True
        )
        async with stream:
            async for chunk in stream:
                yield chunk


async def post(server: ModelServer | ServerThread, path: str = "/v1/messages", **body: object) -> httpx2.Response:
    payload = {"model": "m", "max_tokens": 9, "messages": HELLO, "stream": True, **body}
    async with httpx2.AsyncClient() as client:
        return await client.post(server.url + path, json=payload)


async def test_anthropic_stream_gives_thinking_text_and_calls() -> None:
    reply = say(
        "Two reads.",
        call("read", {"path": "a.txt"}),
        call("read", {"path": "ü.txt"}, id="mine"),
        thinking="Hm.",
        usage=Usage(input=7, output=5, cache_read=3),
        pace=Pace(chars=3),
    )
    async with ModelServer([reply]) as server:
        message = await ask_anthropic(server)
        assert [block.type for block in message.content] == ["thinking", "text", "tool_use", "tool_use"]
        assert [block.input for block in message.content if block.type == "tool_use"] == [
            {"path": "a.txt"},
            {"path": "ü.txt"},
        ]
        assert message.content[3].to_dict()["id"] == "mine"
        assert message.stop_reason == "tool_use"
        assert (message.usage.input_tokens, message.usage.output_tokens) == (7, 5)
        request = server.requests[0]
        assert request.body["max_tokens"] == 99
        assert (request.roles, request.text, request.closed_early) == (["user"], "hello", False)


async def test_openai_stream_interleaves_parallel_calls() -> None:
    reply = say("", call("a", {"x": "123456"}), call("b", '{"y": tru'), pace=Pace(chars=4), usage=Usage(cache_read=30))
    async with ModelServer([reply.model_copy(update={"interleave": True})]) as server:
        chunks = [chunk async for chunk in chunks_of_openai(server)]
    fragments = [part for chunk in chunks if chunk.choices for part in chunk.choices[0].delta.tool_calls or []]
    assert [part.index for part in fragments[:4]] == [0, 1, 0, 1]
    arguments = ["".join(p.function.arguments or "" for p in fragments if p.function and p.index == i) for i in (0, 1)]
    assert arguments == ['{"x": "123456"}', '{"y": tru']
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "tool_calls"
    usage = chunks[-1].usage
    assert usage is not None
    assert usage.prompt_tokens == 150


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
async def test_every_framing_carries_the_same_events(newline: str) -> None:
    framing = Framing.model_validate({"newline": newline, "comments": True})
    reply = Reply(content=(Text(deltas=("一", "二", "😀")),), framing=framing, pace=Pace(bytes_per_chunk=1))
    async with ModelServer([reply]) as server:
        if newline == "\r":
            raw = (await post(server)).content
            assert b"\n" not in raw
            assert raw.count(b"text_delta") == 3
        else:
            message = await ask_anthropic(server)
            assert message.content[0].to_dict()["text"] == "一二😀"


async def test_http_faults_carry_status_headers_and_a_providers_body() -> None:
    script = [
        fail(429, retry_after="2"),
        fail(529),
        fail(401),
        fail(502, "<html>", content_type="text/html"),
        fail(200, ""),
    ]
    async with ModelServer(script) as server:
        limited = await post(server)
        assert (limited.status_code, limited.headers["retry-after"]) == (429, "2")
        assert (await post(server)).json()["error"]["type"] == "overloaded_error"
        assert (await post(server, "/v1/chat/completions")).json()["error"]["code"] == "invalid_api_key"
        html = await post(server)
        assert (html.text, html.headers["content-type"]) == ("<html>", "text/html")
        assert (await post(server)).content == b""
        assert (await post(server)).status_code == 400
        assert server.requests[-1].problem == "the script has no reply for request 6"


async def test_stream_faults_break_at_their_delta() -> None:
    pace = Pace(chars=1)
    kinds = [
        break_off("eof", 2),
        break_off("malformed", 2),
        break_off("error_event"),
        StreamFault(type="eof", at=AT_END),
    ]
    async with ModelServer([say("abcd", pace=pace, fault=fault) for fault in kinds]) as server:
        texts = [(await post(server)).text for _ in kinds]
        assert [text.count("text_delta") for text in texts] == [2, 4, 4, 4]
        assert ["message_stop" in text for text in texts] == [False, True, False, False]
        assert '"overloaded_error"' in texts[2]
    for kind in (break_off("reset", 2), break_off("drop", 2)):
        async with ModelServer([say("abcd", pace=pace, fault=kind)]) as server:
            with pytest.raises(httpx2.TransportError):
                await post(server)
            assert not server.requests[0].closed_early


async def test_a_stall_ends_when_the_client_leaves() -> None:
    async with ModelServer([say("abcd", pace=Pace(chars=1), fault=break_off("stall", 1))]) as server:
        task = asyncio.create_task(post(server))
        request = await server.wait_for_request(1)
        task.cancel()
        await asyncio.wait_for(request.finished.wait(), 5)
        assert (request.closed_early, request.deltas_sent) == (True, 1)


async def test_gates_hold_headers_deltas_and_the_end() -> None:
    gates = {BEFORE_HEADERS: "head", 1: "one", AT_END: "end"}
    async with ModelServer([say("abc", pace=Pace(chars=1, deltas_per_chunk=9), gates=gates)]) as server:
        task = asyncio.create_task(post(server))
        request = await server.wait_for_request(1)
        sent = []
        for name in ("head", "one", "end"):
            await server.wait_at_gate(name)
            sent.append(request.deltas_sent)
            server.gate(name).set()
        await task
        assert sent == [0, 1, 3]


async def test_pace_keeps_its_schedule() -> None:
    async with ModelServer([say("abcdefghij", pace=Pace(chars=1, delay=0.01))]) as server:
        begun = time.monotonic()
        await post(server)
        assert 0.1 <= server.requests[0].last_delta_at - begun < 1.0


async def test_responders_and_keys() -> None:
    async with ModelServer(lambda request: say(f"number {request.number}"), api_key="right") as server:
        assert (await post(server)).status_code == 401
        async with httpx2.AsyncClient(headers={"x-api-key": "right"}) as client:
            for number in (2, 3):
                body = {"model": "m", "messages": HELLO}
                answer = await client.post(f"{server.url}/chat/completions", json=body)
                assert f"number {number}" in answer.text
        assert (await post(server, "/v1/models")).status_code == 404
        assert server.strays == ["POST /v1/models"]


def test_a_burst_of_5000_deltas_is_cheap() -> None:
    text = "lorem ipsum dolor sit amet consectetur, \n" * 5000
    with ServerProcess(Script(replies=(say(text[:200_000], pace=Pace(chars=40)),))) as server:
        with httpx2.Client() as client:
            begun = time.monotonic()
            size = len(
                client.post(
                    f"{server.url}/v1/messages", json={"model": "m", "max_tokens": 1, "messages": HELLO}
                ).content
            )
        record = server.wait_for_request(1)
        assert size > 200_000
        assert record["deltas_sent"] == 5000
        assert time.monotonic() - begun < 5


def test_the_server_in_a_thread() -> None:
    with ServerThread([say("ab", pace=Pace(chars=1), gates={1: "go"})]) as server:

        async def client() -> str:
            task = asyncio.create_task(post(server))
            await asyncio.to_thread(server.wait_for_request, 1)
            server.open_gate("go")
            return (await task).text

        assert "message_stop" in asyncio.run(client())
        assert server.wait_finished(1).deltas_sent == 2
