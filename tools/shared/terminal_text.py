"""What a terminal would show of a byte stream, taken in piece by piece.

Escape sequences are removed, a carriage return goes back to the start of the line and what follows overwrites it, a
backspace goes back one character, other control characters vanish and NUL shows as U+2400. Line feeds always stay, so
that line numbers are those of the raw stream. State is kept across pieces, which may end anywhere: in a character, in
an escape sequence, between CR and LF.
"""

from __future__ import annotations

import codecs
import re

MAX_LINE = 256 * 1024
"""Characters of an unfinished line that can still be overwritten; what lies further back is handed on as it is."""

MAX_SEQUENCE = 256
"""Characters of an unfinished escape sequence that are waited for; a longer one is no sequence."""

_ERASE_RIGHT, _ERASE_LINE = "\ufdd0", "\ufdd1"
_STRING = "(?:\x1b[\\]PX^_]|[\x90\x98\x9d-\x9f])[^\n\x07\x18\x1a\x1b\x9c]*+"
_STRING_ENDED = f"{_STRING}(?:[\x07\x18\x1a\x9c]|\x1b\\\\|(?=[\n\x1b])|\\Z)"
_SEQUENCE = re.compile(f"(?:\x1b\\[|\x9b)(?P<csi>[0-?]*[ -/]*[@-~])|{_STRING_ENDED}|\x1b[ -/]*[0-~]")
_UNFINISHED = re.compile(f"(?:\x1b\\[|\x9b)[0-?]*[ -/]*\\Z|\x1b[ -/]*\\Z|(?P<string>{_STRING}\x1b?\\Z)")
_STRING_END = re.compile("[\x07\x18\x1a\x9c]|\x1b\\\\|(?=\n)|(?=\x1b[^\\\\])")
_MOVE = re.compile(f"([\r\b{_ERASE_RIGHT}{_ERASE_LINE}])")
_ODD = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\ufff9-\ufffb\ufeff\ufdd0\ufdd1]")
_ODD_BYTES = bytes(code for code in (*range(32), 127) if code not in b"\t\n")
_DROPPED = dict.fromkeys(
    (*(code for code in range(32) if chr(code) not in "\t\n\r\b"), *range(0x7F, 0xA0), 0xFFF9, 0xFFFA, 0xFFFB, 0xFEFF)
)
_DROPPED[0] = ord("\u2400")


class TerminalText:
    """The state of the stream. `line` is the line that is not finished yet."""

    def __init__(self) -> None:
        self.line = ""
        self._column = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._carry = ""
        self._in_string = False

    def feed(self, data: bytes, *, final: bool = False) -> str:
        """Take in bytes; return the text that is finished by them: lines with their LF, or the start of a huge line.

        At the end (`final`) a character that is cut off shows as U+FFFD, a sequence that is cut off vanishes.
        """
        text = self._decoder.decode(data, final)
        at_end = self._column == len(self.line)
        plain = not self._carry and not self._in_string and at_end
        odd = len(data.translate(None, _ODD_BYTES)) != len(data) if data.isascii() else _ODD.search(text)
        if plain and not odd:
            done, newline, rest = text.rpartition("\n")
            if newline:
                finished = self.line + done + newline
                self.line = rest
            else:
                finished = ""
                self.line += rest
            self._column = len(self.line)
        else:
            finished = self._slowly(text)
        return finished + self._overlong()

    def _slowly(self, text: str) -> str:
        text = self._without_sequences(self._carry + text).replace("\r\n", "\n").translate(_DROPPED)
        *done, last = text.split("\n")
        finished: list[str] = []
        for piece in done:
            self._put(piece)
            finished.append(self.line + "\n")
            self.line, self._column = "", 0
        self._put(last)
        return "".join(finished)

    def _without_sequences(self, text: str) -> str:
        self._carry = ""
        text = text.replace(_ERASE_RIGHT, "").replace(_ERASE_LINE, "")
        if self._in_string:
            end = _STRING_END.search(text)
            if end is None:
                self._carry = "\x1b" if text.endswith("\x1b") else ""
                return ""
            text = text[end.end() :]
            self._in_string = False
        unfinished = _UNFINISHED.search(text)
        if unfinished is not None:
            self._in_string = unfinished["string"] is not None
            sequence = "\x1b" if self._in_string and text.endswith("\x1b") else unfinished.group()
            if not self._in_string or sequence == "\x1b":
                self._carry = sequence if len(sequence) <= MAX_SEQUENCE else ""
            text = text[: unfinished.start()]
        elif text.endswith("\r"):
            text, self._carry = text[:-1], "\r"
        return _SEQUENCE.sub(_meaning, text)

    def _put(self, piece: str) -> None:
        for part in _MOVE.split(piece):
            if part == "\r":
                self._column = 0
            elif part == "\b":
                self._column = max(0, self._column - 1)
            elif part == _ERASE_RIGHT:
                self.line = self.line[: self._column]
            elif part == _ERASE_LINE:
                self.line, self._column = "", 0
            elif part:
                end = self._column + len(part)
                self.line = self.line[: self._column] + part + self.line[end:]
                self._column = end

    def _overlong(self) -> str:
        if len(self.line) <= MAX_LINE:
            return ""
        cut = len(self.line) - MAX_LINE // 4
        start, self.line = self.line[:cut], self.line[cut:]
        self._column = max(0, self._column - cut)
        return start


def _meaning(sequence: re.Match[str]) -> str:
    """Return what stays of an escape sequence: a mark for the two that erase, else nothing."""
    return {"K": _ERASE_RIGHT, "0K": _ERASE_RIGHT, "2K": _ERASE_LINE}.get(sequence["csi"] or "", "")
