"""kill -9 at a random moment of a run: nothing that was told as finished is lost, and the session goes on."""

from __future__ import annotations

import json
import os
import random
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from core.session.store import SessionStore
from core.session.tree import context_of, path_to
from tests.e2e.start import processes
from tests.support.agent_dir import model_name, write_agent_dir
from tests.support.commands import JSON_MODE, pi_command
from tests.support.script import Pace, Reply, call, say
from tests.support.server_process import ServerThread

MARK = "sleep 0.0712"


def busy_replies() -> list[Reply]:
    """Eight turns of text and tools, about two seconds."""
    pace = Pace(chars=8, delay=0.004)
    turns = [
        say(
            f"Turn {turn}: some words that take a moment to arrive. " * 3,
            call("bash", {"command": f"{MARK}; echo {turn}"}),
            call("write", {"path": f"f{turn}.txt", "content": "x" * 2000}),
            pace=pace,
        )
        for turn in range(8)
    ]
    return [*turns, say("The end.")]


def killed_run(folder: Path, delay: float) -> None:
    """Run, kill after `delay` seconds from the first event, and look at what is left."""
    project = folder / "project"
    project.mkdir()
    with ServerThread(busy_replies()) as server:
        agent_dir = write_agent_dir(folder / "agent", server.url)
        env = os.environ | {"PI_CODING_AGENT_DIR": str(agent_dir)}
        argv = [*pi_command(), *JSON_MODE, "--model", model_name("openai-completions"), "go"]
        told: list[dict[str, Any]] = []
        with subprocess.Popen(argv, cwd=project, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            timer: threading.Timer | None = None
            for line in process.stdout:
                if timer is None:
                    timer = threading.Timer(delay, process.kill)
                    timer.start()
                if line.endswith(b"\n"):
                    told.append(json.loads(line))
            if timer is not None:
                timer.cancel()
    finished = [record["message"] for record in told if record["type"] == "message_end"]
    files = sorted(agent_dir.rglob("*.jsonl"))
    if any(message["role"] == "user" for message in finished):
        assert len(files) == 1
        store = SessionStore.load(files[0])
        assert store is not None
        kept = [entry.data["message"] for entry in store.entries if entry.type == "message"]
        assert kept[: len(finished)] == finished
        assert context_of(path_to(store.leaf, store.by_id))
    for path in project.glob("*.txt"):
        assert path.read_text() == "x" * 2000
    with ServerThread([say("Going on.")]) as server:
        write_agent_dir(folder / "agent", server.url)
        argv = [*pi_command(), "-p", "-c", "--model", model_name("openai-completions"), "and now?"]
        done = subprocess.run(argv, cwd=project, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        assert done.returncode == 0, done.stderr
        assert done.stdout == b"Going on.\n"
        assert not server.requests[0].problem
    deadline = time.monotonic() + 3
    while processes(MARK) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert processes(MARK) == []


@pytest.mark.parametrize("case", range(5))
def test_killed_at_a_random_moment(tmp_path: Path, case: int) -> None:
    killed_run(tmp_path, random.Random(case).uniform(0.0, 3.0))


@pytest.mark.soak
@pytest.mark.parametrize("case", range(50))
def test_killed_at_fifty_random_moments(tmp_path: Path, case: int) -> None:
    killed_run(tmp_path, random.Random(1000 + case).uniform(0.0, 4.0))
