"""Lets the guide work in a folder through the real agent and the real tools, without waiting for its pace."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.agent.agent import Agent
from core.agent.events import EventBase, ToolExecutionEnd, ToolExecutionStart
from core.ai.abort import AbortSignal
from core.ai.demo import DEMO_MODEL, DemoProvider
from core.ai.messages import AssistantMessage, ToolResultMessage, UserMessage
from core.ai.model import ModelRequest
from core.ai.provider import stream_response
from core.ai.script import Pace
from core.ai.stream import StreamEvent
from core.ai.wire import Json
from tools import coding_tools

PROVIDER = DemoProvider(pace=Pace(chars=10_000))


def answer_at_once(request: ModelRequest, signal: AbortSignal) -> AsyncGenerator[StreamEvent, None]:
    """The guide, without a pace."""
    return stream_response(PROVIDER, request, signal)


@dataclass
class Talk:
    """A conversation in `folder`; `steering` maps the number of a finished call (from 1) to a message."""

    folder: Path
    steering: dict[int, str] = field(default_factory=dict)
    tools: Sequence[str] = ("read", "bash", "edit", "write")

    def __post_init__(self) -> None:
        chosen = [tool for tool in coding_tools(self.folder) if tool.name in self.tools]
        self.agent = Agent(DEMO_MODEL, answer_at_once, tools=chosen)
        self.agent.subscribe(self._watch)
        self.calls: list[tuple[str, dict[str, Json]]] = []
        """Name and arguments of each call, in order."""
        self._ended = 0

    async def ask(self, text: str) -> str:
        """Say something and return the answer: the last text of the run."""
        self.calls.clear()
        await self.agent.prompt(text)
        return self.replies[-1].text

    def _watch(self, event: EventBase) -> None:
        if isinstance(event, ToolExecutionStart):
            self.calls.append((event.tool_name, event.args))
        elif isinstance(event, ToolExecutionEnd):
            self._ended += 1
            if text := self.steering.pop(self._ended, None):
                self.agent.steer(UserMessage.of(text))

    @property
    def replies(self) -> list[AssistantMessage]:
        """All replies so far."""
        return [message for message in self.agent.state.messages if isinstance(message, AssistantMessage)]

    @property
    def results(self) -> list[ToolResultMessage]:
        """All tool results so far."""
        return [message for message in self.agent.state.messages if isinstance(message, ToolResultMessage)]

    @property
    def texts(self) -> str:
        """Everything the guide said, turn by turn, separated by a line of dashes."""
        return "\n-----\n".join(reply.text for reply in self.replies)

    @property
    def made(self) -> list[str]:
        """The calls, each as `name first-argument`."""
        return [f"{name} {next(iter(arguments.values()), '')}" for name, arguments in self.calls]


def write_files(folder: Path, files: dict[str, str]) -> Path:
    """Write files below `folder`, which is returned."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


SAMPLE = {
    "package.json": """{
  "name": "hello-sample",
  "version": "1.0.0",
  "description": "A tiny program that says hello",
  "type": "module",
  "scripts": { "start": "node hello.mjs" }
}
""",
    "hello.mjs": """// Greets whoever is named on the command line.
export function greet(name) {
  return `Hello, ${name}!`;
}

console.log(greet(process.argv[2] ?? "world"));
""",
}
