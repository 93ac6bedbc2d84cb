"""The two message queues of an agent.

A message leaves its queue in two steps. `claim` decides that the head goes into the next turn; `commit` takes it out in
the same step in which it enters the transcript. Until then an abort can still take it back: no text is ever in neither
place.
"""

from __future__ import annotations

from collections import deque
from typing import Literal, TypeAlias

from core.ai.messages import AgentMessage

QueueMode: TypeAlias = Literal["one-at-a-time", "all"]


class MessageQueue:
    """FIFO of messages. `mode` may change at any time and counts from the next claim."""

    def __init__(self, mode: QueueMode = "one-at-a-time") -> None:
        self.mode: QueueMode = mode
        self._items: deque[AgentMessage] = deque()
        self._claimed = 0

    def __len__(self) -> int:
        return len(self._items)

    def push(self, message: AgentMessage) -> None:
        """Append a message."""
        self._items.append(message)

    def items(self) -> tuple[AgentMessage, ...]:
        """Return what waits, in order, claimed messages included."""
        return tuple(self._items)

    def peek(self) -> tuple[AgentMessage, ...]:
        """Return what the next claim would give."""
        return tuple(self._items)[: self._next_count()]

    def claim(self) -> int:
        """Mark the head for the next turn; return how many messages are claimed now."""
        self._claimed = self._next_count()
        return self._claimed

    def commit(self) -> AgentMessage | None:
        """Take out the next claimed message; None when there is none."""
        if not self._claimed:
            return None
        self._claimed -= 1
        return self._items.popleft()

    def unclaim(self) -> None:
        """Forget the claim: the messages wait as before."""
        self._claimed = 0

    def take(self, *, claimed: bool) -> tuple[AgentMessage, ...]:
        """Remove and return what waits, with or without the claimed messages.

        With them only when the run is aborted in the same step: an aborted run commits nothing.
        """
        kept = 0 if claimed else self._claimed
        items = tuple(self._items)
        self._items = deque(items[:kept])
        self._claimed = kept
        return items[kept:]

    def _next_count(self) -> int:
        return len(self._items) if self.mode == "all" else min(1, len(self._items))
