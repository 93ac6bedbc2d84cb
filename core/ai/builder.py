"""Builds one assistant message from what an adapter receives, and the stream events that describe it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Literal

from core.ai.errors import ErrorInfo
from core.ai.messages import (
    AssistantContent,
    AssistantMessage,
    StopReason,
    TextContent,
    ThinkingContent,
    ThinkingLevel,
    ToolCall,
    Usage,
    now_ms,
)
from core.ai.model import Model
from core.ai.stream import (
    BlockEvent,
    StreamDone,
    StreamError,
    StreamStart,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from core.ai.tool_arguments import parse_final, parse_partial
from core.ai.usage import priced


@dataclass(slots=True)
class _Block:
    kind: Literal["text", "thinking", "toolCall"]
    parts: list[str] = field(default_factory=list)
    open: bool = True
    signature: str | None = None
    redacted: bool | None = None
    id: str = ""
    name: str = ""
    call: ToolCall | None = None
    """The finished call, once its argument text was parsed."""

    def text(self) -> str:
        if len(self.parts) > 1:
            self.parts = ["".join(self.parts)]
        return self.parts[0] if self.parts else ""


class MessageBuilder:
    """The message so far. An adapter calls the methods and yields the events they return.

    Block indexes are positions in the finished message. The caller of an adapter keeps the builder, so that whatever
    happens (abort, crash, timeout) the partial message is at hand.
    """

    def __init__(self, model: Model, thinking_level: ThinkingLevel | None = None) -> None:
        self.model = model
        self.thinking_level = thinking_level
        self.usage = Usage()
        self.response_id: str | None = None
        self.response_model: str | None = None
        self.raw_stop_reason: str | None = None
        self.provider_thinking_level: str | None = None
        self.closes_blocks_on_failure = False
        """Set by adapters whose format has no block ends of its own: open blocks are then closed before an error."""
        self.started = False
        self.last_heard = time.monotonic()
        self._timestamp = now_ms()
        self._begun = self.last_heard
        self._blocks: list[_Block] = []

    def heard(self) -> None:
        """Note that bytes arrived (a keep-alive counts): the idle limit starts anew."""
        self.last_heard = time.monotonic()

    def start(self) -> StreamStart:
        """The response headers arrived."""
        self.started = True
        return StreamStart(message=self.snapshot())

    # Blocks

    def open_text(self) -> tuple[int, TextStart]:
        """Open a text block and return its index and event."""
        index = self._open(_Block("text"))
        return index, TextStart(content_index=index)

    def open_thinking(self, *, redacted_data: str | None = None) -> tuple[int, ThinkingStart]:
        """Open a thinking block; with `redacted_data` it is an opaque one."""
        block = _Block("thinking")
        if redacted_data is not None:
            block.redacted, block.signature, block.parts = True, redacted_data, ["[Reasoning redacted]"]
        index = self._open(block)
        return index, ThinkingStart(content_index=index)

    def open_tool_call(self, call_id: str = "", name: str = "") -> tuple[int, ToolCallStart]:
        """Open a tool call; id and name may be completed later with `name_tool_call`.

        An id that another call of this reply has already gets a suffix: results are told apart by it.
        """
        block = _Block("toolCall", id=self._unused(call_id), name=name)
        index = self._open(block)
        return index, ToolCallStart(content_index=index, id=block.id, tool_name=name)

    def append(self, index: int, delta: str) -> TextDelta | ThinkingDelta | ToolCallDelta:
        """Append text (argument JSON for a tool call) to an open block."""
        block = self._blocks[index]
        block.parts.append(delta)
        if block.kind == "text":
            return TextDelta(content_index=index, delta=delta)
        if block.kind == "thinking":
            return ThinkingDelta(content_index=index, delta=delta)
        return ToolCallDelta(content_index=index, delta=delta)

    def sign(self, index: int, signature: str, *, extend: bool = False) -> None:
        """Set (or extend) the replay signature of a text or thinking block; no event tells of it."""
        block = self._blocks[index]
        block.signature = (block.signature or "") + signature if extend else signature

    def name_tool_call(self, index: int, *, call_id: str = "", name: str = "") -> None:
        """Complete the id or name of a tool call that came late; empty values change nothing."""
        block = self._blocks[index]
        block.call = None
        if call_id and call_id != block.id:
            block.id = self._unused(call_id)
        block.name = name or block.name

    def replace(self, index: int, text: str) -> None:
        """Replace what a block has collected: for formats whose end event is authoritative."""
        block = self._blocks[index]
        block.parts, block.call = [text], None

    def close(self, index: int) -> BlockEvent:
        """Close a block and return its end event; argument text of a tool call is parsed here.

        A call that never got an id gets one made up.
        """
        block = self._blocks[index]
        block.open = False
        if block.kind == "text":
            return TextEnd(content_index=index, content=block.text())
        if block.kind == "thinking":
            return ThinkingEnd(content_index=index, content=block.text())
        return ToolCallEnd(content_index=index, tool_call=self._finished_call(block))

    def close_all(self) -> list[BlockEvent]:
        """Close all open blocks in content order."""
        return [self.close(index) for index, block in enumerate(self._blocks) if block.open]

    def set_usage(self, usage: Usage) -> None:
        """Set the usage so far; the cost is computed from the model's prices unless the provider billed a total."""
        self.usage = usage if usage.cost.total_from_provider else priced(usage, self.model.cost)

    @property
    def has_tool_calls(self) -> bool:
        """True when the reply holds at least one tool call."""
        return any(block.kind == "toolCall" for block in self._blocks)

    @property
    def is_empty(self) -> bool:
        """True when no block was opened."""
        return not self._blocks

    # Results

    def snapshot(self) -> AssistantMessage:
        """Return the message so far, stop reason `pending`; unfinished arguments are parsed as far as they go."""
        return self._message("pending")

    def done(self, reason: Literal["stop", "length", "toolUse", "deferred"]) -> StreamDone:
        """Return the terminal event of a reply that ended well.

        Blocks that are still open count as closed: the arguments of a call that was cut short must not pass for whole.
        """
        for block in self._blocks:
            block.open = False
        return StreamDone(reason=reason, message=self._message(reason, ended=True))

    def failed(self, info: ErrorInfo) -> StreamError:
        """Return the terminal event of a failure; what had arrived is kept."""
        diagnostics = (info.to_diagnostic(),)
        message = self._message("error", ended=True, error_message=info.message, diagnostics=diagnostics)
        return StreamError(reason="error", error=message)

    def aborted(self, reason: str) -> StreamError:
        """Return the terminal event of an abort; what had arrived is kept."""
        return StreamError(reason="aborted", error=self._message("aborted", ended=True, error_message=reason))

    def _open(self, block: _Block) -> int:
        self._blocks.append(block)
        return len(self._blocks) - 1

    def _message(self, stop_reason: StopReason, *, ended: bool = False, **fields: object) -> AssistantMessage:
        duration = round((time.monotonic() - self._begun) * 1000) if ended else None
        return AssistantMessage.model_validate(
            {
                "content": tuple(self._content(block) for block in self._blocks),
                "api": self.model.api,
                "provider": self.model.provider,
                "model": self.model.id,
                "usage": self.usage,
                "stop_reason": stop_reason,
                "timestamp": self._timestamp,
                "response_id": self.response_id,
                "response_model": self.response_model,
                "raw_stop_reason": self.raw_stop_reason if ended else None,
                "duration_ms": duration,
                "thinking_level": self.thinking_level if ended else None,
                "provider_thinking_level": self.provider_thinking_level if ended else None,
                **fields,
            }
        )

    def _content(self, block: _Block) -> AssistantContent:
        if block.kind == "text":
            return TextContent(text=block.text(), text_signature=block.signature)
        if block.kind == "thinking":
            return ThinkingContent(thinking=block.text(), thinking_signature=block.signature, redacted=block.redacted)
        if block.open:
            return ToolCall(id=block.id, name=block.name, arguments=parse_partial(block.text()))
        return self._finished_call(block)

    def _finished_call(self, block: _Block) -> ToolCall:
        if block.call is None:
            block.id = block.id or self._unused(f"call_{self._timestamp}")
            arguments, error = parse_final(block.text())
            block.call = ToolCall(id=block.id, name=block.name, arguments=arguments, arguments_error=error)
        return block.call

    def _unused(self, call_id: str) -> str:
        """Return `call_id`, with a suffix when another call of this reply has it; empty stays empty."""
        taken = {block.id for block in self._blocks}
        if not call_id or call_id not in taken:
            return call_id
        return next(name for name in (f"{call_id}_{n}" for n in range(2, len(taken) + 3)) if name not in taken)
