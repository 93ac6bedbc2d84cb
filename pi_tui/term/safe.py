"""Text from models, tools, files and servers, made harmless for a terminal. No Textual, no Rich.

Every renderer passes foreign text through `safe_text` (or `safe_line`, for one-line places) before it becomes segments.
"""

import re
from typing import Final

_SUSPECT: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Whatever needs work: C0 but tab and newline, DEL, C1, line separators, bidi controls, surrogates, tag characters."""

_HARMLESS: Final = bytes([0x09, 0x0A, *range(0x20, 0x7F)])
"""The ASCII characters that need no work: asking for these is ten times as fast as the pattern above."""

_ESCAPES: Final = re.compile(
    r"""
    (?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])   # OSC, DCS, SOS, PM, APC ...
    [^\x07\x1b\x9c\n\x90\x98\x9d-\x9f]*    # ... on one line, without a second introducer, so in linear time ...
    (?:\x07|\x1b\\|\x9c)                   # ... up to their end
    | (?:\x1b\[|\x9b)[0-?]*[\ -/]*[@-~]?   # CSI, also one that was cut short
    | \x1b[\ -/]*[0-~]?                    # two-character and charset sequences
    """,
    re.VERBOSE,
)
_BIDI: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")
_BREAK: Final = re.compile("[\u2028\u2029]")
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\U000e0000-\U000e007f]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_SPACES: Final = re.compile(r"\s+")


def safe_text(text: str) -> str:
    """`text` without anything that could drive or deceive the terminal.

    Removed: escape sequences as a whole (CSI, OSC, DCS and the rest; of one without an end only its introducer),
    control characters but newline and tab, invisible tag characters, and what a backspace strikes out. Bidirectional
    controls, which can show a line in another order than it runs in, become visible as `<U+202E>`. Unicode line and
    paragraph separators become newlines, lone surrogates U+FFFD. Harmless text comes back as the same object.
    """
    if text.isascii():
        if not text.encode().translate(None, _HARMLESS):
            return text
    elif _SUSPECT.search(text) is None:
        return text
    if "\x1b" in text or _CONTROL.search(text):
        text = _ESCAPES.sub("", text)
        if "\x08" in text:
            text = _strike_out(text)
        text = _CONTROL.sub("", text)
    text = _BIDI.sub(lambda match: f"<U+{ord(match[0]):04X}>", text)
    text = _BREAK.sub("\n", text)
    return _SURROGATE.sub("\ufffd", text)


def safe_line(text: str, limit: int | None = None) -> str:
    """`safe_text` for one line: runs of white space become one space. Cut to `limit` characters, the last one `…`."""
    line = _SPACES.sub(" ", safe_text(text)).strip()
    return line if limit is None or len(line) <= limit else line[: max(0, limit - 1)] + "…"


def _strike_out(text: str) -> str:
    """Apply backspaces as a printer would: each takes away the character before it, but no newline."""
    first, *rest = text.split("\x08")
    kept = list(first)
    for part in rest:
        if kept and kept[-1] != "\n":
            kept.pop()
        kept.extend(part)
    return "".join(kept)
