"""What a scripted model says: plain data, one `Reply` per request, the same in Python and in a JSON file.

A script file is `{"replies": [reply, ...], "pace": {...}, "repeatLast": false}`; a reply is
`{"steps": [step, ...], "stop": "...", "pace": {...}, "responseId": "..."}`. A step is one of

    {"type": "text", "text": "Hello"}                       also with "deltas": ["He", "llo"], "unfinished": true
    {"type": "thinking", "text": "Let me see", "signature": "..."}
    {"type": "toolCall", "name": "bash", "arguments": {"command": "ls"}, "id": "..."}
    {"type": "usage", "usage": {"input": 120, "output": 24}}
    {"type": "start"}                                       response headers; else they come with the first content
    {"type": "wait", "seconds": 0.5}
    {"type": "gate", "name": "x"}                           stands still until the test opens gate x
    {"type": "fault", "kind": "error", "error": {"kind": "rate_limit", "message": "Too many requests"}}

Steps run in order; a wait or fault before any content happens before the response headers. Times are seconds.

ScriptError      a script file that cannot be read or is not a script; names the file and the key
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.ai.errors import ErrorInfo
from core.ai.messages import Usage
from core.ai.wire import Json, camel_case

DoneReason: TypeAlias = Literal["stop", "length", "toolUse", "deferred"]


class ScriptError(ValueError):
    """The file is no script."""


class _Data(BaseModel):
    model_config = ConfigDict(
        alias_generator=camel_case, validate_by_name=True, extra="forbid", frozen=True, defer_build=True
    )


class Pace(_Data):
    """How content is cut and timed: `chars` per delta, `seconds` before each delta, `latency` before the headers.

    The schedule is absolute, so that lateness does not add up.
    """

    chars: int = Field(default=16, ge=1)
    seconds: float = Field(default=0.0, ge=0)
    latency: float = Field(default=0.0, ge=0)


class Text(_Data):
    """Visible text. `deltas` fixes the pieces. An `unfinished` block is never closed: for faults in its middle."""

    type: Literal["text"] = "text"
    text: str = ""
    deltas: tuple[str, ...] = ()
    unfinished: bool = False


class Thinking(_Data):
    """Reasoning, like `Text`; `signature` is its replay signature."""

    type: Literal["thinking"] = "thinking"
    text: str = ""
    deltas: tuple[str, ...] = ()
    signature: str | None = None
    unfinished: bool = False


class Call(_Data):
    """A tool call. `arguments` as a string are sent as they are, malformed or not. An empty `id` gets a unique one."""

    type: Literal["toolCall"] = "toolCall"
    name: str
    arguments: dict[str, Json] | str = Field(default_factory=dict)
    id: str = ""
    unfinished: bool = False


class Tokens(_Data):
    """The usage is reported."""

    type: Literal["usage"] = "usage"
    usage: Usage


class Start(_Data):
    """The response headers arrive."""

    type: Literal["start"] = "start"


class Wait(_Data):
    """Nothing happens for `seconds`."""

    type: Literal["wait"] = "wait"
    seconds: float = Field(ge=0)


class GateStep(_Data):
    """Nothing happens until the gate of this name is opened (`ScriptedProvider.gate`)."""

    type: Literal["gate"] = "gate"
    name: str


class Fault(_Data):
    """What goes wrong. Steps after it are not reached.

    `error`: the provider reports `error`. `drop`: the stream just ends, with no terminal event. `stall`: silence until
    the request is cancelled. `raise`: the adapter crashes with an unexpected exception that says `error.message`.
    """

    type: Literal["fault"] = "fault"
    kind: Literal["error", "drop", "stall", "raise"]
    error: ErrorInfo = ErrorInfo(kind="server", message="Scripted failure")


Content: TypeAlias = Text | Thinking | Call
Step: TypeAlias = Annotated[
    Text | Thinking | Call | Tokens | Start | Wait | GateStep | Fault, Field(discriminator="type")
]


class Reply(_Data):
    """One answer. Without `stop` the reason is toolUse when the reply holds a call, else stop."""

    steps: tuple[Step, ...] = ()
    stop: DoneReason | None = None
    pace: Pace | None = None
    response_id: str | None = None


class Script(_Data):
    """A whole part. After the last reply: the last one again with `repeat_last`, else an error that says so."""

    replies: tuple[Reply, ...] = ()
    pace: Pace = Pace()
    repeat_last: bool = False


def say(
    text: str = "",
    *calls: Call,
    thinking: str = "",
    usage: Usage | None = None,
    stop: DoneReason | None = None,
    pace: Pace | None = None,
) -> Reply:
    """Return a reply of thinking, then text, then calls, then usage, each left out when empty."""
    steps: list[Step] = []
    if thinking:
        steps.append(Thinking(text=thinking))
    if text:
        steps.append(Text(text=text))
    steps.extend(calls)
    if usage is not None:
        steps.append(Tokens(usage=usage))
    return Reply(steps=tuple(steps), stop=stop, pace=pace)


def call(name: str, arguments: dict[str, Json] | str | None = None, *, id: str = "") -> Call:
    """Return a tool call."""
    return Call(name=name, arguments={} if arguments is None else arguments, id=id)


def fail(error: ErrorInfo, *, after: str = "") -> Reply:
    """Return a reply that fails with `error`: before the headers, or after the text `after`."""
    begun: tuple[Step, ...] = (Text(text=after, unfinished=True),) if after else ()
    return Reply(steps=(*begun, Fault(kind="error", error=error)))


def load_script(path: Path) -> Script:
    """Return the script of a JSON file (`~` is the home directory). Raises ScriptError."""
    try:
        return Script.model_validate_json(path.expanduser().read_bytes())
    except OSError as error:
        raise ScriptError(f"The script {path} cannot be read: {error.strerror or error}") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"]) or "the file"
        raise ScriptError(f"The script {path} is not valid at {key}: {first['msg']}") from error
