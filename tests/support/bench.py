"""Measure an interactive `pi` in a 120x40 pty on the scripted server; any command line, so that two can be compared.

    python -m tests.support.bench --command pi [--command "node cli.js"] [--only start burst] [--runs 5] [--json FILE]

Each measurement starts its own process in an empty agent directory and returns figures by name: seconds (`wall`,
`cpu`), milliseconds (`..._ms`), megabytes (`..._mb`), percent. Runs of several commands alternate; the report shows
medians.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shlex
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.agent_dir import model_name, write_agent_dir
from tests.support.bench_data import END_MARK, burst_text, steady_text, write_session
from tests.support.process_cost import run_cost, session_cost
from tests.support.script import Api, Pace, Reply, Script, Text, say
from tests.support.server_process import ServerProcess
from tests.support.terminal import Terminal

Figures = dict[str, float]
API: Api = "anthropic-messages"
_BARE = ("-ne", "-ns", "-np", "-nc", "--no-themes", "--no-mcp")
_KNOCK = 0.02
"""Seconds between the keys that are sent while a program starts."""
_KEYS = [chr(code) for code in itertools.chain(range(0x100, 0x250), range(0x410, 0x450))]
"""Letters that occur nowhere else on the screen, each used once per process: its first appearance is its echo."""


@dataclass
class Session:
    """A started program: its terminal, its server, and letters that have not been typed yet."""

    term: Terminal
    server: ServerProcess
    letters: Iterator[str]
    usable: float
    """Seconds from start to the first echo."""

    def cost(self) -> tuple[float, float]:
        """(CPU seconds, resident megabytes) so far."""
        cost = session_cost(self.term.pid)
        return cost.cpu, cost.resident / 1e6

    def echo(self, timeout: float = 30.0) -> float:
        """Type one letter; return the milliseconds until it is written to the terminal."""
        letter = next(self.letters)
        start = self.term.written
        begun = time.monotonic()
        self.term.send(letter)
        return (self.term.wait_raw(letter.encode(), start, timeout) - begun) * 1000

    def shown(self, mark: str, timeout: float) -> float:
        """Wait for a word that was in no earlier output; return when it came."""
        return self.term.wait_raw(mark.encode(), timeout=timeout)


@contextmanager
def started(command: list[str], script: Script, *arguments: str, folder: Path) -> Generator[Session]:
    """Start `command` on the server and wait until it echoes a key."""
    project = folder / "project"
    project.mkdir(exist_ok=True)
    letters = iter(_KEYS)
    with ServerProcess(script) as server:
        env = {
            "HOME": str(folder),
            "PI_OFFLINE": "1",
            "PI_CODING_AGENT_DIR": str(write_agent_dir(folder / "agent", server.url)),
        }
        argv = [*command, *_BARE, "--model", model_name(API), *arguments]
        with Terminal(argv, cwd=project, env=env, echo=False, timeout=60) as term:
            yield Session(term, server, letters, _knock(term, letters))


def _knock(term: Terminal, letters: Iterator[str]) -> float:
    """Send letters until one shows; return the seconds since the start."""
    sent: list[bytes] = []
    while True:
        letter = next(letters).encode()
        sent.append(letter)
        term.send(letter)
        try:
            term.wait_until(lambda: any(term.arrival(key) is not None for key in sent), _KNOCK)
        except TimeoutError:
            if term.exit_code is not None:
                raise RuntimeError(f"the program ended with {term.exit_code}\n{term.dump()}") from None
            continue
        return min(when for key in sent if (when := term.arrival(key)) is not None) - term.started_at


def _clear(session: Session) -> None:
    session.term.press("ctrl+u")
    session.term.wait_quiet(0.3)


def _p(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]


def measure_start(command: list[str], folder: Path) -> Figures:
    """From exec to the first echoed key."""
    with started(command, Script(), folder=folder) as session:
        cpu, resident = session.cost()
        return {"wall": session.usable, "cpu": cpu, "resident_mb": resident}


def measure_version(command: list[str], folder: Path) -> Figures:
    """`--version`, and what a bare Python costs here."""
    env = os.environ | {"HOME": str(folder), "PI_OFFLINE": "1", "PI_CODING_AGENT_DIR": str(folder / "agent")}
    wall, cpu = min((run_cost([*command, "--version"], env) for _ in range(5)), key=lambda pair: pair[1])
    _, bare = min((run_cost([sys.executable, "-I", "-c", "pass"]) for _ in range(5)), key=lambda pair: pair[1])
    return {"wall": wall, "cpu": cpu, "cpu_over_python": cpu - bare}


def measure_burst(command: list[str], folder: Path) -> Figures:
    """200 KB of Markdown in 5,000 deltas as fast as the socket takes them, as the second prompt of a process."""
    script = Script(replies=(say("First answer FIRSTMARK."), Reply(content=(Text(deltas=burst_text()),))))
    with started(command, script, folder=folder) as session:
        _clear(session)
        session.term.send("one")
        session.term.press("enter")
        session.shown("FIRSTMARK", 30)
        session.term.wait_quiet(1.0)
        session.term.send("two")
        session.term.wait_quiet(0.5)
        cpu, resident = session.cost()
        begun = time.monotonic()
        session.term.press("enter")
        wall = session.shown(END_MARK, 300) - begun
        cpu_shown = session.cost()[0] - cpu
        session.term.wait_quiet(1.0, 60)
        cpu_after, resident_after = session.cost()
        record = session.server.requests()[1]
        return {
            "wall": wall,
            "cpu": cpu_shown,
            "cpu_settled": cpu_after - cpu,
            "growth_mb": resident_after - resident,
            "sending": float(str(record["last_delta_at"])) - float(str(record["first_delta_at"])),
        }


def measure_stream(command: list[str], folder: Path, *, seconds: float = 20.0, rate: float = 50.0) -> Figures:
    """A reply at `rate` deltas a second, with a key typed every fifth of a second."""
    reply = Reply(content=(Text(deltas=steady_text(int(seconds * rate))),), pace=Pace(delay=1 / rate))
    with started(command, Script(replies=(say("First answer FIRSTMARK."), reply)), folder=folder) as session:
        _clear(session)
        session.term.send("one")
        session.term.press("enter")
        session.shown("FIRSTMARK", 30)
        session.term.wait_quiet(1.0)
        session.term.send("two")
        session.term.wait_quiet(0.5)
        cpu = session.cost()[0]
        session.term.press("enter")
        session.server.wait_for_request(2)
        begun = time.monotonic()
        echoes: list[float] = []
        for number in range(min(int((seconds - 1) * 5), 120)):
            _sleep_until(begun + number / 5)
            echoes.append(session.echo())
        shown = session.shown(END_MARK, seconds + 120)
        used = session.cost()[0] - cpu
        record = session.server.requests()[1]
        return {
            "cpu": used,
            "echo_p50_ms": _p(echoes, 0.5),
            "echo_p95_ms": _p(echoes, 0.95),
            "late_ms": (shown - float(str(record["last_delta_at"]))) * 1000,
        }


def _sleep_until(when: float) -> None:
    time.sleep(max(0.0, when - time.monotonic()))


def measure_session(command: list[str], folder: Path, *, messages: int) -> Figures:
    """Open a session of `messages` messages of 600 bytes; then type 40 keys, 20 a second.

    It is usable when its last message is on the screen and keys are echoed, whichever comes last.
    """
    folder.joinpath("project").mkdir(exist_ok=True)
    path = write_session(folder / "session.jsonl", folder / "project", messages)
    with started(command, Script(), "--session", str(path), folder=folder) as session:
        shown = session.shown(END_MARK, 120) - session.term.started_at if messages else 0.0
        cpu, resident = session.cost()
        session.term.wait_quiet(1.0)
        begun = time.monotonic()
        echoes: list[float] = []
        for number in range(40):
            _sleep_until(begun + number / 20)
            echoes.append(session.echo())
        return {
            "wall": max(session.usable, shown),
            "cpu": cpu,
            "echo_p50_ms": _p(echoes, 0.5),
            "echo_p95_ms": _p(echoes, 0.95),
            "resident_mb": resident,
        }


def measure_idle(command: list[str], folder: Path, *, seconds: float = 15.0) -> Figures:
    """CPU of a program that nobody uses."""
    with started(command, Script(), folder=folder) as session:
        session.term.wait_quiet(2.0, 30)
        cpu, resident = session.cost()
        _sleep_until(time.monotonic() + seconds)
        return {"percent": (session.cost()[0] - cpu) / seconds * 100, "resident_mb": resident}


MEASUREMENTS: dict[str, Callable[[list[str], Path], Figures]] = {
    "version": measure_version,
    "start": measure_start,
    "idle": measure_idle,
    "burst": measure_burst,
    "stream": measure_stream,
    "session-0": lambda command, folder: measure_session(command, folder, messages=0),
    "session-2000": lambda command, folder: measure_session(command, folder, messages=2000),
    "session-5000": lambda command, folder: measure_session(command, folder, messages=5000),
}


def measure(name: str, command: list[str]) -> Figures:
    """One run of a measurement in a fresh folder."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        return MEASUREMENTS[name](command, Path(folder))


def medians(runs: list[Figures]) -> Figures:
    """The median of each figure."""
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def compare(commands: list[list[str]], names: list[str], runs: int) -> dict[str, list[Figures]]:
    """Medians per measurement and command; the commands take turns."""
    result: dict[str, list[Figures]] = {}
    for name in names:
        figures: list[list[Figures]] = [[] for _ in commands]
        for _ in range(runs):
            for at, command in enumerate(commands):
                figures[at].append(measure(name, command))
        result[name] = [medians(of_command) for of_command in figures]
        for at, of_command in enumerate(result[name]):
            shown = "  ".join(f"{key} {value:.3f}" for key, value in of_command.items())
            print(f"{name:14} {commands[at][0]:30} {shown}", flush=True)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--command", action="append", required=True, help="a command line; may be given several times")
    parser.add_argument("--only", nargs="*", choices=list(MEASUREMENTS), default=list(MEASUREMENTS))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", type=Path, help="write the medians there")
    given = parser.parse_args()
    result = compare([shlex.split(command) for command in given.command], given.only, given.runs)
    if given.json:
        named = {name: dict(zip(given.command, figures, strict=True)) for name, figures in result.items()}
        given.json.write_text(json.dumps(named, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
