"""What an adapter sends."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.ai.wire import Json


@dataclass(slots=True)
class Payload:
    """A request body, keys in the order in which they are sent, and the headers that belong to it."""

    body: dict[str, Json]
    headers: dict[str, str] = field(default_factory=dict)
