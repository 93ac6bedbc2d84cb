"""System messages: what prompt and which tools hold at the end of a transcript."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from core.ai.messages import LlmMessage, SystemMessage, ToolSpec


@dataclass(frozen=True, slots=True)
class SystemState:
    """The replayed system messages: one prompt text (may be empty), the declared tools in order of declaration, and the
    named sections the prompt is made of."""

    prompt: str
    tools: tuple[ToolSpec, ...]
    sections: dict[str, str] = field(default_factory=dict)


def replay_system(messages: Iterable[LlmMessage]) -> SystemState:
    """Fold all system messages into one state.

    A section that is given again is replaced where it stands, None removes it. The prompt is the leading text, then
    the sections in order, then the texts of later system messages, separated by blank lines.
    """
    leading: list[str] = []
    later: list[str] = []
    sections: dict[str, str] = {}
    tools: dict[str, ToolSpec] = {}
    conversation_began = False
    for message in messages:
        if not isinstance(message, SystemMessage):
            conversation_began = True
            continue
        if text := system_text(message):
            (later if conversation_began else leading).append(text)
        for name, section in (message.sections or {}).items():
            if section is None:
                sections.pop(name, None)
            else:
                sections[name] = section
        for withdrawn in message.tools_removed or ():
            tools.pop(withdrawn.name, None)
        for tool in message.tools_added or ():
            tools[tool.name] = tool
    parts = [*leading, *sections.values(), *later]
    return SystemState("\n\n".join(part for part in parts if part), tuple(tools.values()), sections)


def system_text(message: SystemMessage) -> str:
    """Return the text of a system message without its sections."""
    if isinstance(message.content, str):
        return message.content
    return "\n".join(block.text for block in message.content)
