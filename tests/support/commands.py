"""Which `pi` a test runs: ours, or the reference that the environment variable PI_REFERENCE names."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

REFERENCE_VARIABLE = "PI_REFERENCE"
JSON_MODE = ("--mode", "json", "-ne", "-ns", "-np", "-nc", "--no-themes", "--no-mcp")
"""The arguments of a JSON run that depends on nothing but its agent directory and working directory."""


def reference_command() -> list[str] | None:
    """The words of PI_REFERENCE (say `node /path/to/cli.js`), or None when it is not set."""
    value = os.environ.get(REFERENCE_VARIABLE, "").strip()
    return shlex.split(value) if value else None


def pi_command() -> list[str]:
    """Our `pi`: the installed command beside this Python, else its module."""
    installed = Path(sys.executable).with_name("pi")
    return [str(installed)] if installed.exists() else [sys.executable, "-I", "-m", "pi_tui.boot"]
