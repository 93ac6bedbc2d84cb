"""Both adapters against a scripted server: what is sent and what comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Literal

import pytest

from core.ai.messages import SystemMessage, TextContent
from core.ai.model import RequestHooks
from core.ai.wire import Json
from tests.core.ai.build import ask, user
from tests.core.ai.exchange import failed, model_of, reply_to
from tests.core.ai.rich_conversation import rich_conversation
from tests.support.model_server import ModelServer
from tests.support.script import (
    APIS,
    Api,
    Framing,
    Pace,
    Reply,
    Text,
    Usage,
    call,
    say,
)
from tests.support.wire import encode

pytestmark = pytest.mark.usefixtures("sdks")
BOTH = pytest.mark.parametrize("api", APIS)


@BOTH
async def test_a_whole_reply(api: Api) -> None:
    script = [say("Reading.", call("read", {"path": "a"}), call("read", {"path": "b"}), thinking="Hm.")]
    async with ModelServer(script, api_key="test-key") as server:
        message = await reply_to(ask(model_of(api, server.url, reasoning=True), thinking_level="high"))
    assert [block.type for block in message.content] == ["thinking", "text", "toolCall", "toolCall"]
    assert [made.arguments for made in message.tool_calls] == [{"path": "a"}, {"path": "b"}]
    assert (message.stop_reason, message.usage.input, message.usage.output) == ("toolUse", 120, 24)
    assert message.response_id
    assert message.diagnostics is None


@BOTH
async def test_a_rich_conversation_is_accepted(api: Api) -> None:
    async with ModelServer([say("ok")]) as server:
        model = model_of(api, server.url, reasoning=True)
        signature = "sig" if api == "anthropic-messages" else "reasoning_content"
        await reply_to(ask(model, *rich_conversation(model, signature), thinking_level="low"))
        assert server.requests[0].problem is None


@BOTH
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
async def test_150_any_framing_byte_by_byte(api: Api, newline: Literal["\n", "\r", "\r\n"]) -> None:
    framing = Framing(newline=newline, comments=True)
    reply = Reply(content=(Text(text="Grüße 😀 \u2028"),), pace=Pace(chars=2, bytes_per_chunk=1), framing=framing)
    async with ModelServer([reply]) as server:
        assert (await reply_to(ask(model_of(api, server.url)))).text == "Grüße 😀 \u2028"


# Credentials and headers


async def headers_for(
    api: Api, key: str | None = "test-key", model_fields: Mapping[str, Json] = {}, **options: Json
) -> dict[str, str]:
    async with ModelServer([say("ok")]) as server:
        await reply_to(ask(model_of(api, server.url, **model_fields), api_key=key, **options))
        return server.requests[0].headers


async def test_third_parties_get_the_key_as_x_api_key() -> None:
    sent = await headers_for("anthropic-messages")
    assert sent["x-api-key"] == "test-key"
    assert "authorization" not in sent
    assert sent["anthropic-version"] == "2023-06-01"
    assert sent["user-agent"].startswith("pi/")


async def test_chat_endpoints_get_a_bearer_token() -> None:
    assert (await headers_for("openai-completions"))["authorization"] == "Bearer test-key"


@BOTH
async def test_headers_of_model_and_request_win_and_null_removes_one(api: Api) -> None:
    fields = {"headers": {"X-One": "model", "X-Two": "model", "User-Agent": None}}
    sent = await headers_for(api, model_fields=fields, headers={"x-two": "request", "X-Three": "request"})
    assert (sent["x-one"], sent["x-two"], sent["x-three"]) == ("model", "request", "request")
    assert "pi/" not in sent.get("user-agent", "")


@BOTH
async def test_a_header_can_do_the_key_s_work(api: Api) -> None:
    sent = await headers_for(api, key=None, headers={"Authorization": "Token abc"})
    assert sent["authorization"] == "Token abc"
    assert "unused" not in str(sent)
    assert "x-api-key" not in sent


@BOTH
async def test_what_the_environment_holds_for_the_sdk_s_own_provider_is_not_sent_elsewhere(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC", "OPENAI"):
        monkeypatch.setenv(f"{name}_API_KEY", "ambient-secret")
        monkeypatch.setenv(f"{name}_AUTH_TOKEN", "ambient-secret")
        monkeypatch.setenv(f"{name}_CUSTOM_HEADERS", "X-Gateway: ambient-secret")
        monkeypatch.setenv(f"{name}_BASE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("OPENAI_ORG_ID", "ambient-secret")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "ambient-secret")
    assert "ambient-secret" not in str(await headers_for(api))


@BOTH
async def test_without_a_key_nothing_is_sent(api: Api) -> None:
    async with ModelServer([say("ok")]) as server:
        info, _, kinds = await failed(ask(model_of(api, server.url), api_key=None))
        assert (info.kind, kinds, server.requests) == ("auth", ["error"], [])
        assert "fake" in info.message


@BOTH
@pytest.mark.parametrize("key", ["sk-with\nnewline", "schlüssel"])
async def test_a_key_that_cannot_be_a_header_is_refused_without_being_shown(api: Api, key: str) -> None:
    async with ModelServer([say("ok")]) as server:
        info, _, _ = await failed(ask(model_of(api, server.url), api_key=key))
        assert info.kind == "auth"
        assert key not in info.message
        info, _, _ = await failed(ask(model_of(api, server.url), headers={"X-Odd": key}))
        assert "x-odd" in info.message.lower()
        assert key not in info.message


@BOTH
async def test_a_loopback_server_is_not_reached_through_a_proxy(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert await headers_for(api)
    assert await headers_for(api)


@BOTH
async def test_l47_a_proxy_is_used_for_other_hosts_again_and_again(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    async with ModelServer([say("one"), say("two")]) as server:
        monkeypatch.setenv("HTTP_PROXY", server.url)
        request = ask(model_of(api, "http://models.invalid"))
        assert [(await reply_to(request)).text for _ in range(2)] == ["one", "two"]
        assert server.requests[0].headers["host"] == "models.invalid"


@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1/"])
async def test_base_urls_of_anthropic_endpoints(suffix: str) -> None:
    async with ModelServer([say("ok")]) as server:
        await reply_to(ask(model_of("anthropic-messages", server.url + suffix)))
        assert server.requests[0].path == "/v1/messages"


# Hooks


@BOTH
async def test_hooks_see_and_replace_the_request(api: Api) -> None:
    seen: list[Json] = []

    async def on_payload(payload: dict[str, Json]) -> dict[str, Json]:
        seen.append(payload["model"])
        return {**payload, "model": "replaced", "extra": [1]}

    async def on_response(status: int, headers: Mapping[str, str]) -> None:
        seen.append((status, headers["content-type"].partition(";")[0]))

    async with ModelServer([say("ok")]) as server:
        await reply_to(ask(model_of(api, server.url), hooks=RequestHooks(on_payload, on_response)))
        assert seen == ["m-1", (200, "text/event-stream")]
        assert (server.requests[0].body["model"], server.requests[0].body["extra"]) == ("replaced", [1])


@BOTH
async def test_the_connection_is_used_again(api: Api) -> None:
    plan = encode(say("ok"), api, "m-1", 1)
    stream = plan.head + b"".join(plan.deltas) + plan.tail
    answers = [(200, "text/event-stream", stream), (500, "text/plain", b"oops"), (200, "text/event-stream", stream)]
    connections = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        while answers:
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]))
            status, kind, body = answers.pop(0)
            writer.write(f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n".encode())
            writer.write(b"%x\r\n%b\r\n" % (len(body), body))
            await writer.drain()
            writer.write(b"0\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        request = ask(model_of(api, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"))
        await reply_to(request)
        await failed(request)
        await reply_to(request)
    assert connections == 1


@BOTH
async def test_l33_a_provider_that_tells_no_usage(api: Api) -> None:
    async with ModelServer([Reply(content=(Text(text="a"),), usage=None)]) as server:
        message = await reply_to(ask(model_of(api, server.url)))
    assert message.stop_reason == "stop"
    assert message.usage.input == 0


@BOTH
async def test_cached_tokens_and_cost(api: Api) -> None:
    usage = Usage(input=100, output=20, cache_read=40, cache_write=0)
    prices = {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 1.25}
    async with ModelServer([say("a", usage=usage)]) as server:
        found = (await reply_to(ask(model_of(api, server.url, cost=prices)))).usage
    assert (found.input, found.cache_read, found.output, found.total_tokens) == (100, 40, 20, 160)
    assert found.cost.total == pytest.approx((100 + 40 + 4) / 1e6)


@BOTH
@pytest.mark.parametrize("raw", ['{"path": "a', "[]", '{"a": "x\ny", "b": "\\U0001F600"}'])
async def test_l07_l09_odd_arguments(api: Api, raw: str) -> None:
    async with ModelServer([say("", call("read", raw))]) as server:
        (made,) = (await reply_to(ask(model_of(api, server.url)))).tool_calls
    if raw.startswith('{"a"'):
        assert made.arguments == {"a": "x\ny", "b": "\\U0001F600"}
    else:
        assert (made.arguments, bool(made.arguments_error)) == ({}, True)


@BOTH
async def test_l11_a_huge_bad_payload_is_quoted_in_part(api: Api) -> None:
    async with ModelServer([say("", call("read", '{"x": "' + "y" * 200_000), pace=Pace(chars=5000))]) as server:
        (made,) = (await reply_to(ask(model_of(api, server.url)))).tool_calls
    assert len(made.arguments_error or "") < 3000


@BOTH
async def test_the_server_s_other_model_is_recorded(api: Api) -> None:
    async with ModelServer([Reply(content=(Text(text="a"),), model="m-1-dated")]) as server:
        assert (await reply_to(ask(model_of(api, server.url)))).response_model == "m-1-dated"


@BOTH
async def test_blank_and_lone_surrogate_text_reaches_the_server_as_json(api: Api) -> None:
    async with ModelServer([say("ok")]) as server:
        request = ask(model_of(api, server.url), SystemMessage(content="s\udc00"), user("a\ud83d 😀"))
        assert (await reply_to(request)).content == (TextContent(text="ok"),)
        assert "a 😀" in server.requests[0].text
