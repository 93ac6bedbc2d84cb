"""The fold: `reduce(state, event)` changes the state in place and returns what it touched.

A copy per event would make a delta cost the length of the transcript, so the state is mutable and the reducer its only
writer. It has no other effect: no I/O, no clock but the state's own. A delta costs its own length.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

from core.agent import events as agent
from core.ai import stream
from core.ai.messages import AssistantMessage, ToolResultMessage, Usage
from core.session import events as session
from core.session.events import SessionEvent
from pi_tui.model.blocks import Block, CustomBlock, NoticeBlock, SummaryBlock, TextBlock, ThinkingBlock, ToolBlock
from pi_tui.model.fold import add_message, close_calls, finish_text, plain_text, push, settle, status_of
from pi_tui.model.state import Changes, Phase, Queue, Retry, State


def reduce(state: State, event: SessionEvent) -> Changes:
    """Fold one event into `state` (changed in place) and return what it touched.

    Events that show nothing (`turn_end`, say) give empty changes.
    """
    changes = Changes()
    handler = _HANDLERS.get(event.type)
    if handler is not None:
        handler(state, event, changes)
    return changes


# The run


def _agent_start(state: State, event: agent.AgentStart, changes: Changes) -> None:
    if not state.activity.busy:
        state.activity.run_since = state.clock()
    state.activity.retry = None
    state.set_phase("requesting", changes)


def _turn_start(state: State, event: agent.TurnStart, changes: Changes) -> None:
    state.activity.turn = event.turn_index
    state.set_phase("requesting", changes)


def _agent_end(state: State, event: agent.AgentEnd, changes: Changes) -> None:
    state.open_blocks.clear()
    close_calls(state, changes)
    state.activity.running.clear()
    state.live_usage = None
    text = _CAUSES.get(event.cause)
    if text is not None:
        push(state, NoticeBlock("warning", text), changes)
    state.set_phase("settling", changes)


_CAUSES = {
    "max_turns": "Stopped: the limit of turns for one prompt is reached.",
    "repeated_call": "Stopped: the model repeated the same call again and again.",
}


def _agent_settled(state: State, event: session.AgentSettled, changes: Changes) -> None:
    state.activity.retry = None
    state.set_phase("idle", changes)


def _retry_start(state: State, event: session.AutoRetryStart, changes: Changes) -> None:
    retry = Retry(event.attempt, event.max_attempts, event.delay_ms, event.error_message, state.clock())
    state.activity.retry = retry
    state.set_phase("retrying", changes)
    changes.status = True


def _retry_end(state: State, event: session.AutoRetryEnd, changes: Changes) -> None:
    state.activity.retry = None
    changes.status = True


def _queue_update(state: State, event: session.QueueUpdate, changes: Changes) -> None:
    state.queue = Queue(event.steering, event.follow_up)
    changes.status = True


# Messages


def _message_start(state: State, event: agent.MessageStart, changes: Changes) -> None:
    message = event.message
    if isinstance(message, AssistantMessage):
        state.open_blocks.clear()
    elif not isinstance(message, ToolResultMessage):
        add_message(state, message, changes)


def _message_end(state: State, event: agent.MessageEnd, changes: Changes) -> None:
    if isinstance(event.message, AssistantMessage | ToolResultMessage):
        add_message(state, event.message, changes)


def _message_update(state: State, event: agent.MessageUpdate, changes: Changes) -> None:
    if event.usage is not state.live_usage:
        state.live_usage = event.usage
        changes.status = True
    part = event.assistant_message_event
    handler, phase = _PARTS[part.type]
    if state.activity.phase != phase:
        state.set_phase(phase, changes)
    handler(state, part, changes)


def _start(state: State, part: stream.TextStart | stream.ThinkingStart, changes: Changes) -> None:
    block: Block = TextBlock() if isinstance(part, stream.TextStart) else ThinkingBlock()
    state.open_blocks[part.content_index] = push(state, block, changes)


def _delta(state: State, part: stream.TextDelta | stream.ThinkingDelta, changes: Changes) -> None:
    at = state.open_blocks[part.content_index]
    block = state.blocks[at]
    assert isinstance(block, TextBlock | ThinkingBlock)
    changes.touch(at, len(block.text))
    block.text.append(part.delta)
    block.revision += 1


def _end(state: State, part: stream.TextEnd | stream.ThinkingEnd, changes: Changes) -> None:
    at = state.open_blocks[part.content_index]
    block = state.blocks[at]
    assert isinstance(block, TextBlock | ThinkingBlock)
    changes.touch(at, finish_text(block, part.content))


def _call_start(state: State, part: stream.ToolCallStart, changes: Changes) -> None:
    at = push(state, ToolBlock(part.id, part.tool_name), changes)
    state.open_blocks[part.content_index] = at


def _call_delta(state: State, part: stream.ToolCallDelta, changes: Changes) -> None:
    at = state.open_blocks[part.content_index]
    block = state.blocks[at]
    assert isinstance(block, ToolBlock)
    block.arguments_text.append(part.delta)
    block.revision += 1
    changes.touch(at)


def _call_end(state: State, part: stream.ToolCallEnd, changes: Changes) -> None:
    at = state.open_blocks[part.content_index]
    block = state.blocks[at]
    assert isinstance(block, ToolBlock)
    block.take_call(part.tool_call)
    block.revision += 1
    state.calls[part.tool_call.id] = at
    changes.touch(at)


_PARTS: dict[str, tuple[Callable[[State, Any, Changes], None], Phase]] = {
    "text_delta": (_delta, "writing"),
    "thinking_delta": (_delta, "thinking"),
    "toolcall_delta": (_call_delta, "calling"),
    "text_start": (_start, "writing"),
    "thinking_start": (_start, "thinking"),
    "toolcall_start": (_call_start, "calling"),
    "text_end": (_end, "writing"),
    "thinking_end": (_end, "thinking"),
    "toolcall_end": (_call_end, "calling"),
}


# Tools


def _tool_start(state: State, event: agent.ToolExecutionStart, changes: Changes) -> None:
    at, block = _call(state, event, changes)
    block.status, block.started_at = "running", state.clock()
    block.revision += 1
    changes.touch(at)
    state.activity.running.add(event.tool_call_id)
    changes.status = True
    state.set_phase("tools", changes)


def _tool_update(state: State, event: agent.ToolExecutionUpdate, changes: Changes) -> None:
    at, block = _call(state, event, changes)
    block.partial = event.partial_result
    block.revision += 1
    changes.touch(at)


def _tool_end(state: State, event: agent.ToolExecutionEnd, changes: Changes) -> None:
    at, block = _call(state, event, changes)
    block.content, block.details = event.result.content, event.result.details
    block.duration_ms = event.duration_ms
    settle(block, status_of(plain_text(event.result.content), is_error=event.is_error))
    changes.touch(at)
    state.activity.running.discard(event.tool_call_id)
    changes.status = True


def _call(
    state: State,
    event: agent.ToolExecutionStart | agent.ToolExecutionUpdate | agent.ToolExecutionEnd,
    changes: Changes,
) -> tuple[int, ToolBlock]:
    at = state.calls.get(event.tool_call_id)
    if at is None:
        arguments = getattr(event, "args", None)
        block = ToolBlock(event.tool_call_id, event.tool_name)
        block.arguments = arguments if isinstance(arguments, dict) else {}
        at = state.calls[event.tool_call_id] = push(state, block, changes)
    block = state.blocks[at]
    assert isinstance(block, ToolBlock)
    return at, block


# Session


def _entry_appended(state: State, event: session.EntryAppended, changes: Changes) -> None:
    entry = event.entry
    kind = entry.get("type")
    if kind == "compaction":
        tokens = entry.get("tokensBefore")
        text = str(entry.get("summary") or "")
        push(state, SummaryBlock("compaction", text, tokens if isinstance(tokens, int) else None), changes)
        state.totals.context_tokens = None
        changes.status = True
    elif kind == "branch_summary":
        push(state, SummaryBlock("branch", str(entry.get("summary") or "")), changes)
    elif kind == "custom_message" and entry.get("display", True):
        push(state, CustomBlock(str(entry.get("customType") or "custom"), _entry_text(entry.get("content"))), changes)
    if isinstance(entry.get("usage"), dict):
        try:
            state.totals.add(Usage.model_validate(entry["usage"]))
        except ValidationError as error:
            push(state, NoticeBlock("warning", f"Unreadable usage in a session entry: {error}"), changes)
        changes.status = True


def _entry_text(content: object) -> str:
    if not isinstance(content, list):
        return str(content or "")
    return "\n".join(str(part["text"]) for part in content if isinstance(part, dict) and "text" in part)


def _session_notice(state: State, event: session.SessionNotice, changes: Changes) -> None:
    push(state, NoticeBlock(event.level, event.text), changes)


def _fault(state: State, event: agent.Fault, changes: Changes) -> None:
    push(state, NoticeBlock("warning", f"Fault in {event.source}: {event.error}"), changes)


_HANDLERS: dict[str, Callable[[State, Any, Changes], None]] = {
    "message_update": _message_update,
    "agent_start": _agent_start,
    "agent_end": _agent_end,
    "turn_start": _turn_start,
    "message_start": _message_start,
    "message_end": _message_end,
    "tool_execution_start": _tool_start,
    "tool_execution_update": _tool_update,
    "tool_execution_end": _tool_end,
    "fault": _fault,
    "agent_settled": _agent_settled,
    "auto_retry_start": _retry_start,
    "auto_retry_end": _retry_end,
    "queue_update": _queue_update,
    "entry_appended": _entry_appended,
    "session_notice": _session_notice,
}
