"""The system prompt as ordered, named sections; names and order are pi's, the words are ours, `date` is added."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from core.resources.context_files import ContextFile

PREAMBLE = (
    "You are pi, an agent that works on software in a person's terminal. You look at files, run commands and change "
    "code with the tools given to you, and you carry a task through to its end before you report."
)

_FILE_SEARCH = ("grep", "find", "ls")
_CLOSING_RULES = (
    "Keep answers short and to the point",
    "Name files by their path when you speak of them",
)


@dataclass(frozen=True, slots=True)
class ToolGuide:
    """What the prompt says of a tool: one line on what it is for, and rules for its use."""

    name: str
    snippet: str
    guidelines: Sequence[str] = ()


def prompt_sections(
    tools: Sequence[ToolGuide],
    *,
    cwd: Path,
    today: date,
    custom_prompt: str | None = None,
    appended: Iterable[str] = (),
    context: Iterable[ContextFile] = (),
) -> dict[str, str]:
    """Return the sections of a system message, in order.

    All but the preamble are wrapped in a tag of their name. A custom prompt replaces the preamble, the list of tools
    and the rules. `today` is the person's local date; the prompt stays the same for a whole day, so that a provider's
    cache of it stays valid.
    """
    sections: dict[str, str] = {}
    if custom_prompt is not None and custom_prompt.strip():
        sections["preamble"] = custom_prompt.strip()
    else:
        sections["preamble"] = PREAMBLE
        if tools:
            lines = [f"- {tool.name}: {tool.snippet}" for tool in tools]
            sections["tools"] = _tagged("tools", "\n".join([*lines, "", "There may be more tools than these."]))
        sections["rules"] = _tagged("rules", "\n".join(f"- {rule}" for rule in _rules(tools)))
    if added := "\n\n".join(text.strip() for text in appended if text.strip()):
        sections["addendum"] = _tagged("addendum", added)
    if files := [file for file in context if file.content.strip()]:
        sections["project_context"] = _tagged("project_context", "\n\n".join(_instructions(file) for file in files))
    sections["cwd"] = _tagged("cwd", str(cwd))
    sections["date"] = _tagged("date", today.isoformat())
    return sections


def _rules(tools: Sequence[ToolGuide]) -> list[str]:
    names = {tool.name for tool in tools}
    rules: list[str] = []
    if "bash" in names and not names.intersection(_FILE_SEARCH):
        rules.append("Find files and text with bash: ls, find, grep, or rg where it is installed")
    for tool in tools:
        rules += tool.guidelines
    return list(dict.fromkeys([*rules, *_CLOSING_RULES]))


def _instructions(file: ContextFile) -> str:
    """One file of instructions; a closing tag inside it cannot end the section early."""
    text = file.content.strip().replace("</project_instructions", "<\\/project_instructions")
    path = str(file.path).replace("&", "&amp;").replace('"', "&quot;")
    return f'<project_instructions path="{path}">\n{text}\n</project_instructions>'


def _tagged(name: str, text: str) -> str:
    return f"<{name}>\n{text}\n</{name}>"
