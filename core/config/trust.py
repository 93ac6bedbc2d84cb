"""Whether a project's own settings and resources may be loaded."""

from __future__ import annotations

from pathlib import Path

from core.config.json_file import ConfigWarning, read_object
from core.config.paths import ConfigPaths

GUARDED = ("settings.json", "mcp.json", "extensions", "skills", "prompts", "themes", "SYSTEM.md", "APPEND_SYSTEM.md")
"""What in `.pi` needs a decision before it is loaded."""


def needs_decision(paths: ConfigPaths) -> bool:
    """True when the project brings something that only a trusted project may bring."""
    if any((paths.project_dir / name).exists() for name in GUARDED):
        return True
    home = Path.home()
    return any((folder / ".agents" / "skills").exists() for folder in _upwards(paths.cwd) if folder != home)


def saved_decision(paths: ConfigPaths) -> tuple[bool | None, ConfigWarning | None]:
    """Return what trust.json says of the nearest folder from the working directory upwards, None when it is silent."""
    decisions, problem = read_object(paths.trust)
    for folder in _upwards(paths.cwd):
        decision = decisions.get(str(folder))
        if isinstance(decision, bool):
            return decision, problem
    return None, problem


def project_trust(
    paths: ConfigPaths, *, default: str, flag: bool | None = None
) -> tuple[bool | None, ConfigWarning | None]:
    """Return True or False, or None when a person has to be asked; where nobody can be asked, None means no.

    The command line's `flag` wins, then trust.json, then `default` (the setting `defaultProjectTrust`: ask, always,
    never). A project that brings nothing to decide about counts as trusted.
    """
    if flag is not None:
        return flag, None
    if not needs_decision(paths):
        return True, None
    decision, problem = saved_decision(paths)
    if decision is None and default != "ask":
        decision = default == "always"
    return decision, problem


def _upwards(folder: Path) -> list[Path]:
    real = folder.resolve()
    return [real, *real.parents]
