"""The tree of entries: the path to a leaf, and what of it a model reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from core.ai.messages import (
    AgentMessage,
    AssistantMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    TextContent,
    ToolResultMessage,
    UserMessage,
    now_ms,
    parse_message,
)
from core.ai.wire import Json
from core.session.entries import Entry


@dataclass(frozen=True, slots=True)
class ContextItem:
    """A message of the context and the entry it comes from."""

    entry: Entry
    message: AgentMessage


@dataclass(frozen=True, slots=True)
class BranchState:
    """What the entries on a path say beside their messages; None where nothing is said."""

    provider: str | None = None
    model_id: str | None = None
    thinking_level: str | None = None


def path_to(leaf: str | None, entries: Mapping[str, Entry]) -> list[Entry]:
    """Return the entries from the root to `leaf`. An unknown parent or a loop ends the way up: that entry is a root."""
    path: list[Entry] = []
    seen: set[str] = set()
    current = leaf
    while current is not None and current in entries and current not in seen:
        seen.add(current)
        entry = entries[current]
        path.append(entry)
        current = entry.parent_id
    path.reverse()
    return path


def branch_state(path: Sequence[Entry]) -> BranchState:
    """Return model and level of a path: the last model change or reply, and the last level change."""
    state = BranchState()
    for entry in path:
        data = entry.data
        if entry.type == "model_change":
            state = replace(state, provider=data.get("provider"), model_id=data.get("modelId"))
        elif entry.type == "thinking_level_change":
            state = replace(state, thinking_level=data.get("thinkingLevel"))
        elif entry.type == "message":
            message = data.get("message")
            if isinstance(message, dict) and message.get("role") == "assistant" and message.get("provider"):
                state = replace(state, provider=message.get("provider"), model_id=message.get("model"))
    return state


def context_of(path: Sequence[Entry]) -> list[ContextItem]:
    """Return what a model reads of a path, in order.

    With a compaction on the path the last one counts: its summary, then the entries from its first kept one on, without
    system messages of before (the compaction carries their state). The last `context_edit` of a target drops or
    replaces it. Entries that are not understood are left out here and stay in the file.
    """
    kept, head = _after_compaction(path)
    edits = {
        entry.data.get("targetId"): entry.data.get("replacement") for entry in path if entry.type == "context_edit"
    }
    items = list(head)
    for entry in kept:
        message = _message_of(entry)
        if message is None:
            continue
        if entry.id in edits:
            message = _edited(message, edits[entry.id])
            if message is None:
                continue
        items.append(ContextItem(entry, message))
    return items


def _after_compaction(path: Sequence[Entry]) -> tuple[list[Entry], list[ContextItem]]:
    index = next((i for i in range(len(path) - 1, -1, -1) if path[i].type == "compaction"), None)
    if index is None:
        return list(path), []
    compaction = path[index]
    data = compaction.data
    summary = CompactionSummaryMessage(
        summary=str(data.get("summary", "")),
        tokens_before=int(data.get("tokensBefore") or 0),
        timestamp=_milliseconds(compaction),
    )
    head = [ContextItem(compaction, summary)]
    system = data.get("systemMessage")
    if isinstance(system, dict):
        head.insert(0, ContextItem(compaction, parse_message(system)))
    first = data.get("firstKeptEntryId")
    start = next((i for i, entry in enumerate(path[:index]) if entry.id == first), index)
    kept = [entry for entry in path[start:index] if entry.type != "compaction" and not _is_system(entry)]
    return kept + list(path[index + 1 :]), head


def _is_system(entry: Entry) -> bool:
    message = entry.data.get("message")
    return entry.type == "message" and isinstance(message, dict) and message.get("role") == "system"


def _message_of(entry: Entry) -> AgentMessage | None:
    data = entry.data
    if entry.type == "message":
        return entry.message
    if entry.type == "branch_summary":
        summary = str(data.get("summary", ""))
        return BranchSummaryMessage(summary=summary, from_id=data.get("fromId"), timestamp=_milliseconds(entry))
    if entry.type == "custom_message":
        return CustomMessage.model_validate(
            {
                "customType": str(data.get("customType", "")),
                "content": data.get("content") or "",
                "display": bool(data.get("display", True)),
                "details": data.get("details"),
                "timestamp": _milliseconds(entry),
            }
        )
    return None


def _edited(message: AgentMessage, replacement: Json) -> AgentMessage | None:
    """Return the message with its replaced content; None when the edit drops it. Other roles cannot be edited."""
    if not isinstance(message, UserMessage | AssistantMessage | ToolResultMessage | CustomMessage):
        return message
    if not isinstance(replacement, dict):
        return None
    content = replacement.get("content")
    if isinstance(content, str) and isinstance(message, AssistantMessage | ToolResultMessage):
        content = [TextContent(text=content).to_wire()]
    return parse_message({**message.to_wire(), "content": content})


def _milliseconds(entry: Entry) -> int:
    try:
        return int(datetime.fromisoformat(entry.timestamp).timestamp() * 1000)
    except ValueError:
        return now_ms()
