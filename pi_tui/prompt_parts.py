"""The system prompt of this start: prompt files, context files and tools put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from core.agent.tools import AgentTool
from core.config.paths import ConfigPaths
from core.resources.context_files import context_files
from core.resources.system_prompt import ToolGuide, prompt_sections
from pi_tui.options import Options
from tools import guide_of


def prompt_parts(
    options: Options, paths: ConfigPaths, tools: Sequence[AgentTool], today: date, *, trusted: bool
) -> Mapping[str, str]:
    """Return the sections of the system prompt. The command line comes before SYSTEM.md files."""
    custom = options.system_prompt
    if custom is None:
        custom = next((text for path in paths.system_prompts(trusted=trusted) if (text := _text(path))), None)
    appended = list(options.append_system_prompt)
    if not appended:
        appended = [text for path in paths.appended_prompts(trusted=trusted) if (text := _text(path))]
    return prompt_sections(
        [ToolGuide(tool.name, *guide_of(tool.name)) for tool in tools],
        cwd=options.cwd,
        today=today,
        custom_prompt=custom,
        appended=appended,
        context=() if options.no_context_files else context_files(paths.agent_dir, options.cwd),
    )


def _text(path: Path) -> str | None:
    try:
        return path.read_text("utf-8-sig", "replace")
    except OSError:
        return None
