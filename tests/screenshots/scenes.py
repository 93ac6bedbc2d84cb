"""The scenes: what stands in the folder, what the model answers, what a person types, and what then must be seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from core.ai.errors import ErrorInfo
from core.ai.messages import Usage
from core.ai.script import Fault, GateStep, Reply, Text, Thinking, call, say


@dataclass(frozen=True)
class Type:
    """Types a text into the prompt."""

    text: str


@dataclass(frozen=True)
class Press:
    """Presses a key, named as Textual names it."""

    key: str


@dataclass(frozen=True)
class Wait:
    """Waits until a text is on the screen."""

    text: str


@dataclass(frozen=True)
class Idle:
    """Waits until nothing runs."""


Step: TypeAlias = Type | Press | Wait | Idle
SEND = Press("enter")


@dataclass(frozen=True)
class Scene:
    """One picture. `replies` None means the demo model; `shows` are texts that must stand in the picture."""

    name: str
    title: str
    steps: tuple[Step, ...]
    shows: tuple[str, ...]
    replies: tuple[Reply, ...] | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    size: tuple[int, int] = (100, 32)
    light: bool = False
    colourless: bool = False


SAMPLE = {
    "package.json": """{
  "name": "hello-sample",
  "version": "1.0.0",
  "description": "A tiny program that says hello",
  "type": "module",
  "scripts": { "start": "node hello.mjs" }
}
""",
    "hello.mjs": """// Greets whoever is named on the command line.
export function greet(name) {
  return `Hello, ${name}!`;
}

console.log(greet(process.argv[2] ?? "world"));
""",
}
REQUEST = "List files in the current directory, then tell me what this project is."

PROJECT = {
    ".git/HEAD": "ref: refs/heads/main\n",
    "greet.py": '''"""Greets people."""


def greet(name: str) -> str:
    return "Hello, " + name


def main() -> None:
    print(greet("world"))
''',
    "test_greet.py": """from greet import greet

found = greet("Ada")
if found != "Hello, Ada!":
    raise SystemExit(f"FAILED: wanted 'Hello, Ada!', got {found!r}")
print("1 passed")
""",
}


def tokens(read: int, written: int) -> Usage:
    """The usage of a reply, most of its prompt from the cache."""
    cached = read * 9 // 10
    return Usage(input=read - cached, output=written, cache_read=cached, total_tokens=read + written)


EDIT = Scene(
    name="edit",
    title="A file is read and edited, the edit shown as a diff, and the tests are run",
    files=PROJECT,
    steps=(Type("The test fails. Fix it."), SEND, Idle()),
    replies=(
        say(
            "I'll look at the function and its test.",
            call("read", {"path": "greet.py"}),
            call("bash", {"command": "python3 test_greet.py"}),
            thinking="The test file is called test_greet.py. I need to see what it expects before I touch greet.py.",
            usage=tokens(6_200, 118),
        ),
        say(
            "The test wants an exclamation mark at the end.",
            call(
                "edit",
                {
                    "path": "greet.py",
                    "edits": [{"oldText": '    return "Hello, " + name', "newText": '    return f"Hello, {name}!"'}],
                },
            ),
            usage=tokens(6_700, 96),
        ),
        say("", call("bash", {"command": "python3 test_greet.py"}), usage=tokens(6_900, 41)),
        say(
            "Fixed: `greet` now ends with an exclamation mark, and the test passes.",
            usage=tokens(7_000, 24),
        ),
    ),
    shows=("The test fails. Fix it.", "Hello, {name}!", "1 passed", "the test passes"),
    size=(100, 44),
)

MARKDOWN = """## How it fits together

Three parts talk to each other, each with **one** job:

| Part | Job | Lines |
|---|---|--:|
| `reader` | takes bytes apart | 210 |
| `index` | finds things again | 180 |
| `server` | answers questions | 95 |

1. The reader calls `feed` for each chunk.
2. Nothing is kept but the *tail*:

```python
def feed(self, chunk: bytes) -> Iterator[Record]:
    self._tail += chunk
    *whole, self._tail = self._tail.split(b"\\n")
    yield from map(Record.parse, whole)
```

> A record that is cut off stays in the tail until the rest arrives.

See [the format](https://example.org/format) for the fields.
"""

LIVE = (
    "for part in reader index server; do echo \"checking $part ... ok\"; done; echo 'checking the whole ...'; sleep 600"
)

SCENES: tuple[Scene, ...] = (
    Scene(
        name="start",
        title="The first screen: no model is configured, so the demo model answers",
        steps=(),
        shows=("pi ", "demo/guide"),
        size=(100, 16),
    ),
    Scene(
        name="guide",
        title="The demo model lists the files, reads two of them and explains the project",
        files=SAMPLE,
        steps=(Type(REQUEST), SEND, Idle()),
        shows=(REQUEST, "ls -Ap", "read hello.mjs", "hello-sample 1.0.0 is a Node.js program"),
        size=(100, 42),
    ),
    EDIT,
    replace(EDIT, name="edit-light", title="The same on a light background", light=True),
    replace(EDIT, name="edit-plain", title="The same without colours (NO_COLOR)", colourless=True),
    Scene(
        name="markdown",
        title="An answer in Markdown: table, list, code, quote",
        steps=(Type("How does it fit together?"), SEND, Idle()),
        replies=(say(MARKDOWN, usage=tokens(5_400, 310)),),
        shows=("How it fits together", "takes bytes apart", "def feed", "the format"),
        size=(100, 38),
    ),
    Scene(
        name="steering",
        title="While a command runs: a message that steers, a message for afterwards, live output",
        steps=(
            Type("Check every part"),
            SEND,
            Wait("checking the whole"),
            Type("leave the server out, it is being rewritten"),
            SEND,
            Wait("Steering: leave the server out"),
            Type("then write down what you found"),
            Press("alt+enter"),
            Wait("Follow-up: then write down"),
            Type("and one thing mo"),
        ),
        replies=(say("I'll check the parts one by one.", call("bash", {"command": LIVE}), usage=tokens(5_100, 80)),),
        shows=(
            "checking index ... ok",
            "Steering: leave the server out",
            "Follow-up: then write down",
            "and one thing mo",
        ),
        size=(100, 26),
    ),
    Scene(
        name="thinking",
        title="Reasoning and the beginning of an answer while they arrive",
        steps=(Type("Why is the index slow?"), SEND, Wait("two hundred")),
        replies=(
            Reply(
                steps=(
                    Thinking(
                        text="The index is rebuilt for each query. Does anything need it to be? Only deletions do."
                    ),
                    Text(text="It is rebuilt on **every** query, although only deletions change it:\n\n- two hundred"),
                    GateStep(name="never"),
                )
            ),
        ),
        shows=("Only deletions do.", "two hundred"),
        size=(100, 18),
    ),
    Scene(
        name="retry",
        title="The provider is overloaded: the request is tried again after a pause",
        steps=(Type("Hello?"), SEND, Wait("Retrying")),
        replies=(
            Reply(steps=(Fault(kind="error", error=ErrorInfo(kind="overloaded", message="Overloaded", status=529)),)),
        ),
        shows=("Retrying", "Overloaded"),
        size=(100, 16),
    ),
    Scene(
        name="models",
        title="Choosing a model",
        steps=(Type("/model"), SEND, Wait("type to search")),
        replies=(),
        shows=("ollama/qwen3-coder", "sketch/pencil-1"),
        size=(100, 24),
    ),
    Scene(
        name="help",
        title="Commands and keys",
        steps=(Type("/help"), SEND, Wait("/quit")),
        shows=("/model", "Keys"),
        size=(100, 40),
    ),
    Scene(
        name="small",
        title="In a small terminal",
        files=SAMPLE,
        steps=(Type("read hello.mjs"), SEND, Idle()),
        shows=("console.log",),
        size=(40, 14),
    ),
)
