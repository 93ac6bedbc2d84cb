"""The scripted provider: what the boundary yields for each kind of step, pace and fault."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from core.ai.abort import AbortSignal
from core.ai.errors import ErrorInfo, error_of
from core.ai.messages import AssistantMessage, TextContent, ThinkingContent, ToolCall, Usage, UserMessage
from core.ai.model import Model, ModelRequest, RequestOptions
from core.ai.provider import stream_response
from core.ai.script import (
    Fault,
    GateStep,
    Pace,
    Reply,
    Script,
    ScriptError,
    Start,
    Text,
    Thinking,
    Wait,
    call,
    fail,
    load_script,
    say,
)
from core.ai.scripted import ScriptedProvider, scripted_model
from core.ai.stream import StreamDone, StreamError, StreamEvent


def ask(text: str = "hi", *, model: Model | None = None, timeout: float | None = None) -> ModelRequest:
    return ModelRequest(
        model=model or scripted_model(),
        messages=(UserMessage.of(text),),
        options=RequestOptions(timeout=timeout),
    )


def events_of(
    provider: ScriptedProvider, request: ModelRequest | None = None, signal: AbortSignal | None = None
) -> AsyncGenerator[StreamEvent, None]:
    return stream_response(provider, request or ask(), signal or AbortSignal())


async def collect(provider: ScriptedProvider, request: ModelRequest | None = None) -> list[StreamEvent]:
    return [event async for event in events_of(provider, request)]


def final(events: list[StreamEvent]) -> AssistantMessage:
    last = events[-1]
    assert isinstance(last, StreamDone | StreamError)
    return last.message if isinstance(last, StreamDone) else last.error


def kinds(events: list[StreamEvent]) -> list[str]:
    return [event.type for event in events if event.type != "usage"]


async def test_a_reply_of_thinking_text_and_calls() -> None:
    usage = Usage(input=120, output=24, total_tokens=144)
    reply = say(
        "Let me look.",
        call("bash", {"command": "ls"}),
        call("read", {"path": "long/name"}, id="mine"),
        thinking="Hm.",
        usage=usage,
    )
    provider = ScriptedProvider([reply])
    events = await collect(provider)
    assert kinds(events) == [
        "start",
        *("thinking_start", "thinking_delta", "thinking_end"),
        *("text_start", "text_delta", "text_end"),
        *("toolcall_start", "toolcall_delta", "toolcall_end"),
        *("toolcall_start", "toolcall_delta", "toolcall_delta", "toolcall_end"),
        "done",
    ]
    message = final(events)
    assert message.content == (
        ThinkingContent(thinking="Hm."),
        TextContent(text="Let me look."),
        ToolCall(id="call_1_0", name="bash", arguments={"command": "ls"}),
        ToolCall(id="mine", name="read", arguments={"path": "long/name"}),
    )
    assert message.stop_reason == "toolUse"
    assert message.usage == usage
    assert message.response_id == "scripted-0001"


async def test_replies_come_in_order_and_requests_are_recorded() -> None:
    provider = ScriptedProvider([say("one"), say("two", stop="length")])
    first, second = ask("a"), ask("b")
    assert final(await collect(provider, first)).text == "one"
    message = final(await collect(provider, second))
    assert (message.text, message.stop_reason, message.response_id) == ("two", "length", "scripted-0002")
    assert provider.requests == [first, second]


async def test_a_script_that_is_played_out_says_so() -> None:
    provider = ScriptedProvider([say("one")])
    await collect(provider)
    message = final(await collect(provider))
    assert message.stop_reason == "error"
    assert message.error_message == "The script has 1 replies; this is request 2"


async def test_the_last_reply_can_repeat() -> None:
    provider = ScriptedProvider(Script(replies=(say("one"), say("two")), repeat_last=True))
    assert [final(await collect(provider)).text for _ in range(4)] == ["one", "two", "two", "two"]


async def test_a_reply_can_be_chosen_by_the_request() -> None:
    def echo(request: ModelRequest) -> Reply:
        last = request.messages[-1]
        assert isinstance(last, UserMessage)
        assert not isinstance(last.content, str)
        return say(f"You said {last.content[0].to_wire()['text']}")

    provider = ScriptedProvider(echo)
    assert final(await collect(provider, ask("a"))).text == "You said a"
    assert final(await collect(provider, ask("b"))).text == "You said b"
    mixed = ScriptedProvider([say("fixed"), echo])
    assert final(await collect(mixed, ask("a"))).text == "fixed"
    assert final(await collect(mixed, ask("c"))).text == "You said c"


async def test_pace_is_an_absolute_schedule() -> None:
    now, naps = 0.0, []

    async def sleep(seconds: float) -> None:
        nonlocal now
        naps.append(round(seconds, 3))
        now += seconds + (0.3 if len(naps) == 2 else 0)  # the second nap lasts too long

    reply = say("abcdefgh", pace=Pace(chars=2, seconds=0.2, latency=1.0))
    events = await collect(ScriptedProvider([reply], sleep=sleep, clock=lambda: now))
    assert [event.to_wire()["delta"] for event in events if event.type == "text_delta"] == ["ab", "cd", "ef", "gh"]
    assert naps == [1.0, 0.2, 0.0, 0.1, 0.2]


async def test_given_deltas_are_kept() -> None:
    reply = Reply(steps=(Text(deltas=("He", "llo")), Thinking(deltas=("a", "b"), signature="sig")))
    events = await collect(ScriptedProvider([reply]))
    assert [event.to_wire()["delta"] for event in events if event.type.endswith("_delta")] == ["He", "llo", "a", "b"]
    assert final(events).content[1] == ThinkingContent(thinking="ab", thinking_signature="sig")


async def test_an_error_before_the_headers_is_a_lone_error() -> None:
    info = ErrorInfo(kind="rate_limit", message="Slow down", status=429, retry_after=2)
    events = await collect(ScriptedProvider([fail(info)]))
    assert kinds(events) == ["error"]
    assert error_of(final(events)) == info


async def test_an_error_after_the_start_keeps_what_had_arrived() -> None:
    events = await collect(ScriptedProvider([fail(ErrorInfo(kind="overloaded", message="Busy"), after="Hal")]))
    assert kinds(events) == ["start", "text_start", "text_delta", "error"]
    message = final(events)
    assert (message.text, message.stop_reason, message.error_message) == ("Hal", "error", "Busy")


@pytest.mark.parametrize(
    ("fault", "kind", "text"),
    [
        ("drop", "malformed", "The provider's stream ended before its terminal event"),
        ("raise", "unknown", "RuntimeError: Scripted failure"),
    ],
)
async def test_a_broken_adapter_is_an_error(fault: str, kind: str, text: str) -> None:
    reply = Reply(steps=(Start(), Fault.model_validate({"kind": fault}), Text(text="never")))
    events = await collect(ScriptedProvider([reply]))
    assert kinds(events) == ["start", "error"]
    info = error_of(final(events))
    assert info is not None
    assert (info.kind, info.message) == (kind, text)


async def test_a_stall_lasts_until_the_abort() -> None:
    provider = ScriptedProvider([Reply(steps=(Text(text="Hal", unfinished=True), Fault(kind="stall")))])
    signal = AbortSignal()
    events: list[StreamEvent] = []
    async for event in events_of(provider, signal=signal):
        events.append(event)
        if event.type == "text_delta":
            signal.abort("Stopped")
    message = final(events)
    assert (message.text, message.stop_reason, message.error_message) == ("Hal", "aborted", "Stopped")


async def test_a_stall_ends_at_the_idle_limit() -> None:
    provider = ScriptedProvider([Reply(steps=(Start(), Fault(kind="stall")))])
    info = error_of(final(await collect(provider, ask(timeout=0.05))))
    assert info is not None
    assert info.kind == "timeout"


async def test_a_gate_holds_the_reply_until_it_is_opened() -> None:
    provider = ScriptedProvider([Reply(steps=(Text(text="a"), GateStep(name="x"), Text(text="b")))])
    task = asyncio.create_task(collect(provider))
    await provider.gate("x").reached.wait()
    assert not task.done()
    provider.gate("x").open()
    assert final(await task).text == "a\nb"


async def test_malformed_arguments_are_sent_as_they_are() -> None:
    events = await collect(ScriptedProvider([say("", call("bash", '{"command": "l'))]))
    (tool_call,) = final(events).tool_calls
    assert tool_call.arguments == {}
    assert "not valid JSON" in (tool_call.arguments_error or "")


async def test_ids_stay_unique_when_a_conversation_goes_on_in_a_new_process() -> None:
    history = (UserMessage.of("a"), AssistantMessage(), AssistantMessage(), UserMessage.of("b"))
    request = ModelRequest(model=scripted_model(), messages=history)
    message = final(await collect(ScriptedProvider([say("", call("bash"))]), request))
    assert message.tool_calls[0].id == "call_3_0"


async def test_a_script_file_plays_as_a_model(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    script = {
        "pace": {"chars": 3},
        "replies": [
            {"steps": [{"type": "text", "text": "abcdef"}, {"type": "toolCall", "name": "bash", "arguments": {}}]},
            {
                "steps": [{"type": "wait", "seconds": 0}, {"type": "usage", "usage": {"input": 7, "totalTokens": 9}}],
                "responseId": "r",
            },
        ],
    }
    path.write_text(json.dumps(script))
    provider = ScriptedProvider()
    events = await collect(provider, ask(model=scripted_model(path)))
    assert [event.to_wire()["delta"] for event in events if event.type == "text_delta"] == ["abc", "def"]
    path.unlink()  # read once
    in_compat = Model(id="x", name="x", api="scripted", provider="scripted", compat={"script": str(path)})
    message = final(await collect(provider, ask(model=in_compat)))
    assert (message.usage.input, message.response_id, message.stop_reason) == (7, "r", "stop")


async def test_a_missing_script_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    message = final(await collect(ScriptedProvider(), ask(model=scripted_model(tmp_path / "none.json"))))
    assert message.error_message == f"The script {tmp_path / 'none.json'} cannot be read: No such file or directory"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("{", "the file"),
        ('{"replies": [{"steps": [{"type": "txt"}]}]}', "replies.0.steps.0"),
        ('{"replies": [{"steps": [{"type": "text", "txt": "a"}]}]}', "replies.0.steps.0.text.txt"),
    ],
)
def test_a_bad_script_file_is_refused_with_its_key(tmp_path: Path, text: str, key: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(ScriptError, match=f"is not valid at {key}: "):
        load_script(path)


async def test_waits_and_faults_may_come_before_the_headers() -> None:
    naps: list[float] = []

    async def sleep(seconds: float) -> None:
        naps.append(seconds)

    reply = Reply(steps=(Wait(seconds=2), Fault(kind="drop")))
    events = await collect(ScriptedProvider([reply], sleep=sleep, clock=lambda: 0.0))
    assert kinds(events) == ["error"]
    assert naps == [0, 2]
