"""A small notation for sentences, compiled to regular expressions.

    show [me] [the|my]* (diff|changes) [of {file}]

Words stand as they are (`?` makes the letter before it optional), `[…]` may be absent, `[…]*` may come several times,
`(…|…)` is one of several, `{slot}` or `{name:slot}` captures; what begins with a colon has no blank before it.
Blanks are any white space; case does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

QUOTED = r"```.*?```|`[^`\n]+`|\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|'[^'\n]*'|‘[^’\n]*’"
PATH = rf"(?:@?(?:{QUOTED})|@?[^\s\"'`,;]+)"
PROGRAMS = "git|npm|npx|pnpm|yarn|bun|node|deno|python3?|pytest|pip|uv|cargo|rustc|docker|kubectl|uname|env|wc|tree"
"""Commands that need no `run` before them."""

SLOTS = {
    "file": PATH,
    "quoted": QUOTED,
    "words": rf"{QUOTED}|.+?",
    "word": rf"{QUOTED}|\S+",
    "name": r"\S+\.\w+|\S+/\S+",
    "glob": r"[^\s\"'`]*\*[^\s\"'`]*",
    "rest": r"\S.*",
    "text": r".+",
    "end": rf"{QUOTED}|[^\s\"'`,;]*[^\s\"'`,;.!?]",
    "folder": r"\S+/|(?:the\s+)?(?:folder|directory)\s+\S.*|(?:this|the|that|my|here|there|it)\b.*",
    "tick": r"`[^`\n]+`",
    "shell": r"[$!]\s*\S.*",
    "program": rf"(?:{PROGRAMS})\s+\S.*|pwd|whoami|pytest|make(?:\s+[\w.-]+)?|go\s+(?:build|test|run|vet|mod)\b.*",
    "located": r"[^\s:]+:\d{1,7}(?:-\d{1,7})?",
    "number": r"\d{1,7}",
    "span": r"\d{1,7}(?:\s*(?:-|–|to|until|till|through|and|,)\s*\d{1,7})?",
    "all": r"(?:all|every|each)(?:\s+occurrences?\s+of)?",
}
REPEATS = 6

_TOKEN = re.compile(r"\[|\]\*|\]|\(|\)|\||\{[^}]+\}|[^\s\[\]()|{}]+")
_CLOSING = {"]": ")?", "]*": f"){{0,{REPEATS}}}", ")": ")", "|": "|"}


def compiled(*sentences: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of some sentences; see `fits`."""
    return tuple(
        re.compile("".join(_parts(sentence)) + r"[.!?]?\s*", re.IGNORECASE | re.DOTALL) for sentence in sentences
    )


def fits(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Match a whole text."""
    return pattern.fullmatch(" " + text)


def slots(match: re.Match[str]) -> dict[str, str]:
    """Return what was captured by the slots that were there."""
    return {name: value for name, value in match.groupdict().items() if value is not None}


def _parts(sentence: str) -> Iterable[str]:
    for token in _TOKEN.findall(sentence):
        if token in "[(":
            yield "(?:"
        elif token in _CLOSING:
            yield _CLOSING[token]
        elif token.startswith("{"):
            name, _, kind = token[1:-1].partition(":")
            yield rf"\s+(?P<{name}>{SLOTS[kind or name]})"
        else:
            yield token if token.startswith(":") else rf"\s+{token}"
