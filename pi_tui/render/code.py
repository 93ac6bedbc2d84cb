"""Syntax colours. Lexers are kept: finding and building one costs more than lexing a screenful.

Pygments is imported on first use, which is after the first frame.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rich.style import Style

from pi_tui.render.line import Run
from pi_tui.theme import Theme, Token

if TYPE_CHECKING:
    from pygments.lexer import Lexer

LIMIT = 64_000
"""Characters; longer code stays plain."""
LINE_LIMIT = 2_000
"""Characters of one line; minified code stays plain, since some lexers are slow on it."""

_LONG_LINE = re.compile(f"[^\n]{{{LINE_LIMIT}}}")
_TOKENS: dict[str, Token] = {
    "Comment": "syntaxComment",
    "Comment.Preproc": "syntaxKeyword",
    "Keyword": "syntaxKeyword",
    "Keyword.Type": "syntaxType",
    "Keyword.Constant": "syntaxNumber",
    "Name.Function": "syntaxFunction",
    "Name.Class": "syntaxType",
    "Name.Decorator": "syntaxFunction",
    "Name.Exception": "syntaxType",
    "Name.Namespace": "syntaxType",
    "Name.Tag": "syntaxKeyword",
    "Name.Attribute": "syntaxVariable",
    "Name.Variable": "syntaxVariable",
    "Name.Constant": "syntaxVariable",
    "Name.Builtin": "syntaxFunction",
    "Name.Builtin.Pseudo": "syntaxVariable",
    "Literal.String": "syntaxString",
    "Literal.Number": "syntaxNumber",
    "Operator": "syntaxOperator",
    "Operator.Word": "syntaxKeyword",
    "Punctuation": "syntaxPunctuation",
    "Generic.Heading": "mdHeading",
    "Generic.Subheading": "mdHeading",
    "Generic.Inserted": "toolDiffAdded",
    "Generic.Deleted": "toolDiffRemoved",
}
"""Pygments token -> theme token; a token without a line here looks like the nearest one above it."""


def highlight(code: str, language: str, theme: Theme) -> list[list[Run]] | None:
    """Return the coloured runs of each line of `code`, or None where it has to stay plain.

    The language is a name or alias that Pygments knows, such as `python` or `ts`.
    """
    if not language or len(code) > LIMIT or _LONG_LINE.search(code):
        return None
    lexer = _lexer(language.lower())
    if lexer is None:
        return None
    styles = _styles_for(theme)
    lines: list[list[Run]] = [[]]
    line = lines[0]
    for _, kind, text in lexer.get_tokens_unprocessed(code):
        style = styles.get(kind)
        if style is None:
            style = styles[kind] = _style_of(kind, theme)
        if "\n" not in text:
            if line and (line[-1][1] is style or text.isspace()):
                line[-1] = (line[-1][0] + text, line[-1][1])
            else:
                line.append((text, style))
            continue
        for number, part in enumerate(text.split("\n")):
            if number:
                line = []
                lines.append(line)
            if part:
                line.append((part, style))
    return lines


def language_of(path: str) -> str:
    """Return the language name for a file name, empty where none is known."""
    name = path.replace("\\", "/").rsplit("/", 1)[-1].lower()
    _, exact, suffixes = _tables()
    found = exact.get(name)
    while not found and "." in name:
        name = name.partition(".")[2]
        found = suffixes.get(name)
    return found or ""


@lru_cache(maxsize=4)
def _styles_for(theme: Theme) -> dict[Any, Style]:
    """Styles by Pygments token, filled as tokens are met."""
    return {}


def _style_of(kind: Any, theme: Theme) -> Style:
    while kind is not None:
        token = _TOKENS.get(str(kind).removeprefix("Token."))
        if token is not None:
            return theme[token]
        kind = kind.parent
    return theme["syntaxVariable"]


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name

    name = _NICKNAMES.get(language, language)
    return get_lexer_by_name(name) if name in _tables()[0] else None


@lru_cache(maxsize=1)
def _tables() -> tuple[frozenset[str], dict[str, str], dict[str, str]]:
    """Return all aliases, alias by whole file name, alias by suffix, of the lexers in Pygments itself.

    Asking Pygments for an unknown name would search every installed distribution for plug-ins, which takes 50 ms.
    """
    from pygments.lexers import get_all_lexers

    aliases: set[str] = set()
    exact: dict[str, str] = {}
    suffixes: dict[str, str] = dict(_PREFERRED)
    for _, names, patterns, _ in get_all_lexers(plugins=False):
        aliases.update(names)
        if not names:
            continue
        for pattern in patterns:
            if pattern.startswith("*.") and "*" not in pattern[2:] and "[" not in pattern:
                suffixes.setdefault(pattern[2:].lower(), names[0])
            elif "*" not in pattern and "[" not in pattern:
                exact.setdefault(pattern.lower(), names[0])
    return frozenset(aliases), exact, suffixes


_PREFERRED = {
    "h": "c",
    "html": "html",
    "js": "javascript",
    "jsx": "jsx",
    "md": "markdown",
    "pl": "perl",
    "sql": "sql",
    "ts": "typescript",
    "tsx": "tsx",
    "v": "verilog",
}
"""Suffixes that several lexers claim."""

_NICKNAMES = {"jsonc": "json", "json5": "json", "svelte": "html", "golang": "go", "plist": "xml", "svg": "xml"}
"""Names that models use and Pygments does not know."""
