"""What the tools have in common, and the texts that a model reads about them.

A prompt file has a head between two `---` lines, one `key: value` a line, and the description below it. `snippet` is
the tool's line in the system prompt's list of tools; each `guideline` is a rule for its use.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from typing import Literal, NamedTuple

from core.agent.tools import ToolInvocation
from core.ai.wire import Json
from tools.shared.errors import ToolError
from tools.shared.workplace import Workplace

PROMPTS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "prompts")


class ToolPrompt(NamedTuple):
    """The texts of one prompt file."""

    description: str
    snippet: str
    guidelines: tuple[str, ...]


@cache
def load_prompt(name: str) -> ToolPrompt:
    """Return the texts of the tool `name`."""
    with open(os.path.join(PROMPTS, f"{name}.md"), encoding="utf-8") as file:
        _, head, description = file.read().split("---\n", 2)
    pairs = [line.split(": ", 1) for line in head.splitlines()]
    snippet = next(value for key, value in pairs if key == "snippet")
    return ToolPrompt(description.strip(), snippet, tuple(value for key, value in pairs if key == "guideline"))


class BuiltinTool:
    """The part of `AgentTool` that is the same for all tools of this package."""

    name: str
    execution_mode: Literal["parallel", "sequential"] = "parallel"

    def __init__(self, place: Workplace) -> None:
        self.place = place

    @property
    def label(self) -> str:
        """The name for people: that of the tool."""
        return self.name

    @property
    def description(self) -> str:
        """What the model is told."""
        return load_prompt(self.name).description


def stop_if_aborted(call: ToolInvocation) -> None:
    """Raise ToolError when the run was aborted already, so that nothing is begun."""
    if call.signal.aborted:
        raise ToolError("The run was aborted before this call did anything.")


def object_schema(properties: Mapping[str, Json], required: list[str]) -> dict[str, Json]:
    """Return the JSON Schema of an object with these properties."""
    return {"type": "object", "properties": dict(properties), "required": required}
