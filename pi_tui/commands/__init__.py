"""Slash commands."""

from pi_tui.commands.table import COMMANDS, Command, Parsed, parse, suggestions

__all__ = ["COMMANDS", "Command", "Parsed", "parse", "suggestions"]
