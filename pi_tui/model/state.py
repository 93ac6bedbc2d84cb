"""The state that events are folded into, and the notes a fold leaves of what it touched."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from core.ai.messages import Usage
from pi_tui.model.blocks import Block, HeaderBlock, NoticeBlock

Phase: TypeAlias = Literal["idle", "requesting", "thinking", "writing", "calling", "tools", "retrying", "settling"]
"""`calling`: arguments of a call arrive; `tools`: calls run; `settling`: the run is over, the session not yet idle."""


@dataclass(slots=True)
class Changes:
    """What one or several fold steps touched; `merge` adds up the steps between two frames.

    `blocks` maps the position of each changed or new block to the offset from which its text differs (0 for blocks
    without a growing text). `reset` means that positions moved: read all blocks anew. `status` covers activity, queue
    and totals.
    """

    blocks: dict[int, int] = field(default_factory=dict)
    reset: bool = False
    status: bool = False

    def touch(self, index: int, offset: int = 0) -> None:
        """Note that the block at `index` differs from `offset` on."""
        blocks = self.blocks
        before = blocks.get(index)
        if before is None or offset < before:
            blocks[index] = offset

    def merge(self, other: Changes) -> None:
        """Add the notes of a later step."""
        self.reset |= other.reset
        self.status |= other.status
        for index, offset in other.blocks.items():
            self.touch(index, offset)

    def __bool__(self) -> bool:
        return self.reset or self.status or bool(self.blocks)


@dataclass(slots=True)
class Retry:
    """A failed request that waits for its next attempt. `since` is the state's clock."""

    attempt: int
    max_attempts: int
    delay_ms: int
    error: str
    since: float


@dataclass(slots=True)
class Activity:
    """What goes on, for the activity line. `since` is the begin of the phase, `run_since` that of the run."""

    phase: Phase = "idle"
    since: float = 0.0
    run_since: float = 0.0
    turn: int = 0
    running: set[str] = field(default_factory=set)
    retry: Retry | None = None

    @property
    def busy(self) -> bool:
        """True while a run, a retry wait or settling is under way."""
        return self.phase != "idle"


@dataclass(slots=True)
class Queue:
    """Texts that wait to be sent."""

    steering: tuple[str, ...] = ()
    follow_up: tuple[str, ...] = ()


@dataclass(slots=True)
class Totals:
    """Footer figures: tokens and US dollars of all replies.

    `cache_hit` is the cached part of the last reply's input, 0 to 1. `context_tokens` is the context after the last
    good reply, None where it is not known (before the first reply, after a compaction).
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: float = 0.0
    cache_hit: float | None = None
    context_tokens: int | None = None

    def add(self, usage: Usage) -> None:
        """Count the tokens and cost of one response."""
        self.input += usage.input
        self.output += usage.output
        self.cache_read += usage.cache_read
        self.cache_write += usage.cache_write
        self.cost += usage.cost.total


@dataclass
class State:
    """Everything the screen shows of a session.

    Only `reduce`, `fold_messages` and `append_block` change it, in place: a fold over 5,000 blocks must not copy them.
    `clock` gives seconds for timers. `live_usage` is the usage of the reply that arrives, not yet in `totals`.
    """

    blocks: list[Block] = field(default_factory=list)
    queue: Queue = field(default_factory=Queue)
    activity: Activity = field(default_factory=Activity)
    totals: Totals = field(default_factory=Totals)
    live_usage: Usage | None = None
    clock: Callable[[], float] = time.monotonic
    open_blocks: dict[int, int] = field(default_factory=dict)
    """Content index of the arriving reply -> position of its block."""
    calls: dict[str, int] = field(default_factory=dict)
    """Id of a tool call -> position of its block; a reused id means the latest call."""

    @classmethod
    def with_header(cls, *lines: tuple[str, str]) -> State:
        """Return an empty state that starts with the app's header lines."""
        return cls(blocks=[HeaderBlock(lines)])

    def settled_blocks(self) -> list[Block]:
        """Return the blocks that a resumed session shows too."""
        return [
            block
            for block in self.blocks
            if not isinstance(block, HeaderBlock) and not (isinstance(block, NoticeBlock) and block.transient)
        ]

    def set_phase(self, phase: Phase, changes: Changes) -> None:
        """Change what goes on; the begin of a phase that goes on stays."""
        activity = self.activity
        if activity.phase != phase:
            activity.phase, activity.since = phase, self.clock()
            changes.status = True


def append_block(state: State, block: Block) -> Changes:
    """Add a block of the app's own (a notice, help) at the end."""
    state.blocks.append(block)
    return Changes({len(state.blocks) - 1: 0})
