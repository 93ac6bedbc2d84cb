"""What happens to a tool call before it runs: find the tool, check arguments, ask the host, take a place in line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.agent.arguments import InvalidArguments, validated
from core.agent.hooks import BeforeToolCall
from core.agent.run import Run
from core.agent.tools import AgentTool, Reservation, ToolResult
from core.ai.messages import AssistantMessage, ToolCall
from core.ai.wire import Json, wire_value


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call settled. `duration_ms` is None when the tool never ran, `nested` when it called no other tools."""

    result: ToolResult
    is_error: bool
    duration_ms: int | None = None
    nested: Json = None

    @classmethod
    def failed(cls, text: str, *, terminate: bool = False) -> Outcome:
        """An error the model reads; the tool did not run. The empty details are pi's."""
        content = ToolResult.text(text).content
        result = ToolResult(content=content, details={}, terminate=terminate or None)
        return cls(result, is_error=True)

    @classmethod
    def aborted(cls, reason: str) -> Outcome:
        """The run was aborted before the call could run."""
        return cls.failed(f"{reason}: the call was not run.")


@dataclass(frozen=True, slots=True)
class ApprovedCall:
    """A call that passed preflight and holds its place in the queue for what it touches.

    `arguments` are validated and belong to nobody else; whoever looks at them or runs with them gets a copy. `parent`
    is the call in whose name this one is made.
    """

    reply: AssistantMessage
    call: ToolCall
    tool: AgentTool
    arguments: dict[str, Json]
    reservation: Reservation | None
    parent: ApprovedCall | None = None

    @property
    def has_place(self) -> bool:
        """True when this call, or one in whose name it is made, holds a place: another one would wait for itself."""
        return self.reservation is not None or (self.parent is not None and self.parent.has_place)

    def give_up(self) -> None:
        """Leave the queue."""
        if self.reservation is not None:
            self.reservation.release()


async def preflight(
    run: Run,
    reply: AssistantMessage,
    tools: Mapping[str, AgentTool],
    call: ToolCall,
    parent: ApprovedCall | None = None,
) -> ApprovedCall | Outcome:
    """Find, prepare, validate, ask the hook, reserve. An outcome means that the call does not run; never raises."""
    if run.signal.aborted:
        return Outcome.aborted(run.signal.reason)
    tool = tools.get(call.name)
    if tool is None:
        known = ", ".join(tools) or "none"
        return Outcome.failed(f"There is no tool named {call.name!r}. Available: {known}.")
    if call.arguments_error is not None:
        return Outcome.failed(call.arguments_error)
    try:
        arguments = validated(tool, tool.prepare_arguments(wire_value(call.arguments)))
        hook = run.config.hooks.before_tool_call
        if hook is not None:
            verdict = await run.ask(hook(BeforeToolCall(reply, call, read_only(arguments), run.view)))
            if run.signal.aborted:
                return Outcome.aborted(run.signal.reason)
            if verdict is not None and verdict.block:
                reason = verdict.reason or f"The call of {call.name} was not allowed."
                return Outcome.failed(reason, terminate=verdict.terminate)
            if verdict is not None and verdict.arguments is not None:
                arguments = validated(tool, verdict.arguments)
        inherits = parent is not None and parent.has_place
        reservation = None if inherits else tool.reserve(read_only(arguments))
        return ApprovedCall(reply, call, tool, arguments, reservation, parent)
    except InvalidArguments as error:
        return Outcome.failed(str(error))
    except Exception as error:
        if run.signal.aborted:
            return Outcome.aborted(run.signal.reason)
        return Outcome.failed(str(error) or type(error).__name__)


def read_only(arguments: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return a copy that cannot be changed at its top level, and whose change below that level has no effect."""
    return MappingProxyType(wire_value(dict(arguments)))
