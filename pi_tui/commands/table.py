"""One table of slash commands: running them, help and completion come from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol


class CommandTarget(Protocol):
    """What commands act on: the app."""

    def show_help(self) -> None: ...

    def choose_model(self, pattern: str) -> Awaitable[None]: ...

    def new_session(self) -> Awaitable[None]: ...

    def quit(self) -> Awaitable[None]: ...


@dataclass(frozen=True, slots=True)
class Command:
    """`/name arguments`. `arguments` is a hint such as `[provider/model]`, empty when the command takes none."""

    name: str
    arguments: str
    description: str
    run: Callable[[CommandTarget, str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Parsed:
    """A line that begins with a slash. `command` is None when there is none of that name."""

    name: str
    arguments: str
    command: Command | None


async def _help(target: CommandTarget, arguments: str) -> None:
    target.show_help()


async def _model(target: CommandTarget, arguments: str) -> None:
    await target.choose_model(arguments)


async def _new(target: CommandTarget, arguments: str) -> None:
    await target.new_session()


async def _quit(target: CommandTarget, arguments: str) -> None:
    await target.quit()


COMMANDS: tuple[Command, ...] = (
    Command("help", "", "Keys and commands", _help),
    Command("model", "[provider/model]", "Choose the model", _model),
    Command("new", "", "Begin a new session", _new),
    Command("quit", "", "Leave", _quit),
)


def parse(text: str) -> Parsed | None:
    """Return the command line in `text`; None when it is a message.

    Only a single line that begins with a slash and a letter is one, so that paths and pasted code stay messages.
    """
    line = text.strip()
    if "\n" in line or not line.startswith("/") or not line[1:2].isalpha():
        return None
    name, _, arguments = line[1:].partition(" ")
    if "/" in name:
        return None
    command = next((command for command in COMMANDS if command.name == name.lower()), None)
    return Parsed(name, arguments.strip(), command)


def suggestions(prefix: str) -> list[Command]:
    """Return the commands whose names begin with `prefix` (without the slash)."""
    return [command for command in COMMANDS if command.name.startswith(prefix.lower())]
