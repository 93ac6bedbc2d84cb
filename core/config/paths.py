"""Every path of the configuration in one place."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

CONFIG_DIR = ".pi"
"""Name of the project's folder, and of the one in the home directory."""


@dataclass(frozen=True, slots=True)
class ConfigPaths:
    """`agent_dir` holds what belongs to the person, `project_dir` (`.pi` under `cwd`) what belongs to the project."""

    agent_dir: Path
    cwd: Path

    @classmethod
    def of(cls, cwd: Path, env: Mapping[str, str] = os.environ) -> ConfigPaths:
        """Return the paths for a working directory: PI_CODING_AGENT_DIR, else `~/.pi/agent`."""
        chosen = env.get("PI_CODING_AGENT_DIR", "").strip()
        agent_dir = Path(chosen).expanduser() if chosen else Path.home() / CONFIG_DIR / "agent"
        return cls(agent_dir if agent_dir.is_absolute() else cwd / agent_dir, cwd)

    @property
    def project_dir(self) -> Path:
        """`.pi` of the working directory."""
        return self.cwd / CONFIG_DIR

    @property
    def settings(self) -> Path:
        """The person's settings."""
        return self.agent_dir / "settings.json"

    @property
    def project_settings(self) -> Path:
        """The project's settings, which count only when the project is trusted."""
        return self.project_dir / "settings.json"

    @property
    def models(self) -> Path:
        """Custom providers and models."""
        return self.agent_dir / "models.json"

    @property
    def auth(self) -> Path:
        """Stored credentials."""
        return self.agent_dir / "auth.json"

    @property
    def trust(self) -> Path:
        """Which projects are trusted."""
        return self.agent_dir / "trust.json"

    @property
    def keybindings(self) -> Path:
        """The person's keys."""
        return self.agent_dir / "keybindings.json"

    @property
    def sessions(self) -> Path:
        """Session files, one folder per working directory, unless another folder was chosen."""
        return self.agent_dir / "sessions"

    def system_prompts(self, *, trusted: bool) -> tuple[Path, ...]:
        """Files that replace the prompt's beginning; the first that exists counts."""
        return self._both("SYSTEM.md", trusted)

    def appended_prompts(self, *, trusted: bool) -> tuple[Path, ...]:
        """Files that are added to the prompt; the first that exists counts."""
        return self._both("APPEND_SYSTEM.md", trusted)

    def session_folder(self, setting: str | None, env: Mapping[str, str] = os.environ) -> Path | None:
        """Return the flat folder for sessions that the environment or the setting `sessionDir` names, else None."""
        chosen = env.get("PI_CODING_AGENT_SESSION_DIR", "").strip() or (setting or "").strip()
        return self.cwd / Path(chosen).expanduser() if chosen else None

    def _both(self, name: str, trusted: bool) -> tuple[Path, ...]:
        own = (self.agent_dir / name,)
        return (self.project_dir / name, *own) if trusted else own
