"""The parsers, built on first use: markdown-it is imported after the first frame."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


NESTING = 40
"""Levels that are parsed; a list takes two."""

_OPTIONS = {"html": False, "maxNesting": NESTING}


def parse(text: str, env: dict[str, Any]) -> list[Token]:
    """Return the tokens of `text`, inline content included. `env` carries link definitions between calls."""
    return _parser().parse(text, env)


def parse_blocks(text: str, env: dict[str, Any]) -> list[Token]:
    """Return the block tokens only, at half the cost: enough to see where blocks begin and end."""
    return _block_parser().parse(text, env)


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    """CommonMark with tables and strike-through; HTML is text, because models write tags that they mean to be seen."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", _OPTIONS).enable(["table", "strikethrough"])
    parser.validateLink = lambda url: True  # nothing is ever opened from here, the address is only shown
    parser.normalizeLink = lambda url: url
    parser.normalizeLinkText = lambda link: link
    return parser


@lru_cache(maxsize=1)
def _block_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", _OPTIONS).enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser
