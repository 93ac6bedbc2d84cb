"""What is typed while the app is loaded: a text, edited with the few keys that need no app. No Textual.

Nothing is sent from here: the text goes into the prompt once the app stands. Enter, and whatever is typed behind it, is
held back as it came: the app's own prompt reads it then, sends the text and takes the rest.
"""

import re
import time
from codecs import getincrementaldecoder
from collections.abc import Callable
from typing import Final

from pi_tui.term.paste import START, PasteReader
from pi_tui.term.safe import safe_text
from pi_tui.term.sequences import ATTRIBUTES, BEGUN, BROKEN, COMPLETE, ESCAPE_DELAY, SEQUENCE_DELAY

INTERRUPTED: Final = 130
"""Exit code of Ctrl+C on an empty text: 128 + SIGINT."""
TAB: Final = "    "

_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f]")
_WORD_EDGE: Final = re.compile(r"(?<=\W)(?=\w)|(?<=\w)(?=\W)")


class TypeAhead:
    """Feed it what was read. `text` is harmless for the terminal; `clock` gives seconds that only rise."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._decoder = getincrementaldecoder("utf-8")(errors="replace")
        self._paste = PasteReader()
        self._paste_input: list[str] = []
        """All that was read since a paste began, for whoever reads on if it has not ended by then."""
        self._pasted: list[str] = []
        self._begun = ""
        """A sequence of which only the beginning has come."""
        self._due: float | None = None
        self._answers: list[str] = []
        self._held = ""
        """Input from an Enter on: nobody has looked at it."""
        self.text = ""
        self.answered = False
        """Whether the terminal has answered all that it was asked."""
        self.exit_code: int | None = None
        """Set by Ctrl+C and Ctrl+D on an empty text."""

    @property
    def timeout(self) -> float | None:
        """Seconds until `tick` is due; None when nothing is pending."""
        due = self._paste.deadline if self._paste.active else self._due
        return None if due is None else max(0.0, due - self._clock())

    @property
    def pending(self) -> bytes:
        """What was read and is no part of `text` yet: it belongs in front of all that is read later."""
        rest = self._held or (START + "".join(self._paste_input) if self._paste.active else self._begun)
        return rest.encode() + self._decoder.getstate()[0]

    def take_answers(self) -> str:
        """Return what the terminal answered since the last call."""
        answers = "".join(self._answers)
        self._answers.clear()
        return answers

    def feed(self, data: bytes) -> None:
        """Take in what was read."""
        self._take(self._decoder.decode(data))

    def tick(self) -> None:
        """Call when `timeout` has run out and nothing more could be read."""
        now = self._clock()
        if self._paste.active:
            rest = self._paste.expire(now)
            if not self._paste.active:
                self._end_paste()
                self._take(rest)
        elif self._due is not None and now >= self._due:
            self._begun, self._due = "", None

    def _take(self, data: str) -> None:
        if self._held:
            self._hold(data)
            return
        if self._paste.active:
            self._paste_input.append(data)
            texts, data = self._paste.feed(data, self._clock())
            self._pasted += texts
            if self._paste.active:
                return
            self._end_paste()
        if self._due is not None and self._clock() >= self._due:
            self._begun = ""
        data, self._begun, self._due = self._begun + data, "", None
        position = 0
        while position < len(data):
            escape = data.find("\x1b", position)
            if escape != position:
                end = escape if escape >= 0 else len(data)
                self._type(data[position:end])
                position = end
                if self._held:
                    self._hold(data[position:])
                    return
            elif data.startswith(START, position):
                self._paste.begin(self._clock())
                self._take(data[position + len(START) :])
                return
            elif match := COMPLETE.match(data, position):
                self._sequence(match[0])
                position = match.end()
            elif BEGUN.match(data, position):
                self._begun = data[position:]
                self._due = self._clock() + (ESCAPE_DELAY if len(self._begun) <= 2 else SEQUENCE_DELAY)
                return
            elif match := BROKEN.match(data, position):
                position = match.end()
            else:
                position += 1 if data[position + 1] == "\x1b" else 2  # the Escape key, or one with Alt

    def _sequence(self, sequence: str) -> None:
        """Keep the terminal's answers; keys that send sequences do nothing yet."""
        if sequence.startswith(("\x1b[?", "\x1b]")):
            self._answers.append(sequence)
            self.answered = self.answered or ATTRIBUTES.fullmatch(sequence) is not None

    def _hold(self, data: str) -> None:
        """Keep input for the app; Ctrl+C gives up all that was typed."""
        self._held += data
        _, interrupt, rest = self._held.rpartition("\x03")
        if interrupt:
            self._held, self.text = "", ""
            self._take(rest)

    def _end_paste(self) -> None:
        for text in self._pasted:
            self._insert(text.replace("\r\n", "\n").replace("\r", "\n"))
        self._pasted.clear()
        self._paste_input.clear()

    def _insert(self, text: str) -> None:
        self.text += safe_text(text).replace("\t", TAB)

    def _type(self, text: str) -> None:
        """Characters and control characters outside of sequences."""
        text = text.replace("\r\n", "\n")  # a terminal without bracketed paste
        position = 0
        for match in _CONTROL.finditer(text):
            self._insert(text[position : match.start()])
            position = match.end()
            if match[0] == "\r" and self.text.strip():
                self._hold(text[match.start() :])
                return
            self._control(match[0])
        self._insert(text[position:])

    def _control(self, key: str) -> None:
        line = self.text[self.text.rfind("\n") + 1 :]
        match key:
            case "\n":
                self.text += "\n" if self.text else ""
            case "\t":
                self._insert(key)
            case "\x7f" | "\x08":
                self._cut(1)
            case "\x15":  # Ctrl+U
                self._cut(len(line) or 1)
            case "\x17":  # Ctrl+W
                edges = [edge.start() for edge in _WORD_EDGE.finditer(line.rstrip())]
                self._cut(len(line) - edges[-1] if edges else len(line) or 1)
            case "\x03" if self.text:
                self.text = ""
            case "\x03":
                self.exit_code = INTERRUPTED
            case "\x04" if not self.text:
                self.exit_code = 0

    def _cut(self, count: int) -> None:
        self.text = self.text[: max(0, len(self.text) - count)]
