"""Decides what the guide says and does next, from nothing but the messages of the request.

The guide keeps no state. The messages since the last finished reply are its run: user messages start tasks, and its own
calls with their results are replayed into the tasks' plans. What the plans want next is the reply.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from core.ai.demo.forms import LONGEST, parse
from core.ai.demo.language import split_wishes, without_attachments
from core.ai.demo.plan import Ask, Desk, Plan, Seen, Step, Wish, clip, code, join
from core.ai.demo.talk import INTRODUCTION, not_understood, small_talk, wants_more, wants_stop
from core.ai.messages import AssistantMessage, ImageContent, LlmMessage, ToolResultMessage, UserMessage

_LATER = re.compile(
    r"^(?:and\s+)?(?:then|after(?:wards|\s+(?:that|this))|when\s+you(?:'re|\s+are)\s+(?:done|ready|finished)|finally|later)\b[\s,:]*",
    re.I,
)
_INSTEAD = re.compile(
    r"^(?:no[,.]?\s+)?(?:stop|instead|forget\s+(?:it|that)|rather|never\s*mind)\b[\s,.:;!]*(?:and\s+)?(?=\S)|\s+instead[.!]?$",
    re.I,
)
_BACKGROUND = re.compile(r"\AI ran `.+?`:\n|\A[^\n]*\n\n<summary>\n", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Decision:
    """What the guide does next: a text, and calls unless it has finished."""

    text: str
    asks: tuple[Ask, ...] = ()


@dataclass(slots=True)
class _Task:
    """One wish at work. `step` is what it wants to do next; `answer` is set once it is done."""

    words: str
    plan: Plan
    step: Step | None = None
    begun: bool = False

    def advance(self, results: Sequence[Seen] | None) -> str | None:
        """Send results into the plan; return its answer when that was all."""
        try:
            self.step = next(self.plan) if results is None else self.plan.send(results)
        except StopIteration as end:
            self.step = None
            return str(end.value)
        return None


@dataclass(slots=True)
class _Board:
    """The tasks of a run, the one at work first, and what waits to be said."""

    desk: Desk
    tasks: deque[_Task] = field(default_factory=deque)
    said: list[str] = field(default_factory=list)
    known: dict[str, Seen] = field(default_factory=dict)
    exchanges: int = 0

    def hear(self, text: str, earlier: Sequence[str]) -> None:
        """Take up a message of the person: the first of the run, or one that came in the middle of it."""
        words, attached = without_attachments(text)
        words = words.strip()
        if not words and attached:
            self.said.append(
                f"You attached {join([code(name) for name in attached])}. "
                f"Tell me what to do with it, say `summarise {attached[0]}`."
            )
            return
        if wants_more(words) and not self.tasks:
            again = next((old for old in reversed(earlier) if wishes_of(old)), None)
            if again is None:
                self.said.append("There is nothing to go on with.")
                return
            words = without_attachments(again)[0]
        if self.exchanges:
            self._hear_steering(words)
        else:
            self._add(words, at_front=False)

    def _hear_steering(self, words: str) -> None:
        left = [task.words for task in self.tasks]
        quote = f"You added: “{clip(words, 120)}”."
        if wants_stop(words):
            self.tasks.clear()
            leaving = (
                f" I leave {join([code(clip(old, 60)) for old in left])} as it is."
                if left
                else " There is nothing left to stop."
            )
            self.said.append(f"{quote}{leaving}")
            return
        if _INSTEAD.search(words) and wishes_of(_INSTEAD.sub("", words, count=1)):
            self.tasks.clear()
            self.said.append(f"{quote} I'll do that instead.")
            self._add(_INSTEAD.sub("", words, count=1), at_front=True)
            return
        later = _LATER.match(words)
        rest = words[later.end() :] if later else words
        if wants_more(words) and left:
            self.said.append(f"{quote} I go on.")
            return
        if not wishes_of(rest):
            self.said.append(quote)
            self._add(words, at_front=True)
            return
        if left:
            order = (
                "I'll do that when the rest is done."
                if later
                else f"I'll do that first and then go on with {code(clip(left[0], 60))}."
            )
            self.said.append(f"{quote} {order}")
        else:
            self.said.append(quote)
        self._add(rest, at_front=not later)

    def _add(self, words: str, *, at_front: bool) -> None:
        wishes = wishes_of(words)
        if not wishes:
            self.said.append(small_talk(words) or not_understood(words))
            return
        tasks = [_Task(wish.words, wish.start(self.desk)) for wish in wishes]
        if at_front:
            self.tasks.extendleft(reversed(tasks))
        else:
            self.tasks.extend(tasks)

    def decide(self) -> Decision:
        """Go on until a tool is needed or all is done."""
        while self.tasks:
            task = self.tasks[0]
            answer = None
            if not task.begun:
                task.begun = True
                answer = task.advance(None)
            while answer is None and task.step is not None and all(ask.key in self.known for ask in task.step.asks):
                answer = task.advance([self.known[ask.key] for ask in task.step.asks])
            if answer is not None:
                self._finish(answer)
            elif task.step is not None:
                wanted = tuple(ask for ask in task.step.asks if ask.key not in self.known)
                return Decision("\n\n".join([*self.said, task.step.say]), wanted)
        return Decision("\n\n".join(self.said) or "There is nothing left to do.")

    def feed(self, results: Sequence[Seen]) -> bool:
        """Take the results of what `decide` wanted; False when they do not fit."""
        decision = self.decide()
        if len(decision.asks) != len(results) or not decision.asks:
            return False
        self.said.clear()
        self.exchanges += 1
        if not all(ask.pure for ask in decision.asks):
            self.known.clear()
        self.known.update(zip((ask.key for ask in decision.asks), results, strict=True))
        task = self.tasks[0]
        assert task.step is not None
        gathered = [self.known[ask.key] for ask in task.step.asks]
        for ask in decision.asks:
            if not ask.pure:
                del self.known[ask.key]
        answer = task.advance(gathered)
        if answer is not None:
            self._finish(answer)
        return True

    def _finish(self, answer: str) -> None:
        self.said.append(answer)
        self.tasks.popleft()


def decide(messages: Iterable[LlmMessage], tools: Iterable[str]) -> Decision:
    """Return what the guide does next. Asks only for tools in `tools`."""
    run, earlier, introduced = _current_run(messages)
    board = _Board(Desk(frozenset(tools)))
    decision: Decision | None = None
    for item in run:
        if isinstance(item, str):
            board.hear(item, earlier)
            earlier.append(item)
        elif not board.feed(item):
            decision = Decision(
                "The conversation no longer fits my script (did it change under me?). Please ask again."
            )
            break
    decision = decision or board.decide()
    return decision if introduced else Decision(f"{INTRODUCTION}\n\n{decision.text}", decision.asks)


def _current_run(messages: Iterable[LlmMessage]) -> tuple[list[str | list[Seen]], list[str], bool]:
    """Return what belongs to this run (user texts, and the results of each own reply), the user texts before it, and
    whether the guide has spoken before."""
    run: list[str | list[Seen]] = []
    earlier: list[str] = []
    introduced = ended = False
    calls: dict[str, int] = {}
    for message in messages:
        if isinstance(message, UserMessage):
            text = _text(message)
            if _BACKGROUND.match(text):
                continue
            if ended:
                earlier += [item for item in run if isinstance(item, str)]
                run, ended = [], False
            run.append(text)
        elif isinstance(message, AssistantMessage):
            own = message.provider == PROVIDER
            if message.stop_reason in ("error", "aborted"):
                ended = True
                continue
            introduced = introduced or own
            calls = {}
            if not message.tool_calls:
                ended = True
            elif own:
                calls = {call.id: index for index, call in enumerate(message.tool_calls)}
                run.append([Seen("No result was recorded.", failed=True) for _ in calls])
        elif isinstance(message, ToolResultMessage) and message.tool_call_id in calls:
            batch = run[-1]
            assert isinstance(batch, list)
            batch[calls[message.tool_call_id]] = _seen(message)
    return run, earlier, introduced


def _seen(message: ToolResultMessage) -> Seen:
    texts = [
        f"[an image, {block.mime_type}]" if isinstance(block, ImageContent) else block.text for block in message.content
    ]
    return Seen.of("\n".join(texts), failed=message.is_error)


def _text(message: UserMessage) -> str:
    if isinstance(message.content, str):
        return message.content
    return "\n".join(block.text for block in message.content if not isinstance(block, ImageContent))


def wishes_of(text: str) -> list[Wish]:
    """Return what a message asks for, in order; empty when it is not understood."""
    text = text.strip()
    if not text or small_talk(text) is not None:
        return []
    parts = [text] if len(text) > LONGEST else split_wishes(text, lambda part: parse(part) is not None)
    wishes = [parse(part) for part in parts]
    return [wish for wish in wishes if wish is not None]


PROVIDER = "demo"
