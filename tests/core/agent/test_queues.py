"""Queues whose messages leave in two steps."""

from __future__ import annotations

from core.agent.queues import MessageQueue, QueueMode
from core.ai.messages import AgentMessage, UserMessage
from tests.core.agent.rig import text_of


def queue_of(*texts: str, mode: QueueMode = "one-at-a-time") -> MessageQueue:
    queue = MessageQueue(mode)
    for text in texts:
        queue.push(UserMessage.of(text))
    return queue


def texts(messages: tuple[AgentMessage, ...]) -> list[str]:
    return [text_of(message) for message in messages]


def drained(queue: MessageQueue) -> list[str]:
    out = []
    while (message := queue.commit()) is not None:
        out.append(text_of(message))
    return out


def test_one_at_a_time() -> None:
    queue = queue_of("a", "b")
    assert texts(queue.peek()) == ["a"]
    assert queue.claim() == 1
    assert len(queue) == 2
    assert drained(queue) == ["a"]
    assert texts(queue.items()) == ["b"]


def test_all() -> None:
    queue = queue_of("a", "b", mode="all")
    assert texts(queue.peek()) == ["a", "b"]
    assert queue.claim() == 2
    queue.push(UserMessage.of("late"))
    assert drained(queue) == ["a", "b"]
    assert texts(queue.items()) == ["late"]


def test_nothing_leaves_unclaimed() -> None:
    queue = queue_of("a")
    assert queue.commit() is None
    queue.claim()
    queue.unclaim()
    assert queue.commit() is None
    assert queue.claim() == 1
    assert queue_of().claim() == 0


def test_taking_leaves_claimed_messages_unless_told_otherwise() -> None:
    queue = queue_of("a", "b", "c")
    queue.claim()
    assert texts(queue.take(claimed=False)) == ["b", "c"]
    assert drained(queue) == ["a"]
    queue = queue_of("a", "b")
    queue.claim()
    assert texts(queue.take(claimed=True)) == ["a", "b"]
    assert queue.commit() is None
    assert len(queue) == 0


def test_a_claim_is_made_anew_each_time() -> None:
    queue = queue_of("a", "b")
    queue.claim()
    queue.mode = "all"
    assert queue.claim() == 2
    queue.mode = "one-at-a-time"
    assert queue.claim() == 1
    assert drained(queue) == ["a"]
