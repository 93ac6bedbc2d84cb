"""Inline tokens to runs of styled text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.style import Style

from pi_tui.render.line import BOLD, ITALIC, STRIKE, Run
from pi_tui.theme import Theme

if TYPE_CHECKING:
    from markdown_it.token import Token

_URL = re.compile(r"https?://[^\s<>\"'`\u3000-\u303f\uff00-\uffef\u2018-\u201f\u2026]+")
"""A bare address; CJK and full-width punctuation ends it."""
_TRAILING = ".,;:!?*_~'\""


def runs_of(children: list[Token], theme: Theme, base: Style) -> list[Run]:
    """Return the text of an inline token's children over the style `base`; line breaks are newlines."""
    runs: list[Run] = []
    styles = [base]
    link: tuple[str, int] | None = None
    for token in children:
        kind = token.type
        if kind == "text":
            text = token.content
            if not text:
                continue
            if link is None and "://" in text:
                runs += _with_urls(text, theme, styles[-1])
            else:
                runs.append((text, styles[-1]))
        elif kind in ("softbreak", "hardbreak"):
            runs.append(("\n", base))
        elif kind == "code_inline":
            runs.append((token.content, styles[-1] + theme["mdCode"]))
        elif kind == "strong_open":
            styles.append(styles[-1] + BOLD)
        elif kind == "em_open":
            styles.append(styles[-1] + ITALIC)
        elif kind == "s_open":
            styles.append(styles[-1] + STRIKE)
        elif kind == "link_open":
            link = (str(token.attrs.get("href", "")), len(runs))
            styles.append(styles[-1] + theme["mdLink"])
        elif kind == "link_close":
            styles.pop()
            if link is not None:
                shown = "".join(text for text, _ in runs[link[1] :])
                if link[0] and link[0] not in (shown, f"mailto:{shown}"):
                    runs.append((f" ({link[0]})", styles[-1] + theme["mdLinkUrl"]))
            link = None
        elif kind in ("strong_close", "em_close", "s_close"):
            styles.pop()
        elif kind == "image":
            runs.append((f"[image: {token.content or 'no description'}]", styles[-1] + theme["mdLink"]))
            runs.append((f" ({token.attrs.get('src', '')})", styles[-1] + theme["mdLinkUrl"]))
        elif token.content:
            runs.append((token.content, styles[-1]))
    return runs


def _with_urls(text: str, theme: Theme, style: Style) -> Iterator[Run]:
    at = 0
    for match in _URL.finditer(text):
        end = match.start() + len(_trimmed(match.group()))
        if match.start() > at:
            yield text[at : match.start()], style
        yield text[match.start() : end], style + theme["mdLink"]
        at = end
    if at < len(text):
        yield text[at:], style


def _trimmed(url: str) -> str:
    """Cut what ends the sentence and not the address: punctuation, and a bracket that the address does not open."""
    while url and (
        url[-1] in _TRAILING
        or (url[-1] == ")" and url.count(")") > url.count("("))
        or (url[-1] == "]" and url.count("]") > url.count("["))
        or (url[-1] == "}" and url.count("}") > url.count("{"))
    ):
        url = url[:-1]
    return url
