"""Where an escape sequence ends: the shapes that both readers of terminal input know. No Textual."""

import re
from typing import Final

ESCAPE_DELAY: Final = 0.025
"""Seconds after which an ESC alone is the Escape key and no longer the beginning of something."""
SEQUENCE_DELAY: Final = 1.0
"""Seconds after which a sequence that was begun and not ended is dropped (a slow link may cut one in two)."""

COMPLETE: Final = re.compile(
    r"""\x1b(?:
        \[ (?: M[\s\S]{3} | \[[A-E] | \d+\$ | [0-?]*[\ -/]*[@-LN-Z\\-~] | [0-?]+[\ -/]*M )  # CSI; X10, console, rxvt
      | O \d?[A-Za-z]                                                                   # SS3
      | [\]PX^_] [^\x07\x1b]* (?: \x07 | \x1b\\ )                                       # OSC, DCS, SOS, PM, APC
    )""",
    re.VERBOSE,
)
"""A whole sequence."""
BEGUN: Final = re.compile(
    r"\x1b(?: \[ (?: M[\s\S]{0,2} | \[ | [0-?]*[\ -/]* ) | O\d? | [\]PX^_][^\x07\x1b]*\x1b? )?\Z", re.VERBOSE
)
"""The beginning of one, up to the end of what was read."""
BROKEN: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|O\d?)")
"""What is left of one that another character cut off."""
ATTRIBUTES: Final = re.compile(r"\x1b\[\?[\d;]*c")
"""The device attributes: the last answer to the questions asked at start (`modes.QUERY`)."""
