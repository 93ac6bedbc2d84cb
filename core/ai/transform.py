"""Makes any stored conversation acceptable to a given model: the repair pass before each request.

Nothing here changes what is stored. The result depends only on the messages and the model, and what stands early in
it does not depend on what comes later, so that a provider's prompt cache stays valid as the conversation grows.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from core.ai.messages import (
    AssistantContent,
    AssistantMessage,
    ImageContent,
    LlmMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserContent,
    UserMessage,
)
from core.ai.model import Model

USER_IMAGE_OMITTED = "[Image left out: this model takes no images]"
TOOL_IMAGE_OMITTED = "[Image from the tool left out: this model takes no images]"
NO_RESULT = "This call was never answered: no result was recorded."

_ILLEGAL = re.compile(r"[^A-Za-z0-9_-]")
_HASH_LENGTH = 8

ConversationMessage: TypeAlias = UserMessage | AssistantMessage | ToolResultMessage
"""What is left of a transcript once system messages are folded away."""


def same_model(message: AssistantMessage, model: Model) -> bool:
    """True when `message` was made by this very model: provider, wire format and id are equal."""
    return (message.provider, message.api, message.model) == (model.provider, model.api, model.id)


def prepare_messages(
    messages: Iterable[LlmMessage], model: Model, *, max_id_length: int, keep_own_ids: bool
) -> list[ConversationMessage]:
    """Return the conversation as `model` may see it, without system messages.

    - Failed and aborted replies are left out, with the results of their calls.
    - Thinking of other models is dropped, as are signatures that only their maker understands.
    - Every tool call has exactly one result, directly after its message; missing ones are made, stray ones dropped.
    - Tool-call ids are unique, at most `max_id_length` of `[A-Za-z0-9_-]`; with `keep_own_ids` the model's own ids
      stay as they came as long as they are unique.
    - Images become one note per run of images where the model takes none.
    """
    ids = _CallIds(max_id_length)
    sees_images = "image" in model.input
    out: list[ConversationMessage] = []
    batch = _Batch()
    for message in messages:
        if isinstance(message, AssistantMessage):
            out.extend(batch.close())
            batch = _Batch()
            if message.stop_reason in ("error", "aborted"):
                continue
            own = same_model(message, model)
            content = tuple(_assistant_content(message.content, own, ids, own and keep_own_ids, batch))
            reply = message.model_copy(update={"content": content})
            batch.replied_at = message.timestamp
            out.append(reply)
        elif isinstance(message, ToolResultMessage):
            call = batch.answer(message.tool_call_id)
            if call is not None:
                blocks = message.content if sees_images else _without_images(message.content, TOOL_IMAGE_OMITTED)
                out.append(message.model_copy(update={"tool_call_id": call.id, "content": blocks}))
            if not batch.open:
                out.extend(batch.close())
        elif isinstance(message, UserMessage):
            if not sees_images and not isinstance(message.content, str):
                blocks = _without_images(message.content, USER_IMAGE_OMITTED)
                message = message.model_copy(update={"content": blocks})
            (batch.held if batch.open else out).append(message)
    out.extend(batch.close())
    return out


@dataclass(slots=True)
class _Batch:
    """The calls of one reply that still wait for results, and the messages that came before those results."""

    open: list[tuple[str, ToolCall]] = field(default_factory=list)
    """Original id and call as sent, in source order."""
    held: list[ConversationMessage] = field(default_factory=list)
    replied_at: int = 0

    def answer(self, original_id: str) -> ToolCall | None:
        """Take the first open call with this original id."""
        for index, (original, call) in enumerate(self.open):
            if original == original_id:
                del self.open[index]
                return call
        return None

    def close(self) -> Iterator[ConversationMessage]:
        """Yield results for what is still open, then the held messages."""
        for _, call in self.open:
            yield ToolResultMessage(
                tool_call_id=call.id,
                tool_name=call.name,
                content=(TextContent(text=NO_RESULT),),
                is_error=True,
                timestamp=self.replied_at,
            )
        yield from self.held
        self.open, self.held = [], []


class _CallIds:
    """Gives every call of the conversation an id of its own."""

    def __init__(self, max_length: int) -> None:
        self._max_length = max_length
        self._used: set[str] = set()

    def assign(self, original: str, *, keep: bool) -> str:
        candidate = original if keep and original else _ILLEGAL.sub("_", original)
        attempt = 0
        while not candidate or candidate in self._used or (len(candidate) > self._max_length and not keep):
            keep = False
            candidate = self._hashed(original, attempt)
            attempt += 1
        self._used.add(candidate)
        return candidate

    def _hashed(self, original: str, attempt: int) -> str:
        salted = f"{original}\0{attempt}".encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(salted).hexdigest()[:_HASH_LENGTH]
        head = _ILLEGAL.sub("_", original.partition("|")[0] or "call")
        return f"{head[: self._max_length - _HASH_LENGTH - 1]}_{digest}"


def _assistant_content(
    content: Sequence[AssistantContent], own: bool, ids: _CallIds, keep_id: bool, batch: _Batch
) -> Iterator[AssistantContent]:
    for block in content:
        if isinstance(block, ToolCall):
            updates: dict[str, str | None] = {"id": ids.assign(block.id, keep=keep_id)}
            if not own:
                updates["thought_signature"] = None
            call = block.model_copy(update=updates)
            batch.open.append((block.id, call))
            yield call
        elif isinstance(block, ThinkingContent):
            if own and (block.thinking_signature or block.thinking.strip()):
                yield block
        elif own or block.text_signature is None:
            yield block
        else:
            yield TextContent(text=block.text)


def _without_images(content: Sequence[UserContent], note: str) -> tuple[UserContent, ...]:
    out: list[UserContent] = []
    in_run = False
    for block in content:
        if isinstance(block, ImageContent):
            if not in_run:
                out.append(TextContent(text=note))
            in_run = True
        else:
            out.append(block)
            in_run = False
    return tuple(out)
