"""Terminal input -> Textual messages, working on strings instead of single characters.

Textual's own parser turns the ESC inside a paste into key presses, takes Alt+Enter for Enter, raises on a Kitty key
release and needs a second for a pasted megabyte; this one takes its place and keeps its decoding of the mouse.
"""

import re
import time
from collections.abc import Callable, Iterator
from typing import Final

from textual import events, messages
from textual._xterm_parser import XTermParser
from textual.message import Message

from pi_tui.term.decode import character_key, sequence_keys, with_alt
from pi_tui.term.messages import QueriesAnswered, TerminalBackground
from pi_tui.term.paste import START, PasteReader
from pi_tui.term.sequences import ATTRIBUTES, BEGUN, BROKEN, COMPLETE, ESCAPE_DELAY, SEQUENCE_DELAY

_REPORT: Final = re.compile(r"\x1b\[\?(\d+);(\d+)\$y")
_CURSOR: Final = re.compile(r"\x1b\[(\d+);(\d+)R")
_BACKGROUND: Final = re.compile(r"\x1b\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})")


class InputParser(XTermParser):
    """Feed it what was read; it gives Key, Paste, mouse and focus events and the terminal's answers, in order.

    What it does not know (replies, key releases, unknown sequences) it drops. `clock` gives seconds that only rise.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._paste = PasteReader()
        self._begun = ""
        """A sequence of which only the beginning has come."""
        self._since = 0.0
        self._due: float | None = None

    @property
    def timeout(self) -> float | None:
        """Seconds until `tick` is due; None when nothing is pending."""
        due = self._paste.deadline if self._paste.active else self._due
        return None if due is None else max(0.0, due - self._clock())

    def feed(self, data: str) -> list[Message]:
        """Parse `data`; "" says that the input has ended."""
        if data:
            return list(self._take(data))
        self._eof = True
        texts, rest = self._paste.close()
        return [*map(_paste_event, texts), *self._keys(rest), *self._give_up()]

    def tick(self) -> list[Message]:
        """Call when `timeout` has run out and nothing more could be read."""
        now = self._clock()
        if self._paste.active:
            return list(self._keys(self._paste.expire(now)))
        if self._due is not None and now >= self._due:
            return list(self._give_up())
        return []

    def _take(self, data: str) -> Iterator[Message]:
        if self._paste.active:
            texts, data = self._paste.feed(data, self._clock())
            yield from map(_paste_event, texts)
        if data:
            yield from self._keys(data)

    def _keys(self, data: str) -> Iterator[Message]:
        """Parse input outside a paste, up to the start of the next one."""
        if len(self._begun) > 2 and self._due is not None and self._clock() >= self._due:
            self._begun = ""  # a string without an end must not swallow all that is typed after it
        if not self._begun:
            self._since = self._clock()
        data, self._begun, self._due = self._begun + data, "", None
        position, end = 0, len(data)
        while position < end:
            escape = data.find("\x1b", position)
            for character in data[position : escape if escape >= 0 else end]:
                if (press := character_key(character)) is not None:
                    yield events.Key(*press)
            if escape < 0:
                return
            position = escape
            if match := COMPLETE.match(data, position):
                position = match.end()
                if match[0] == START:
                    self._paste.begin(self._clock())
                    if position < end:
                        yield from self._take(data[position:])
                    return
                yield from self._sequence(match[0])
            elif BEGUN.match(data, position):
                return self._wait_for_more(data[position:])
            elif data[position + 1] != "\x1b":
                position = yield from self._escaped(data, position)
            elif match := COMPLETE.match(data, position + 1):
                # ESC before the sequence of a key is Alt; before anything else it was the Escape key
                if keys := sequence_keys(match[0]):
                    yield from (events.Key(*with_alt(press)) for press in keys)
                    position = match.end()
                else:
                    yield events.Key("escape", "\x1b")
                    position += 1
            elif BEGUN.match(data, position + 1):
                return self._wait_for_more(data[position:])
            else:
                yield events.Key("escape", "\x1b")
                position += 1

    def _wait_for_more(self, begun: str) -> None:
        self._begun = begun
        self._due = self._since + (ESCAPE_DELAY if len(begun) <= 2 else SEQUENCE_DELAY)

    def _escaped(self, data: str, position: int) -> Iterator[Message]:
        """ESC and a character that begins no sequence: the character's key with Alt. Returns the next position."""
        if broken := BROKEN.match(data, position):
            return broken.end()
        if (press := character_key(data[position + 1])) is not None:
            yield events.Key(*with_alt(press))
        return position + 2

    def _give_up(self) -> Iterator[Message]:
        """No more is coming: the ESC was the Escape key, `ESC [` was Alt+[, and half a sequence is dropped."""
        begun, self._begun, self._due = self._begun, "", None
        while begun.startswith("\x1b\x1b") or begun == "\x1b":
            yield events.Key("escape", "\x1b")
            begun = begun[1:]
        if len(begun) == 2 and (press := character_key(begun[1])) is not None:
            yield events.Key(*with_alt(press))

    def _sequence(self, sequence: str) -> Iterator[Message]:
        """Messages of a complete sequence."""
        keys = sequence_keys(sequence)
        if keys is not None:
            yield from (events.Key(*press) for press in keys)
        elif sequence == "\x1b[I":
            yield events.AppFocus()
        elif sequence == "\x1b[O":
            yield events.AppBlur()
        elif (mouse := self.parse_mouse_code(sequence)) is not None:
            yield mouse
        elif match := _REPORT.fullmatch(sequence):
            if match[1] == "2026" and match[2] in "123":
                yield messages.TerminalSupportsSynchronizedOutput()
        elif match := _CURSOR.fullmatch(sequence):
            yield events.CursorPosition(int(match[2]) - 1, int(match[1]) - 1)
        elif match := _BACKGROUND.match(sequence):
            yield TerminalBackground(
                *(int(channel, 16) * 255 // (16 ** len(channel) - 1) for channel in match.groups())
            )
        elif ATTRIBUTES.fullmatch(sequence):
            yield QueriesAnswered()


def _paste_event(text: str) -> Message:
    return events.Paste(text)
