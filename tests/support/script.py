"""What a scripted model says: plain data, one `Reply` per request, the same in Python and in a JSON file.

A JSON script is `{"replies": [reply, ...], ...}` (see `Script`). Positions (`at`, keys of `gates`) count *deltas*: a
position is the number of content deltas sent before it, over all blocks in order; anything past the last delta means
"before the end markers", and `BEFORE_HEADERS` means before the status line. Times are seconds.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

Api = Literal["anthropic-messages", "openai-completions"]
APIS: tuple[Api, ...] = ("anthropic-messages", "openai-completions")
JsonObject = dict[str, JsonValue]

BEFORE_HEADERS = -1
AT_END = 1 << 30


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Text(_Data):
    """Visible text. `deltas` fixes the pieces; else `Pace.chars` cuts `text`."""

    type: Literal["text"] = "text"
    text: str = ""
    deltas: tuple[str, ...] = ()


class Thinking(_Data):
    """Reasoning: a signed (or redacted) block for Anthropic, the delta field `field` for Chat Completions."""

    type: Literal["thinking"] = "thinking"
    thinking: str = ""
    signature: str = "c2lnbmF0dXJl"
    redacted: bool = False
    field: str = "reasoning_content"


class ToolCall(_Data):
    """A tool call. `arguments` as a string is sent as it is (truncated, malformed). An empty `id` gets a unique one."""

    type: Literal["tool"] = "tool"
    name: str
    arguments: JsonObject | str = Field(default_factory=dict)
    id: str = ""


Block = Annotated[Text | Thinking | ToolCall, Field(discriminator="type")]


class Usage(_Data):
    """Token counts. `input` leaves out cached tokens; the encoder adds them where a format counts them in."""

    input: int = 120
    output: int = 24
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0


class Pace(_Data):
    """How a reply is cut and timed.

    `chars` per delta; `delay` before each delta and the end, on an absolute schedule so that lateness does not add up;
    `first_delay` before the headers, `head_delay` between them and the first event; `deltas_per_chunk` deltas in one
    HTTP chunk; `bytes_per_chunk` cuts further (1 = byte by byte).
    """

    chars: int = 16
    delay: float = 0.0
    first_delay: float = 0.0
    head_delay: float = 0.0
    deltas_per_chunk: int = 1
    bytes_per_chunk: int = 0


class Framing(_Data):
    """The Server-Sent Events dress: line ending, and a comment (plus an Anthropic `ping`) before every event."""

    newline: Literal["\n", "\r\n", "\r"] = "\n"
    comments: bool = False


class HttpFault(_Data):
    """A whole response that is no stream. `body`: None for the provider's error, a string as it is, else JSON."""

    type: Literal["http"] = "http"
    status: int = 500
    body: JsonValue = None
    headers: dict[str, str] = Field(default_factory=dict)
    content_type: str = "application/json"


StreamFaultKind = Literal["error_event", "reset", "drop", "eof", "stall", "malformed"]


class StreamFault(_Data):
    """What goes wrong at delta `at` of a stream that began well.

    error_event: the provider's error event, then the end. reset: TCP reset. drop: closed before the HTTP response was
    complete. eof: a complete response without the format's end markers. stall: silence until the client leaves.
    malformed: a line of broken JSON, then the stream goes on.
    """

    type: StreamFaultKind
    at: int = AT_END
    error: str = "overloaded_error"
    message: str = "Overloaded"


Fault = Annotated[HttpFault | StreamFault, Field(discriminator="type")]


class Reply(_Data):
    """One answer.

    `stop`: "" (tool_use if there is a call, else stop), stop, length, tool_use, refusal, or the format's own word.
    `interleave` mixes the fragments of parallel calls (Chat Completions only). `model` is reported instead of the
    requested one.
    """

    content: tuple[Block, ...] = ()
    stop: str = ""
    usage: Usage | None = Usage()
    pace: Pace = Pace()
    framing: Framing = Framing()
    fault: Fault | None = None
    gates: dict[int, str] = Field(default_factory=dict)
    interleave: bool = False
    model: str = ""
    headers: dict[str, str] = Field(default_factory=dict)


class Script(_Data):
    """A server's whole part. After the last reply: the last one again (`repeat_last`), else HTTP 400 that says so."""

    replies: tuple[Reply, ...] = ()
    repeat_last: bool = False
    check_requests: bool = True
    api_key: str = ""


_USAGE = Usage()
_PACE = Pace()


def call(name: str, arguments: JsonObject | str | None = None, *, id: str = "") -> ToolCall:
    """A tool call block."""
    return ToolCall(name=name, arguments={} if arguments is None else arguments, id=id)


def say(
    text: str = "",
    *tools: ToolCall,
    thinking: str = "",
    stop: str = "",
    usage: Usage | None = _USAGE,
    pace: Pace = _PACE,
    fault: HttpFault | StreamFault | None = None,
    gates: dict[int, str] | None = None,
) -> Reply:
    """A reply of thinking, then text, then tool calls, each left out when empty."""
    content: list[Block] = []
    if thinking:
        content.append(Thinking(thinking=thinking))
    if text:
        content.append(Text(text=text))
    content.extend(tools)
    return Reply(content=tuple(content), stop=stop, usage=usage, pace=pace, fault=fault, gates=gates or {})


def fail(status: int, body: JsonValue = None, *, content_type: str = "application/json", **headers: str) -> Reply:
    """A whole response that is no stream; header names are written with underscores (`retry_after="2"`)."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(fault=HttpFault(status=status, body=body, headers=named, content_type=content_type))


def break_off(kind: StreamFaultKind, at: int = AT_END) -> StreamFault:
    """A fault in mid-stream at delta `at`."""
    return StreamFault(type=kind, at=at)
