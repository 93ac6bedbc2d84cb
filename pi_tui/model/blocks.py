"""The blocks of a transcript: what the screen shows of a session, in order, as plain mutable data.

`revision` grows whenever something that is shown changes. Comparing two blocks compares what a resumed session would
show too; what only a live session knows (revisions, start times, partial output) does not count.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from core.agent.tools import ToolResult
from core.ai.messages import ToolCall, UserContent
from core.ai.tool_arguments import parse_partial
from core.ai.wire import Json
from pi_tui.model.text import TextBuffer

ToolStatus: TypeAlias = Literal["pending", "running", "ok", "error", "aborted"]
"""`pending`: the call arrives or waits. `aborted`: told to stop, never run, or left without a result."""

Level: TypeAlias = Literal["info", "warning", "error"]


@dataclass(slots=True)
class HeaderBlock:
    """The app's own first lines: (role, text), where a role is the name of a theme colour such as `accent`."""

    kind: ClassVar = "header"
    lines: tuple[tuple[str, str], ...]
    revision: int = field(default=0, compare=False)


@dataclass(slots=True)
class UserBlock:
    """What a person sent; `images` are MIME types."""

    kind: ClassVar = "user"
    text: str
    images: tuple[str, ...] = ()
    revision: int = field(default=0, compare=False)


@dataclass(slots=True)
class TextBlock:
    """Text of the model. `final` once no more can come."""

    kind: ClassVar = "text"
    text: TextBuffer = field(default_factory=TextBuffer)
    final: bool = False
    revision: int = field(default=0, compare=False)


@dataclass(slots=True)
class ThinkingBlock:
    """Reasoning of the model."""

    kind: ClassVar = "thinking"
    text: TextBuffer = field(default_factory=TextBuffer)
    final: bool = False
    revision: int = field(default=0, compare=False)


@dataclass(slots=True)
class ToolBlock:
    """One tool call from its first argument bytes to its result.

    `arguments` is None while they arrive: `shown_arguments()` is what can be shown by then. `partial` is the latest
    live output and goes away with the result. `started_at` is the state's clock in seconds, for a running timer.
    """

    kind: ClassVar = "tool"
    call_id: str
    name: str
    status: ToolStatus = "pending"
    arguments: dict[str, Json] | None = None
    arguments_error: str | None = None
    content: tuple[UserContent, ...] = ()
    details: Json = None
    duration_ms: int | None = None
    arguments_text: TextBuffer = field(default_factory=TextBuffer, compare=False)
    partial: ToolResult | None = field(default=None, compare=False)
    started_at: float | None = field(default=None, compare=False)
    revision: int = field(default=0, compare=False)
    _parsed: dict[str, Json] = field(default_factory=dict, compare=False)
    _parsed_length: int = field(default=0, compare=False)

    def shown_arguments(self) -> dict[str, Json]:
        """Return the arguments, or as much of them as has arrived.

        Unfinished text is parsed again only when it grew by an eighth, so that all parsing of one call costs a small
        multiple of its length however many pieces it came in.
        """
        if self.arguments is not None:
            return self.arguments
        length = len(self.arguments_text)
        if length > self._parsed_length + (self._parsed_length >> 3):
            self._parsed, self._parsed_length = parse_partial(str(self.arguments_text)), length
        return self._parsed

    def take_call(self, call: ToolCall) -> None:
        """The call is complete."""
        self.call_id, self.name = call.id, call.name
        self.arguments, self.arguments_error = call.arguments, call.arguments_error
        self.arguments_text, self._parsed = TextBuffer(), {}

    @property
    def settled(self) -> bool:
        """True once nothing can change any more."""
        return self.status not in ("pending", "running")


@dataclass(slots=True)
class ShellBlock:
    """A person's own `!command`; `excluded` from what the model reads when typed as `!!command`."""

    kind: ClassVar = "shell"
    command: str
    output: str
    exit_code: int | None = None
    cancelled: bool = False
    truncated: bool = False
    full_output_path: str | None = None
    excluded: bool = False
    revision: int = field(default=0, compare=False)


@dataclass(slots=True)
class SummaryBlock:
    """Stands for what was compacted or for a branch that was left. `tokens_before` counts a compacted context."""

    kind: ClassVar = "summary"
    origin: Literal["compaction", "branch"]
    text: str
    tokens_before: int | None = None
    revision: int = field(default=0, compare=False)


@dataclass(slots=True)
class CustomBlock:
    """A message of an extension."""

    kind: ClassVar = "custom"
    custom_type: str
    text: str
    revision: int = field(default=0, compare=False)


@dataclass(slots=True)
class NoticeBlock:
    """A line for the person. A `transient` one belongs to no message, so a resumed session does not show it."""

    kind: ClassVar = "notice"
    level: Level
    text: str
    transient: bool = True
    revision: int = field(default=0, compare=False)


Block: TypeAlias = (
    HeaderBlock
    | UserBlock
    | TextBlock
    | ThinkingBlock
    | ToolBlock
    | ShellBlock
    | SummaryBlock
    | CustomBlock
    | NoticeBlock
)
