"""What one start of `pi` was asked to do: the command line, checked and resolved, as frozen data."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

__all__ = ["THINKING_LEVELS", "Mode", "Options", "Thinking"]

Mode = Literal["interactive", "print", "json"]
Thinking = Literal["off", "minimal", "low", "medium", "high", "xhigh", "max"]
THINKING_LEVELS: tuple[Thinking, ...] = ("off", "minimal", "low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """The only thing that `pi_tui.modes.*.run` is given.

    None means "not said on the command line": settings or defaults decide then. Switches are False when not given.
    """

    mode: Mode
    cwd: Path
    """The directory that pi was started in, absolute."""
    messages: tuple[str, ...] = ()
    """Prompts to send, in order; piped stdin and `@file` contents are already joined into the first. May be empty."""

    model: str | None = None
    """As given: provider/id, id or part of a name, perhaps with `:thinking` at its end."""
    provider: str | None = None
    """Only together with `model`."""
    api_key: str | None = field(default=None, repr=False)
    """For this run only and never shown; only together with `model`."""
    thinking: Thinking | None = None

    system_prompt: str | None = None
    """Replaces the preamble. Text: a path given on the command line has been read."""
    append_system_prompt: tuple[str, ...] = ()
    no_context_files: bool = False

    tools: tuple[str, ...] | None = None
    """Either names (with `*`), or only changes, each beginning with `+` or `-`."""
    exclude_tools: tuple[str, ...] = ()
    """Taken away after everything else."""
    no_tools: bool = False

    continue_: bool = False
    session: str | None = None
    """A path (it holds `/` or `\\` or ends in `.jsonl`), a session id, or the beginning of one."""
    session_dir: Path | None = None
    """Absolute."""
    no_session: bool = False

    offline: bool = False
    no_mouse: bool = False
