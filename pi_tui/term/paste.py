"""Bracketed paste, read so that nothing inside the pasted text can act as a key.

A terminal ends a paste with ESC[201~. Most take that sequence out of what is pasted; some do not, and then pasted text
could end the paste early and type the rest, Enter included. So for a moment after each end marker the input is held:
when another end marker comes, all before it was pasted too. A person cannot type in that moment.
"""

from typing import Final, NamedTuple

START: Final = "\x1b[200~"
END: Final = "\x1b[201~"

HOLD_QUIET: Final = 0.02
"""Seconds of silence after an end marker until what follows is taken for keys."""
HOLD_LONGEST: Final = 0.2
"""Seconds after which held input is taken for keys even though it kept coming."""
STUCK_AFTER: Final = 1.0
"""Seconds of silence inside a paste after which Esc or Ctrl+C alone gets out of it (its end marker was lost)."""

_WAY_OUT: Final = frozenset(("\x1b", "\x03", "\x1b[27u", "\x1b[99;5u", "\x1b[27;5;99~"))


class PasteResult(NamedTuple):
    """What feeding the reader gave: pasted texts that are complete, and input that is not part of a paste."""

    texts: list[str]
    rest: str


class PasteReader:
    """Takes pasted text out of the input. `active` while it must see the input before anyone else does."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._carry = ""
        """The end of the last chunk, where it may be the beginning of the end marker."""
        self._held = ""
        self._pasting = False
        self._last = 0.0
        self._hold_from: float | None = None

    @property
    def active(self) -> bool:
        return self._pasting or self._hold_from is not None

    @property
    def deadline(self) -> float | None:
        """Time at which `expire` is due, None when nothing is held."""
        if self._hold_from is None:
            return None
        return min(self._last + HOLD_QUIET, self._hold_from + HOLD_LONGEST)

    def begin(self, now: float) -> None:
        """The start marker has been read; what follows is pasted text."""
        self._pasting, self._hold_from, self._last = True, None, now

    def feed(self, data: str, now: float) -> PasteResult:
        """Take in what was read at time `now` (seconds). Cost is in proportion to `data`, not to the whole paste."""
        if self._pasting:
            if data in _WAY_OUT and now - self._last > STUCK_AFTER:
                return PasteResult([self._finish()], data)
            self._last = now
            data = self._carry + data
            at = data.find(END)
            if at < 0:
                keep = next((size for size in range(len(END) - 1, 0, -1) if data.endswith(END[:size])), 0)
                self._carry = data[len(data) - keep :]
                self._parts.append(data[: len(data) - keep])
                return PasteResult([], "")
            self._parts.append(data[:at])
            self._carry = ""
            texts = [self._finish()]
            self._hold_from, data = now, data[at + len(END) :]
        else:
            texts = []
        self._last = now
        self._held += data
        inside, marker, rest = self._held.rpartition(END)
        if marker:
            texts.append(inside.replace(END, "").replace(START, ""))
            self._hold_from, self._held = now, rest
        return PasteResult(texts, "")

    def expire(self, now: float) -> str:
        """Give back the held input once its time is up, else ""."""
        if (deadline := self.deadline) is None or now < deadline:
            return ""
        self._hold_from, held, self._held = None, self._held, ""
        return held

    def close(self) -> PasteResult:
        """The input has ended: what there is."""
        texts = [self._finish()] if self._pasting else []
        self._hold_from, held, self._held = None, self._held, ""
        return PasteResult(texts, held)

    def _finish(self) -> str:
        text = "".join(self._parts) + self._carry
        self._parts.clear()
        self._carry, self._pasting = "", False
        return text
