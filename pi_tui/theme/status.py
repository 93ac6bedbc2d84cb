"""How a state is shown: a glyph, a word and a colour together, so that none of them is needed alone."""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from pi_tui.theme.tokens import Token

Status: TypeAlias = Literal["waiting", "running", "done", "failed", "stopped", "warning"]


class Mark(NamedTuple):
    """The glyph is one cell wide."""

    glyph: str
    word: str
    token: Token
    background: Token


STATUS: Final[Mapping[Status, Mark]] = {
    "waiting": Mark("○", "waiting", "muted", "toolPendingBg"),
    "running": Mark("●", "running", "accent", "toolPendingBg"),
    "done": Mark("✓", "done", "success", "toolSuccessBg"),
    "failed": Mark("✗", "failed", "error", "toolErrorBg"),
    "stopped": Mark("■", "stopped", "warning", "toolErrorBg"),
    "warning": Mark("!", "warning", "warning", "toolPendingBg"),
}
