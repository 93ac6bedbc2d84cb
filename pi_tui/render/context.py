"""What every renderer is given besides its block."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from pi_tui.theme import Theme


@dataclass(slots=True)
class Context:
    """`width` is the cells for text, without the view's margin. `clock` is the state's, for running timers.

    `expand_key` names the key in hints such as `ctrl+o to expand`.
    """

    width: int
    theme: Theme
    expand_key: str = "ctrl+o"
    tools_expanded: bool = False
    thinking_hidden: bool = False
    clock: Callable[[], float] = time.monotonic
