"""Texts of the interactive screen: header, help, and what stays in the terminal after leaving."""

from __future__ import annotations

from pathlib import Path

from core.ai.messages import AssistantMessage
from core.ai.model import Model
from pi_tui.commands import COMMANDS
from pi_tui.first_frame import HEADER
from pi_tui.keys import ACTIONS
from pi_tui.term.safe import safe_text

DEMO_PROVIDER = "demo"

SHOWN_KEYS = (
    "tui.input.submit",
    "app.message.followUp",
    "tui.input.newLine",
    "app.interrupt",
    "app.message.dequeue",
    "app.clear",
    "app.exit",
    "app.suspend",
    "app.tools.expand",
    "app.thinking.toggle",
    "app.model.select",
    "app.editor.external",
    "app.message.copy",
    "tui.altScreen.pageUp",
    "tui.altScreen.pageDown",
    "tui.altScreen.previousPrompt",
    "tui.altScreen.nextPrompt",
)
"""Actions that help lists, in this order."""


def header_lines(model: Model) -> tuple[tuple[str, str], ...]:
    """Return the first lines of the transcript as (role, text)."""
    lines = [
        ("accent", HEADER),
        ("dim", "enter send or steer · alt+enter follow up · esc stop · ctrl+o details · /help all keys"),
    ]
    if model.provider == DEMO_PROVIDER:
        lines += [
            ("warning", "No model is configured: demo/guide answers. It is a scripted guide, not a language model."),
            (
                "dim",
                "For a real one set ANTHROPIC_API_KEY or OPENAI_API_KEY, or write models.json, and start pi again.",
            ),
        ]
    return tuple(lines)


def help_text() -> str:
    """Return commands and keys as Markdown."""
    commands = [f"- `/{c.name}{' ' + c.arguments if c.arguments else ''}` {c.description}" for c in COMMANDS]
    actions = {action.id: action for action in ACTIONS}
    keys = [f"- `{' / '.join(a.keys)}` {a.description}" for a in (actions[i] for i in SHOWN_KEYS) if a.keys]
    mouse = "- Select with the mouse to copy; hold Shift for the terminal's own selection (or start with `--no-mouse`)"
    return "\n".join(["**Commands**", "", *commands, "", "**Keys**", "", *keys, mouse])


def window_title(cwd: Path) -> str:
    """Return the terminal's title."""
    return f"π - {cwd.name or cwd}"


def farewell(reply: AssistantMessage | None, session_id: str, saved: bool) -> str:
    """Return what stays in the terminal after leaving: the last answer and how to go on."""
    parts = []
    if reply is not None and reply.text.strip():
        parts.append(safe_text(reply.text).strip())
    if saved:
        parts.append(f"To go on with this session: pi --session {safe_text(session_id)}")
    return "\n\n".join(parts)
