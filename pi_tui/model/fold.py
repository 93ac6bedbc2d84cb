"""Messages into blocks: for a resumed session, and for every message that ends in a live one."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.ai.messages import (
    AgentMessage,
    AssistantContent,
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolResultMessage,
    UserContent,
    UserMessage,
)
from pi_tui.model.blocks import (
    Block,
    CustomBlock,
    NoticeBlock,
    ShellBlock,
    SummaryBlock,
    TextBlock,
    ThinkingBlock,
    ToolBlock,
    ToolStatus,
    UserBlock,
)
from pi_tui.model.state import Changes, State
from pi_tui.model.text import TextBuffer

_ABORTED = re.compile(r"(?im)\A\W*(?:operation )?aborted\b|^\W*(?:the )?command (?:was )?aborted\W*$")
"""How results of stopped calls begin, or the remark under what a stopped command had printed."""


def fold_messages(messages: Iterable[AgentMessage], state: State | None = None) -> State:
    """Return the state of a session that is loaded from its messages (`state`: one to add to, say with a header).

    Calls that never got a result are shown as aborted.
    """
    state = state or State()
    changes = Changes()
    for message in messages:
        add_message(state, message, changes)
    close_calls(state, changes)
    return state


def add_message(state: State, message: AgentMessage, changes: Changes) -> None:
    """Fold one complete message; for a reply that was streamed this settles the blocks that it left."""
    if isinstance(message, AssistantMessage):
        _end_reply(state, message, changes)
    elif isinstance(message, ToolResultMessage):
        _end_call(state, message, changes)
    else:
        block = _block_of(message)
        if block is not None:
            push(state, block, changes)
        if isinstance(message, CompactionSummaryMessage):
            state.totals.context_tokens = None


def push(state: State, block: Block, changes: Changes) -> int:
    """Add a block and return its position."""
    index = len(state.blocks)
    state.blocks.append(block)
    changes.touch(index)
    return index


def close_calls(state: State, changes: Changes) -> None:
    """Mark calls that nobody will answer any more."""
    for index in state.calls.values():
        block = state.blocks[index]
        if isinstance(block, ToolBlock) and not block.settled:
            settle(block, "aborted")
            changes.touch(index)
    state.calls.clear()


def settle(block: ToolBlock, status: ToolStatus) -> None:
    """End a call."""
    block.status, block.partial, block.started_at = status, None, None
    block.revision += 1


def status_of(text: str, *, is_error: bool) -> ToolStatus:
    """Return the status that a result text stands for."""
    if not is_error:
        return "ok"
    return "aborted" if _ABORTED.search(text) else "error"


def plain_text(content: str | tuple[UserContent, ...]) -> str:
    """Return the text blocks of `content`, one after another."""
    if isinstance(content, str):
        return content
    return "\n".join(block.text for block in content if isinstance(block, TextContent))


def _block_of(message: AgentMessage) -> Block | None:
    if isinstance(message, UserMessage):
        content = message.content
        images = () if isinstance(content, str) else tuple(b.mime_type for b in content if isinstance(b, ImageContent))
        return UserBlock(plain_text(content), images)
    if isinstance(message, BashExecutionMessage):
        return ShellBlock(
            command=message.command,
            output=message.output,
            exit_code=message.exit_code,
            cancelled=message.cancelled,
            truncated=message.truncated,
            full_output_path=message.full_output_path,
            excluded=bool(message.exclude_from_context),
        )
    if isinstance(message, CompactionSummaryMessage):
        return SummaryBlock("compaction", message.summary, message.tokens_before)
    if isinstance(message, BranchSummaryMessage):
        return SummaryBlock("branch", message.summary)
    if isinstance(message, CustomMessage) and message.display:
        return CustomBlock(message.custom_type, plain_text(message.content))
    return None


def _end_reply(state: State, message: AssistantMessage, changes: Changes) -> None:
    streamed = state.open_blocks
    fits = all(
        index < len(message.content) and state.blocks[at].kind == _KINDS[message.content[index].type]
        for index, at in streamed.items()
    )
    if streamed and not fits:
        gone = set(streamed.values())
        state.blocks = [block for at, block in enumerate(state.blocks) if at not in gone]
        state.calls.clear()
        streamed.clear()
        changes.reset = True
    for index, content in enumerate(message.content):
        at = streamed.get(index)
        if at is None:
            at = push(state, _empty_block(content), changes)
        _finish(state, at, content, changes)
        if message.stop_reason in ("error", "aborted"):
            block = state.blocks[at]
            if isinstance(block, ToolBlock):
                settle(block, "aborted")
    streamed.clear()
    notice = _stop_notice(message)
    if notice is not None:
        push(state, notice, changes)
    _count(state, message, changes)


_KINDS = {"text": "text", "thinking": "thinking", "toolCall": "tool"}


def _empty_block(content: AssistantContent) -> Block:
    if isinstance(content, TextContent):
        return TextBlock()
    return ThinkingBlock() if isinstance(content, ThinkingContent) else ToolBlock(content.id, content.name)


def _finish(state: State, at: int, content: AssistantContent, changes: Changes) -> None:
    block = state.blocks[at]
    if isinstance(block, ToolBlock):
        if not isinstance(content, TextContent | ThinkingContent):
            block.take_call(content)
            state.calls[content.id] = at
        changes.touch(at)
    elif isinstance(block, TextBlock | ThinkingBlock) and isinstance(content, TextContent | ThinkingContent):
        text = content.text if isinstance(content, TextContent) else content.thinking
        changes.touch(at, finish_text(block, text))
    block.revision += 1


def finish_text(block: TextBlock | ThinkingBlock, text: str) -> int:
    """Make `text` the final text of `block` and return the offset from which it is new."""
    block.final = True
    block.revision += 1
    if not len(block.text):
        block.text = TextBuffer(text)
        return 0
    return block.text.replace(text)


def _stop_notice(message: AssistantMessage) -> NoticeBlock | None:
    if message.stop_reason == "error":
        return NoticeBlock("error", f"Error: {message.error_message or 'the request failed'}", transient=False)
    if message.stop_reason == "aborted":
        return NoticeBlock("error", message.error_message or "Aborted", transient=False)
    if message.stop_reason == "length":
        return NoticeBlock("warning", "The reply was cut at the output limit.", transient=False)
    if message.stop_reason == "deferred":
        return NoticeBlock("info", "The provider will finish this reply later.", transient=False)
    if message.stop_reason == "stop" and not message.tool_calls and not message.text.strip():
        return NoticeBlock("warning", "The model ended without an answer.", transient=False)
    return None


def _count(state: State, message: AssistantMessage, changes: Changes) -> None:
    usage, totals = message.usage, state.totals
    state.live_usage = None
    totals.add(usage)
    if message.stop_reason not in ("error", "aborted") and usage.total_tokens:
        totals.context_tokens = usage.total_tokens
        read_in = usage.input + usage.cache_read + usage.cache_write
        totals.cache_hit = usage.cache_read / read_in if read_in else None
    changes.status = True


def _end_call(state: State, message: ToolResultMessage, changes: Changes) -> None:
    at = state.calls.get(message.tool_call_id)
    if at is None:
        at = push(state, ToolBlock(message.tool_call_id, message.tool_name, arguments={}), changes)
        state.calls[message.tool_call_id] = at
    block = state.blocks[at]
    assert isinstance(block, ToolBlock)
    block.content, block.details = message.content, message.details
    if message.duration_ms is not None:
        block.duration_ms = message.duration_ms
    settle(block, status_of(plain_text(message.content), is_error=message.is_error))
    changes.touch(at)
    if message.usage is not None:
        state.totals.add(message.usage)
        changes.status = True
