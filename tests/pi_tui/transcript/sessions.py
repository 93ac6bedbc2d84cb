"""Sessions to show: events of a made-up one in random order of kinds, and plain long ones."""

from __future__ import annotations

import random

from core.ai.messages import AgentMessage, AssistantMessage, TextContent, ThinkingContent, ToolCall, UserMessage
from core.session.events import SessionEvent, SessionNotice
from tests.pi_tui.model.session import Tape

WORDS = (
    "the parser keeps a small table of open blocks and closes them when an outer container ends so that every delta "
    "costs the same amount of work whatever came before it 表格 对齐 ✈️ naïve"
).split()


def prose(random_: random.Random, words: int) -> str:
    """A line of words."""
    return " ".join(random_.choice(WORDS) for _ in range(words))


def markdown(random_: random.Random, blocks: int) -> str:
    """Markdown of so many blocks, of all kinds."""
    out = []
    for number in range(blocks):
        kind = random_.randrange(8)
        if kind == 0:
            out.append(f"## Section {number}")
        elif kind == 1:
            out.append("\n".join(f"- {prose(random_, 9)}" for _ in range(random_.randint(1, 60))))
        elif kind == 2:
            out.append(
                "\n\n".join(f"{item + 1}. {prose(random_, 5)}\n   `x`" for item in range(random_.randint(1, 30)))
            )
        elif kind == 3:
            lines = "\n".join(
                f"    value_{line} = {line}  # {prose(random_, 3)}" for line in range(random_.randint(0, 99))
            )
            out.append(f"```python\ndef f():\n{lines}\n```")
        elif kind == 4:
            rows = "\n".join(f"| {prose(random_, 2)} | {row} |" for row in range(random_.randint(1, 90)))
            out.append(f"| a | b |\n|---|--:|\n{rows}")
        elif kind == 5:
            out.append(f"> {prose(random_, 30)}\n> {prose(random_, 3)}")
        else:
            out.append(prose(random_, random_.randint(1, 80)))
    return "\n\n".join(out)


def random_events(seed: int, turns: int = 6) -> list[SessionEvent]:
    """The events of a session with several turns, tools that fail, notices and an unfinished end."""
    random_ = random.Random(seed)
    tape = Tape(cut=random_.choice([5, 40, 300])).start()
    ids = 0
    for _ in range(turns):
        tape.user(prose(random_, random_.randint(1, 60)))
        content: list[TextContent | ThinkingContent | ToolCall] = []
        if random_.random() < 0.6:
            content.append(ThinkingContent(thinking=markdown(random_, 2)))
        content.append(TextContent(text=markdown(random_, random_.randint(0, 5))))
        calls = []
        for name in random_.sample(["read", "bash", "edit", "write", "other"], random_.randint(0, 3)):
            ids += 1
            arguments = {"path": "a/b.py", "command": prose(random_, 4), "content": markdown(random_, 2)}
            calls.append(ToolCall(id=f"call_{ids}", name=name, arguments=arguments))
        tape.reply([*content, *calls], "toolUse" if calls else "stop")
        tape.tools(*((call, prose(random_, 9).replace(" ", "\n"), random_.random() < 0.3) for call in calls))
        if random_.random() < 0.3:
            tape.events.append(SessionNotice(level="warning", text=prose(random_, 9)))
    tape.reply([TextContent(text=markdown(random_, 4))], "aborted", closed=False)
    return tape.end().events


def long_session(messages: int, size: int = 600) -> list[AgentMessage]:
    """Alternating messages of the person and the model, each of about `size` characters."""
    random_ = random.Random(messages)
    out: list[AgentMessage] = []
    pool = [markdown(random_, 3).replace("\n\n", "\n", 1)[:size].ljust(size, "x") for _ in range(40)]
    for number in range(messages):
        text = pool[number % len(pool)]
        out.append(UserMessage.of(text) if number % 2 == 0 else AssistantMessage(content=(TextContent(text=text),)))
    return out
