"""The tools for coding, made for one working directory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from core.agent.tools import AgentTool
from tools.bash import BashTool
from tools.edit import EditTool
from tools.read import ReadTool
from tools.shared.lock import MutationLock
from tools.shared.tool import load_prompt
from tools.shared.workplace import Workplace
from tools.write import WriteTool

CODING_TOOLS = ("read", "bash", "edit", "write")
"""Names in the order in which a model is told of them."""


def coding_tools(
    cwd: Path,
    *,
    lock: MutationLock | None = None,
    session_env: Callable[[], Mapping[str, str]] | None = None,
) -> list[AgentTool]:
    """Return read, bash, edit and write for `cwd`.

    All share `lock`, which orders calls that touch the same thing: give one lock to all tools of a workspace.
    `session_env` is asked before each command for the variables PI_SESSION_ID, PI_SESSION_FILE, PI_PROVIDER, PI_MODEL
    and PI_REASONING_LEVEL.
    """
    place = Workplace(cwd, lock)
    return [ReadTool(place), BashTool(place, session_env), EditTool(place), WriteTool(place)]


def guide_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return what the system prompt says of the tool `name`: one line on what it is for, and rules for its use."""
    prompt = load_prompt(name)
    return prompt.snippet, prompt.guidelines
