"""The real `pi` in a pty against the scripted server: how every end-to-end test starts."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.agent_dir import model_name, write_agent_dir
from tests.support.commands import pi_command
from tests.support.model_server import Responder
from tests.support.script import Api, JsonObject, Reply, Script
from tests.support.server_process import ServerThread
from tests.support.terminal import Terminal, Wanted
from tests.support.terminal_profile import Profile

READY = "scripted-1"
"""Part of the footer: when it shows, the screen is complete."""


@dataclass
class Running:
    """A started `pi`: its terminal, its model server, its project folder and its agent directory."""

    term: Terminal
    server: ServerThread
    project: Path
    agent_dir: Path

    def say(self, text: str) -> None:
        """Type `text` and press Enter."""
        self.term.send(text)
        self.term.wait_for(text[-20:])
        self.term.press("enter")

    def session_files(self) -> list[Path]:
        """The session files so far."""
        return sorted((self.agent_dir / "sessions").rglob("*.jsonl"))

    def messages(self, request: int) -> list[dict[str, Any]]:
        """The messages of the n-th request, from 1."""
        body: Any = self.server.wait_for_request(request).body
        return list(body["messages"])


@contextmanager
def running_pi(
    folder: Path,
    replies: Script | Sequence[Reply | Responder] = (),
    *,
    args: Sequence[str] = (),
    api: Api = "openai-completions",
    files: Mapping[str, str] | None = None,
    columns: int = 100,
    rows: int = 30,
    env: Mapping[str, str | None] | None = None,
    settings: JsonObject | None = None,
    profile: Profile | None = None,
    ready: Wanted = READY,
) -> Generator[Running]:
    """Start `pi` in `folder/project` and wait until its screen is complete."""
    project = folder / "project"
    project.mkdir(exist_ok=True)
    for name, text in (files or {}).items():
        (project / name).write_text(text)
    with ServerThread(replies) as server:
        agent_dir = write_agent_dir(folder / "agent", server.url, settings=settings)
        argv = [*pi_command(), "--model", model_name(api), *args]
        environment = {"PI_CODING_AGENT_DIR": str(agent_dir), **(env or {})}
        with Terminal(argv, columns=columns, rows=rows, cwd=project, env=environment, profile=profile) as term:
            term.wait_for(ready)
            yield Running(term, server, project, agent_dir)


def app_has_keys(term: Terminal) -> bool:
    """The early screen is over: from now on keys are the app's. For screens too small to show `READY`."""
    return 1004 in term.screen.modes


def alive(pid: int) -> bool:
    """True while a process of this id runs (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def processes(marker: str) -> list[int]:
    """Ids of the processes whose command line holds `marker`, this one excepted."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if marker in line and alive(int(folder.name)):
            found.append(int(folder.name))
    return found


def wait_until(condition: Callable[[], bool], timeout: float = 10.0) -> float:
    """Wait for a condition that nothing tells of (a process that ends, a file); returns the seconds it took."""
    begun = time.monotonic()
    while not condition():
        if time.monotonic() - begun > timeout:
            raise AssertionError("the condition did not hold in time")
        time.sleep(0.01)
    return time.monotonic() - begun
