"""What the environment says about the terminal's colours, decided as Rich decides when it writes them."""

from collections.abc import Mapping

from pi_tui.theme.theme import Depth


def color_depth(environ: Mapping[str, str]) -> Depth:
    """NO_COLOR (https://no-color.org) and dumb terminals: none. COLORTERM or a 256-colour TERM: full. Else 16."""
    if "NO_COLOR" in environ:
        return "none"
    term = environ.get("TERM", "").strip().lower()
    if term in ("dumb", "unknown"):
        return "none"
    if environ.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return "full"
    return "full" if term.endswith(("-256color", "kitty")) else "ansi"


def dark_background(environ: Mapping[str, str]) -> bool | None:
    """What COLORFGBG says ("15;0": white on black), None where it says nothing. The terminal's own answer is better."""
    background = environ.get("COLORFGBG", "").rpartition(";")[2]
    if not background.isdecimal():
        return None
    return int(background) <= 6 or int(background) == 8
