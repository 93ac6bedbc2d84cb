"""The tool protocol: what the loop knows of a tool, and what a tool gives back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from core.ai.abort import AbortSignal
from core.ai.messages import ImageContent, TextContent, ToolSpec, Usage, UserContent
from core.ai.wire import Json, WireModel


class ToolResult(WireModel):
    """What a tool returns.

    `content` is what the model reads, `details` what a person sees (never sent to a model), `structured_content` what a
    scripted caller gets. `is_error` marks a failure the tool reports itself. `terminate` ends the run when every result
    of the batch has it.
    """

    content: tuple[UserContent, ...] = ()
    details: Json = None
    structured_content: Json = None
    is_error: bool | None = None
    terminate: bool | None = None
    usage: Usage | None = None

    @classmethod
    def text(cls, text: str, *, details: Json = None, is_error: bool | None = None) -> ToolResult:
        """Return a result of one text block."""
        return cls(content=(TextContent(text=text),), details=details, is_error=is_error)

    @classmethod
    def error(cls, text: str, *, details: Json = None) -> ToolResult:
        """Return a failure of one text block."""
        return cls.text(text, details=details, is_error=True)

    @property
    def plain_text(self) -> str:
        """The text blocks joined by newlines; an image shows as its type."""
        return "\n".join(
            block.text if isinstance(block, TextContent) else f"[{_image_label(block)}]" for block in self.content
        )


def _image_label(image: ImageContent) -> str:
    return f"image {image.mime_type}"


class Reservation(Protocol):
    """A place in the queue for what a call touches, taken in call order before anything is awaited."""

    async def acquire(self) -> None:
        """Return when every earlier conflicting reservation was released. May be cancelled."""
        ...

    def release(self) -> None:
        """Give the place up, acquired or not. Idempotent, never raises."""
        ...


RunToolCall: TypeAlias = Callable[[str, Mapping[str, Json]], Awaitable[ToolResult]]
"""Runs the tool of a name with arguments and returns its result; never raises for a failure."""


async def no_nested_calls(name: str, arguments: Mapping[str, Json]) -> ToolResult:
    """What `run_tool_call` is outside of a run."""
    return ToolResult.error(f"There is no run in which {name} could be called.")


@dataclass(frozen=True, slots=True)
class ToolInvocation:
    """One call as the tool sees it. `arguments` are validated and private to this call.

    `on_update` shows a partial result; it may be called from any thread and is ignored once the call has settled.
    `run_tool_call` calls another tool in the name of this call: with the same checks and hooks, without events, and
    under this call's reservation when it has one. The result message keeps a record of such calls.
    """

    call_id: str
    arguments: Mapping[str, Json]
    signal: AbortSignal
    on_update: Callable[[ToolResult], None]
    run_tool_call: RunToolCall = no_nested_calls


class AgentTool(Protocol):
    """A tool that the loop can run.

    `execute` returns a result, or raises: an exception's text becomes an error result. After an abort it has a short
    grace period, then its task is cancelled; whatever must not be cut in half is shielded by the tool itself, which
    then finishes it before it lets the cancellation pass.
    """

    @property
    def name(self) -> str: ...

    @property
    def label(self) -> str:
        """A name for people."""
        ...

    @property
    def description(self) -> str:
        """What the model is told."""
        ...

    @property
    def parameters(self) -> dict[str, Json]:
        """JSON Schema of the arguments, an object."""
        ...

    @property
    def execution_mode(self) -> Literal["parallel", "sequential"]:
        """`sequential` makes any batch that calls this tool run one by one."""
        ...

    def prepare_arguments(self, raw: dict[str, Json]) -> dict[str, Json]:
        """Return the arguments to validate: known quirks of models undone. Must not change `raw`."""
        ...

    def reserve(self, arguments: Mapping[str, Json]) -> Reservation | None:
        """Return the place in the queue for what validated `arguments` touch; None when the call touches nothing."""
        ...

    async def execute(self, call: ToolInvocation) -> ToolResult: ...


def spec_of(tool: AgentTool) -> ToolSpec:
    """Return what a model is told of `tool`; providers that can hold arguments to a schema may do so."""
    return ToolSpec(
        name=tool.name,
        description=tool.description,
        parameters=tool.parameters,
        constrained_sampling={"type": "json_schema", "strict": "prefer"},
    )
