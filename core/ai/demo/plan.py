"""What the guide's plans are made of.

A plan is a generator: it yields a `Step` (something to say and tool calls to make), is sent the results in call order,
and returns its answer. It keeps nothing outside of itself, so that a conversation can be replayed into it.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from core.ai.wire import Json


@dataclass(frozen=True, slots=True)
class Ask:
    """A tool call the guide wants. `pure` calls change nothing: their result may be used again within a run."""

    tool: str
    arguments: dict[str, Json]
    pure: bool = True

    @property
    def key(self) -> str:
        """Equal for equal calls."""
        return f"{self.tool} {json.dumps(self.arguments, sort_keys=True)}"


@dataclass(frozen=True, slots=True)
class Seen:
    """A tool's answer: its text, the notices in square brackets after it, and the last words of a failed command."""

    text: str
    failed: bool = False
    notice: str = ""
    status: str = ""

    @classmethod
    def of(cls, raw: str, *, failed: bool = False) -> Seen:
        """Split a result text. A last line of words in square brackets counts as a notice, even the file's own."""
        text, notices, status = raw, [], ""
        if failed and (ending := _STATUS.search(text)):
            status, text = ending.group(1), text[: ending.start()]
        if refused := _NOT_TEXT.match(text):
            notices, text = [refused.group(1)], ""
        while match := _NOTICE.search(text):
            notices.insert(0, match.group(1))
            text = text[: match.start()]
        return cls(text, failed, " ".join(notices), status)

    @property
    def cut(self) -> bool:
        """True when the tool left something out."""
        return bool(_CUT.search(self.notice))

    @property
    def first_line(self) -> str:
        """The first line that says something: of the text, else of the notice or the status."""
        told = (line.strip() for part in (self.text, self.notice, self.status) for line in part.splitlines())
        return next((line for line in told if line), "")

    @property
    def printed_nothing(self) -> bool:
        """True when a command had no output: tools then say so in words."""
        return not self.text.strip() or bool(_NO_OUTPUT.fullmatch(self.text.strip()))


@dataclass(frozen=True, slots=True)
class Step:
    """The next turn of a plan; all calls are made together."""

    say: str
    asks: tuple[Ask, ...]


Plan: TypeAlias = Generator[Step, Sequence[Seen], str]


@dataclass(frozen=True, slots=True)
class Desk:
    """What a plan may use: the tools that were declared for this request."""

    tools: frozenset[str]

    def __contains__(self, tool: str) -> bool:
        return tool in self.tools


@dataclass(frozen=True, slots=True)
class Wish:
    """One thing a person wants: the form it has, what stands in its slots, and the words it was said in."""

    form: str
    words: str
    start: Callable[[Desk], Plan]


def one(seen: Sequence[Seen]) -> Seen:
    """Return the only result of a step with one call."""
    (result,) = seen
    return result


def bash(command: str, *, pure: bool = True) -> Ask:
    """Return a call of the shell."""
    return Ask("bash", {"command": command}, pure)


def read(path: str, *, offset: int | None = None, limit: int | None = None) -> Ask:
    """Return a call that reads a file, or `limit` lines from line `offset` on."""
    arguments: dict[str, Json] = {"path": path}
    if offset is not None:
        arguments["offset"] = offset
    if limit is not None:
        arguments["limit"] = limit
    return Ask("read", arguments)


def quoted(path: str) -> str:
    """Return `path` as one word of a shell command."""
    return shlex.quote(f"./{path}" if path.startswith("-") else path)


def missing(desk: Desk, *tools: str) -> str:
    """Return the sentence that a tool is missing, empty when all are there."""
    absent = [f"`{tool}`" for tool in tools if tool not in desk]
    if not absent:
        return ""
    named = f"{join(absent)} tool for that, and it is" if len(absent) == 1 else f"{join(absent)} tools, and they are"
    return f"I need the {named} not switched on here (see `--tools`)."


# Words


def join(items: Sequence[str], word: str = "and") -> str:
    """Return `a, b and c`."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {word} {items[-1]}"


def count(number: int, noun: str, plural: str = "") -> str:
    """Return `1 file`, `2 files`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def code(text: str) -> str:
    """Return `text` as inline code on one line, whatever backticks it holds."""
    flat = " ".join(text.split())
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", flat)), default=0))
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{ticks}{pad}{flat}{pad}{ticks}"


def fence(text: str, language: str = "") -> str:
    """Return `text` as a fenced block, whatever fences it holds."""
    ticks = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{ticks}{language}\n{text.rstrip(chr(10))}\n{ticks}"


def clip(text: str, limit: int = 200) -> str:
    """Return `text` on one line, cut at a word when it is longer than `limit` characters."""
    flat = " ".join(text.split())
    if len(flat) <= limit:
        return flat
    return flat[:limit].rsplit(" ", 1)[0].rstrip(",;:") + " …"


_STATUS = re.compile(r"(?:\A|\n\n)([^\n]*\b(?:exit|exited|aborted|timed out)\b[^\n]*)\Z")
_NO_OUTPUT = re.compile(r"\(?no output\)?\.?", re.IGNORECASE)
_NOT_TEXT = re.compile(r"\[([^\n]*\bnot text\b[^\n]*?)(?: First bytes:)?\]")
_NOTICE = re.compile(r"(?:\A|\n\n?)\[([A-Z0-9](?=[^\n]* [^\n]* )[^\n]+)\]\s*\Z")
_CUT = re.compile(r"\b(?:more|showing|shown|offset|truncated|lines? \d|limit)\b", re.IGNORECASE)
