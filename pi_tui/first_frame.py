"""The first thing that an interactive start shows, long before the app is loaded. Imports nothing heavy."""

import os
import sys

from core import __version__
from pi_tui.flags import CommandLine

HEADER = f"pi {__version__}"
PLACEHOLDER = "Ask for something, or /help"

_CERTAIN = ("model", "session")
"""Options with an argument that is looked at only later; what else has one is checked before the screen appears."""


def wanted(line: CommandLine) -> bool:
    """Whether this start is interactive for certain: nothing on the command line can turn out wrong any more."""
    certain = all(value is True or field in _CERTAIN for field, value in line.values.items())
    return certain and not line.files and not line.switch("print")


def show() -> None:
    """Show the early screen, unless it is there already or stdin and stdout are not a terminal that can show it."""
    if os.isatty(0) and os.isatty(1) and os.environ.get("TERM", "dumb") != "dumb":
        from pi_tui.term import early

        early.start(HEADER, PLACEHOLDER)


def hide() -> None:
    """Put the terminal in order if the early screen still holds it, so that what is printed now can be read."""
    early = sys.modules.get("pi_tui.term.early")
    screen = None if early is None else early.current()
    if screen is not None:
        screen.leave()
