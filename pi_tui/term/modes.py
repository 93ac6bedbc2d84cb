"""Control strings and attributes: how our screen is entered, left, and put back in order whatever happened.

Sources: xterm's ctlseqs; the Kitty keyboard protocol; Contour's synchronized output. No Textual.
"""

import termios
from typing import Any, Final

from pi_tui.term.safe import safe_line

ALT_SCREEN_ON: Final = "\x1b[?1049h"
MOUSE_ON: Final = "\x1b[?1000h\x1b[?1002h\x1b[?1006h"
"""Clicks, wheel and movement with a button held, in SGR form. Bare movement is left out: it wakes us for nothing."""

MOUSE_OFF: Final = "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l"

SCREEN_ON: Final = (
    "\x1b[22;0t"  # remember the window title
    + ALT_SCREEN_ON
    + "\x1b[?25l"  # no cursor
    + "\x1b[?7l"  # no line wrap
    + "\x1b[?2004h"  # bracketed paste
)
"""Our screen; keys still come as from a plain terminal."""
KEYS_ON: Final = (
    "\x1b[?1004h"  # focus reports
    "\x1b[>4;2m"  # xterm's modifyOtherKeys, which tmux passes on without any setting of the user
    "\x1b[>25u"  # Kitty keyboard: disambiguate (1), all keys as escape codes (8), associated text (16)
)
"""Keys with all that the terminal can tell about them. Kitty keeps one stack for each screen: so after `SCREEN_ON`."""
LEAVE: Final = (
    MOUSE_OFF
    + "\x1b[?2004l"
    + "\x1b[?1004l"
    + "\x1b[<u"  # Kitty keeps one stack for each screen, so this goes before the alternate screen is left
    + "\x1b[>4;0m"
    + "\x1b[?7h"
    + "\x1b[0m"
    + "\x1b[?1049l"
    + "\x1b[?25h"
    + "\x1b[23;0t"  # the title that was remembered
)
RESET: Final = "\x18\x1b\\" + "\x1b[?2026l" + "\x1b[?2048l" + LEAVE
"""For the emergency: first cancels a sequence that was cut off, then ends a synchronized frame, then leaves."""

QUERY: Final = "\x1b[?2026$p" + "\x1b]11;?\x1b\\" + "\x1b[c"
"""Asks for synchronized output and for the background colour. The device attributes come last: every terminal answers
them, so their answer says that no other is outstanding."""


def title_sequence(title: str) -> str:
    """Sets the window title. What could end the sequence early is taken out; titles are cut at 200 characters."""
    return f"\x1b]0;{safe_line(title, 200)}\x07"


def raw(attributes: list[Any]) -> list[Any]:
    """Return terminal attributes under which every key arrives as it is, Ctrl+C and Ctrl+Z included."""
    changed: list[Any] = [*attributes[:6], [*attributes[6]]]
    changed[0] &= ~(termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.IGNCR)
    changed[3] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG)
    changed[6][termios.VMIN], changed[6][termios.VTIME] = 1, 0
    return changed
