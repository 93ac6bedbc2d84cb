"""Hooks of a run: the places where a host looks into the loop or changes what it does next."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from core.agent.tools import AgentTool, ToolResult
from core.ai.abort import AbortSignal
from core.ai.messages import (
    AgentMessage,
    AssistantMessage,
    LlmMessage,
    SystemMessage,
    ThinkingLevel,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from core.ai.model import Model, RequestHooks
from core.ai.wire import Json


@dataclass(frozen=True, slots=True)
class RunView:
    """What hooks see of the run: the transcript, which grows as the run goes on, and the tools on offer."""

    messages: Sequence[AgentMessage]
    tools: Sequence[AgentTool]
    model: Model
    signal: AbortSignal


@dataclass(frozen=True, slots=True)
class BeforeToolCall:
    """A validated call before it runs. `call` is as the model sent it, `arguments` are a read-only validated copy."""

    reply: AssistantMessage
    call: ToolCall
    arguments: Mapping[str, Json]
    view: RunView


@dataclass(frozen=True, slots=True)
class ToolCallVerdict:
    """Block the call with a reason the model reads, or run it with other arguments, which are validated again."""

    block: bool = False
    reason: str = ""
    terminate: bool = False
    arguments: Mapping[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class AfterToolCall:
    """A call that ran, and its result. `arguments` are a read-only copy of what the tool was given."""

    reply: AssistantMessage
    call: ToolCall
    arguments: Mapping[str, Json]
    result: ToolResult
    is_error: bool
    view: RunView


@dataclass(frozen=True, slots=True)
class TurnChange:
    """What to change from the next request on; None leaves a thing as it is.

    `context` replaces what the run sends of its transcript so far; what subscribers were told stays. `messages` enter
    the transcript, after a system message that declares a change of `tools`.
    """

    model: Model | None = None
    thinking_level: ThinkingLevel | None = None
    tools: Sequence[AgentTool] | None = None
    context: Sequence[AgentMessage] | None = None
    messages: tuple[AgentMessage, ...] = ()


@dataclass(frozen=True, slots=True)
class FinishedTurn:
    """A turn that is about to end."""

    message: AssistantMessage
    tool_results: tuple[ToolResultMessage, ...]
    view: RunView


@dataclass(frozen=True, slots=True)
class TurnDecision:
    """End the run here, or go on with messages that give the model something to answer: one or the other.

    Raises ValueError for both, and for a message that no model answers.
    """

    stop: bool = False
    continue_with: tuple[UserMessage | SystemMessage, ...] = ()

    def __post_init__(self) -> None:
        if self.stop and self.continue_with:
            raise ValueError("A turn decision cannot both stop the run and continue it")
        for message in self.continue_with:
            if not isinstance(message, UserMessage | SystemMessage):
                raise ValueError(f"A run continues with user or system messages, not {type(message).__name__}")


TransformContext: TypeAlias = Callable[[Sequence[AgentMessage], AbortSignal], Awaitable[Sequence[AgentMessage]]]
FinishTurn: TypeAlias = Callable[[FinishedTurn], Awaitable[TurnDecision | None]]
ConvertToLlm: TypeAlias = Callable[[Sequence[AgentMessage]], Sequence[LlmMessage]]
"""Converts messages one by one: gets those that are new since the last request, or all that transform_context gave."""


@dataclass(frozen=True, slots=True)
class AgentHooks:
    """All optional. A hook that raises before the reply turns the turn into a failed one; after the reply it ends the
    run and leaves the transcript as it is; around a tool call it turns that call's result into an error.

    A hook that still runs when the run is aborted has a short grace period, then its task is cancelled.
    """

    transform_context: TransformContext | None = None
    convert_to_llm: ConvertToLlm | None = None
    get_api_key: Callable[[Model], Awaitable[str | None]] | None = None
    prepare_request: Callable[[RunView], Awaitable[TurnChange | None]] | None = None
    before_tool_call: Callable[[BeforeToolCall], Awaitable[ToolCallVerdict | None]] | None = None
    after_tool_call: Callable[[AfterToolCall], Awaitable[ToolResult | None]] | None = None
    prepare_next_turn: Callable[[RunView], Awaitable[TurnChange | None]] | None = None
    finish_turn: FinishTurn | None = None
    request: RequestHooks = field(default_factory=RequestHooks)


def should_stop_after_turn(decide: Callable[[FinishedTurn], bool]) -> FinishTurn:
    """Return a finish_turn hook that ends the run when `decide` says so."""

    async def finish_turn(turn: FinishedTurn) -> TurnDecision | None:
        return TurnDecision(stop=True) if decide(turn) else None

    return finish_turn
