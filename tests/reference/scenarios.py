"""The scenarios that the reference and our own program are both run through, as data."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.support.script import Pace, Reply, call, fail, say

STEADY = Pace(head_delay=0.05, delay=0.02)
"""Slow enough that a client handles each event before the next one comes: what it shows then depends on no race."""

_PACKAGE = """{
  "name": "hello",
  "version": "0.1.0",
  "type": "module",
  "main": "hello.mjs"
}
"""
_HELLO = """export function greet(name) {
  return `Hello, ${name}!`;
}

console.log(greet(process.argv[2] ?? "world"));
"""
_FILES = {"a.txt": "alpha\n", "b.txt": "beta\n", "c.txt": "gamma\n"}


@dataclass(frozen=True)
class Scenario:
    """One prompt and what the model answers, request by request, in a folder with `files`.

    `exit_code` is ours; the reference leaves with 0 in every one of them.
    """

    name: str
    prompt: str
    replies: tuple[Reply, ...]
    files: dict[str, str] = field(default_factory=lambda: dict(_FILES))
    exit_code: int = 0


SCENARIOS = (
    Scenario("no-tool", "Say hi.", (say("Hi there, how can I help?", thinking="The user says hi."),)),
    Scenario(
        "one-tool", "What is in a.txt?", (say("Looking.", call("read", {"path": "a.txt"})), say("It says alpha."))
    ),
    Scenario(
        "three-tools",
        "Read all three files.",
        (
            say("Reading.", *(call("read", {"path": name}) for name in _FILES)),
            say("They say alpha, beta and gamma."),
        ),
    ),
    Scenario("unknown-tool", "Dance.", (say("", call("dance", {"style": "tango"})), say("I cannot dance."))),
    Scenario(
        "invalid-arguments", "Read.", (say("", call("read", {"offset": "first"})), say("I need the name of a file."))
    ),
    Scenario("failing-bash", "Run it.", (say("", call("bash", {"command": "echo out; exit 3"})), say("It failed."))),
    Scenario(
        "length-with-call",
        "Write a file.",
        (say("Writing.", call("write", {"path": "new.txt", "content": "new"}), stop="length"), say("I was cut off.")),
    ),
    Scenario(
        "truncated-arguments",
        "Write a file.",
        (say("Writing.", call("write", '{"path": "new.txt", "content": "ne')), say("That did not work.")),
    ),
    Scenario("http-401", "Say hi.", (fail(401),), exit_code=1),
    Scenario("overloaded-then-success", "Say hi.", (fail(529), say("Hi."))),
    Scenario(
        "four-turns",
        "List files in the current directory, then tell me what this project is.",
        (
            say("I list the files first.", call("bash", {"command": "ls"})),
            say("", call("read", {"path": "package.json"})),
            say("Now the entry point.", call("read", {"path": "hello.mjs"})),
            say("A small module that greets whoever is named on the command line."),
        ),
        files={"package.json": _PACKAGE, "hello.mjs": _HELLO},
    ),
)
