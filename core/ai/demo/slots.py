"""What the slots of a sentence mean: paths, folders, texts and commands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

from core.ai.demo.grammar import PATH
from core.ai.demo.language import unquoted

Slots: TypeAlias = Mapping[str, str]
"""The slots that were there, by name."""

_BARE_NAMES = frozenset("makefile readme license licence dockerfile changelog gemfile procfile todo notice".split())
_HERE = re.compile(
    r"(?:(?:this|the|that|my|our|current|working|whole|entire|present|root|project's|project)\s+){0,4}"
    r"(?:folder|directory|dir|project|repo|repository|place|tree)|here|there|\.|\./|it|this|cwd",
    re.IGNORECASE,
)
_EVERYWHERE = re.compile(r"all files|every file|everywhere|the (?:files|code|source|source code)", re.IGNORECASE)
_NO_COMMAND = re.compile(
    r"(?:the|this|that|it|them|a|an|my|our|your|all|everything|some|any|away|me|him|her|us|for|into|out|in|on|to|what|how"
    r"|why)\b",
    re.IGNORECASE,
)
_NEXT_PATH = re.compile(rf"({PATH})(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*|\s*$)")


def path_of(word: str) -> str:
    """Return the path that a word names: without `@`, quotes, and a comma after it."""
    return unquoted(unquoted(word.strip().rstrip(",;")).removeprefix("@"))


def looks_like_file(word: str) -> bool:
    """True when a word can hardly be anything but a file or folder name."""
    word = word.strip()
    if not re.fullmatch(PATH, word):
        return False
    if word[0] in "@`\"'“‘«„":
        return bool(path_of(word))
    return bool(re.search(r"\w\.\w|/|^\.\w", word)) or word.casefold() in _BARE_NAMES


def paths_of(text: str, *, only_sure: bool = False) -> list[str]:
    """Return the file names of `a`, `a and b`, `the files a, b and c`; empty when some part is no name.

    With `only_sure` every part must look like a file name.
    """
    text = re.sub(r"^(?:the\s+)?(?:files?|contents?\s+of|text\s+of)\s+", "", text.strip(), flags=re.IGNORECASE)
    text = re.sub(r"^(?:the|a|my)\s+|\s+files?$", "", text, flags=re.IGNORECASE)
    parts: list[str] = []
    position = 0
    while position < len(text):
        match = _NEXT_PATH.match(text, position)
        if match is None or (only_sure and not looks_like_file(match[1])):
            return []
        parts.append(path_of(match[1]))
        position = match.end()
    return parts


def folder_of(text: str) -> str | None:
    """Return a folder's path, empty for the current one, None when the words name no folder."""
    text = text.strip()
    if not text or _HERE.fullmatch(text):
        return ""
    text = re.sub(r"^(?:the\s+)?(?:folder\s+|directory\s+)?|\s+(?:folder|directory)$", "", text, flags=re.IGNORECASE)
    return path_of(text) if re.fullmatch(PATH, text) else None


def place_of(text: str) -> str | None:
    """Return where to search: a path, empty for everywhere, None when the words name no place."""
    text = re.sub(r"^(?:the\s+)?(?:files?\s+|folder\s+)(?=\S)", "", text.strip(), flags=re.IGNORECASE)
    return "" if _EVERYWHERE.fullmatch(text) else folder_of(text)


def search_words_of(text: str) -> str:
    """Return what to search for."""
    text = re.sub(r"^(?:the\s+)?(?:words?|text|string|term|phrase)\s+(?=\S)", "", text.strip(), flags=re.IGNORECASE)
    return unquoted(text).strip("\n")


def text_of(text: str) -> str | None:
    """Return a text without its quotes; None for a lone colon, after which nothing came."""
    return None if text.strip() == ":" else unquoted(text)


def command_of(text: str) -> str:
    """Return the command of `run …`, empty when the words look like no command; backticks keep it as it is."""
    text = re.sub(r"^[$!]\s*|(?<=`)[.!?]$", "", text.strip())
    bare = unquoted(text)
    if bare != text:
        return bare.strip()
    if _NO_COMMAND.match(text):
        return ""
    return re.sub(r"(?<=[\w\"'])[.!?]$|\s+please[.!]?$", "", text, flags=re.IGNORECASE)
