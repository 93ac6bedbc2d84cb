"""What the model reads of a transcript: every role becomes one that providers understand."""

from __future__ import annotations

from collections.abc import Sequence

from core.ai.messages import (
    AgentMessage,
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    LlmMessage,
    SystemMessage,
    TextContent,
    ToolResultMessage,
    UserMessage,
)


def to_llm(messages: Sequence[AgentMessage]) -> list[LlmMessage]:
    """Return the transcript as a model reads it, in the same order."""
    return [converted for message in messages if (converted := _to_llm(message)) is not None]


def _to_llm(message: AgentMessage) -> LlmMessage | None:
    if isinstance(message, UserMessage | AssistantMessage | ToolResultMessage | SystemMessage):
        return message
    if isinstance(message, BashExecutionMessage):
        return None if message.exclude_from_context else _user(_bash_text(message), message.timestamp)
    if isinstance(message, CustomMessage):
        return UserMessage(content=message.content, timestamp=message.timestamp)
    if isinstance(message, BranchSummaryMessage):
        intro = "Another branch of this conversation was explored and left. Its summary:"
        return _user(_summary(intro, message.summary), message.timestamp)
    assert isinstance(message, CompactionSummaryMessage)
    intro = "The conversation up to here was condensed to this summary:"
    return _user(_summary(intro, message.summary), message.timestamp)


def _user(text: str, timestamp: int) -> UserMessage:
    return UserMessage(content=(TextContent(text=text),), timestamp=timestamp)


def _summary(intro: str, summary: str) -> str:
    return f"{intro}\n\n<summary>\n{summary}\n</summary>"


def _bash_text(message: BashExecutionMessage) -> str:
    output = f"```\n{message.output}\n```" if message.output else "(it printed nothing)"
    notes = []
    if message.cancelled:
        notes.append("The command was cancelled.")
    elif message.exit_code:
        notes.append(f"It exited with code {message.exit_code}.")
    if message.truncated and message.full_output_path:
        notes.append(f"The output was cut; all of it is in {message.full_output_path}.")
    return "\n\n".join([f"I ran `{message.command}`:", output, *notes])
