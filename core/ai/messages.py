"""Messages, content blocks and usage: the closed unions that everything else is built on.

Field names on the wire are pi's (`stopReason`, `toolCallId`, ...). Message timestamps are Unix milliseconds.
"""

from __future__ import annotations

import time
from functools import cache
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from core.ai.wire import Json, WireModel

StopReason: TypeAlias = Literal["pending", "stop", "length", "toolUse", "error", "aborted", "deferred"]
ThinkingLevel: TypeAlias = Literal["off", "minimal", "low", "medium", "high", "xhigh", "max"]

THINKING_LEVELS: tuple[ThinkingLevel, ...] = ("off", "minimal", "low", "medium", "high", "xhigh", "max")


def now_ms() -> int:
    """Return the current time as Unix milliseconds."""
    return time.time_ns() // 1_000_000


class TextContent(WireModel):
    """Text. `text_signature` is a provider's opaque replay id and is kept byte for byte."""

    type: Literal["text"] = "text"
    text: str
    text_signature: str | None = None


class ThinkingContent(WireModel):
    """Readable reasoning; `thinking` may be empty when the provider gave only an opaque payload."""

    type: Literal["thinking"] = "thinking"
    thinking: str
    thinking_signature: str | None = None
    redacted: bool | None = None


class ImageContent(WireModel):
    """An image: `data` is base64 without a data-URL prefix, `mime_type` for example image/png."""

    type: Literal["image"] = "image"
    data: str
    mime_type: str


class ToolCall(WireModel):
    """A call the model asks for. `arguments_error` tells why the final argument text was not a JSON object."""

    type: Literal["toolCall"] = "toolCall"
    id: str
    name: str
    arguments: dict[str, Json] = Field(default_factory=dict)
    thought_signature: str | None = None
    namespace: str | None = None
    arguments_error: str | None = None


UserContent: TypeAlias = Annotated[TextContent | ImageContent, Field(discriminator="type")]
AssistantContent: TypeAlias = Annotated[TextContent | ThinkingContent | ToolCall, Field(discriminator="type")]


class Cost(WireModel):
    """US dollars. `total_from_provider` marks a billed total instead of an estimate."""

    input: float = 0
    output: float = 0
    cache_read: float = 0
    cache_write: float = 0
    total: float = 0
    total_from_provider: bool | None = None


class Usage(WireModel):
    """Tokens of one response.

    `input` excludes cached tokens, `output` includes `reasoning`, `total_tokens` is the whole context.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int | None = None
    total_tokens: int = 0
    cost: Cost = Field(default_factory=Cost)
    cache_write_1h: int | None = Field(default=None, alias="cacheWrite1h")


class Diagnostic(WireModel):
    """A structured note on a message: what failed and how, for logs and retry decisions; never sent to a model."""

    type: str
    timestamp: int
    error: dict[str, Json] | None = None
    details: dict[str, Json] | None = None


class UserMessage(WireModel):
    """What a person typed."""

    role: Literal["user"] = "user"
    content: str | tuple[UserContent, ...]
    timestamp: int = Field(default_factory=now_ms)

    @classmethod
    def of(cls, text: str, images: tuple[ImageContent, ...] = ()) -> UserMessage:
        """Return a message in list form: the text, then the images."""
        return cls(content=(TextContent(text=text), *images))


class AssistantMessage(WireModel):
    """One model reply. `timestamp` is the start of the request, `duration_ms` the time to its end."""

    role: Literal["assistant"] = "assistant"
    content: tuple[AssistantContent, ...] = ()
    api: str = ""
    provider: str = ""
    model: str = ""
    usage: Usage = Field(default_factory=Usage)
    stop_reason: StopReason = "stop"
    timestamp: int = Field(default_factory=now_ms)
    error_message: str | None = None
    response_id: str | None = None
    response_model: str | None = None
    raw_stop_reason: str | None = None
    duration_ms: int | None = None
    thinking_level: ThinkingLevel | None = None
    provider_thinking_level: str | None = None
    diagnostics: tuple[Diagnostic, ...] | None = None

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls of this reply in source order."""
        return tuple(block for block in self.content if isinstance(block, ToolCall))

    @property
    def text(self) -> str:
        """The text blocks, one after another, separated by newlines."""
        return "\n".join(block.text for block in self.content if isinstance(block, TextContent))


class ToolResultMessage(WireModel):
    """The answer to one tool call. `details` is for the screen and logs and is never sent to a model."""

    role: Literal["toolResult"] = "toolResult"
    tool_call_id: str
    tool_name: str
    content: tuple[UserContent, ...] = ()
    details: Json = None
    is_error: bool = False
    usage: Usage | None = None
    nested_calls: Json = None
    duration_ms: int | None = None
    timestamp: int = Field(default_factory=now_ms)


class ToolSpec(WireModel):
    """What a model is told about a tool; `parameters` is a JSON Schema object."""

    name: str
    description: str
    parameters: dict[str, Json]
    constrained_sampling: Json = None


class ToolName(WireModel):
    """Names a tool that is withdrawn."""

    name: str


class SystemMessage(WireModel):
    """System prompt parts and tool declarations from this point on; a section with value None is removed."""

    role: Literal["system"] = "system"
    content: str | tuple[TextContent, ...] = ""
    sections: dict[str, str | None] | None = None
    timestamp: int = Field(default_factory=now_ms)
    tools_added: tuple[ToolSpec, ...] | None = None
    tools_removed: tuple[ToolName, ...] | None = None


class BashExecutionMessage(WireModel):
    """A person's own `!command`; excluded from the model's context when it was typed as `!!command`."""

    role: Literal["bashExecution"] = "bashExecution"
    command: str
    output: str
    exit_code: int | None = None
    cancelled: bool = False
    truncated: bool = False
    full_output_path: str | None = None
    exclude_from_context: bool | None = None
    timestamp: int = Field(default_factory=now_ms)


class CustomMessage(WireModel):
    """A message of an extension; sent to the model as user text."""

    role: Literal["custom"] = "custom"
    custom_type: str
    content: str | tuple[UserContent, ...]
    display: bool = True
    details: Json = None
    timestamp: int = Field(default_factory=now_ms)


class BranchSummaryMessage(WireModel):
    """Stands for a branch that was left."""

    nullable_on_wire: ClassVar[frozenset[str]] = frozenset({"from_id"})

    role: Literal["branchSummary"] = "branchSummary"
    summary: str
    from_id: str | None = None
    timestamp: int = Field(default_factory=now_ms)


class CompactionSummaryMessage(WireModel):
    """Stands for messages that were compacted."""

    role: Literal["compactionSummary"] = "compactionSummary"
    summary: str
    tokens_before: int
    timestamp: int = Field(default_factory=now_ms)


LlmMessage: TypeAlias = Annotated[
    UserMessage | AssistantMessage | ToolResultMessage | SystemMessage, Field(discriminator="role")
]
"""The roles that providers understand."""

AgentMessage: TypeAlias = Annotated[
    UserMessage
    | AssistantMessage
    | ToolResultMessage
    | SystemMessage
    | BashExecutionMessage
    | CustomMessage
    | BranchSummaryMessage
    | CompactionSummaryMessage,
    Field(discriminator="role"),
]
"""Everything that can stand in a transcript."""


@cache
def _adapter() -> TypeAdapter[AgentMessage]:
    # Built at the first use: validators cost start-up time, and the first frame needs none.
    return TypeAdapter(AgentMessage)


def parse_message(data: Json) -> AgentMessage:
    """Return the typed message of a JSON object; null content counts as empty.

    Raises pydantic.ValidationError for a shape or role that is not known.
    """
    if isinstance(data, dict) and data.get("content", "") is None:
        data = {**data, "content": []}
    return _adapter().validate_python(data)
