"""Run one scenario through a `pi` in JSON mode and gather what it did."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.reference.scenarios import STEADY, Scenario
from tests.reference.shape import request_shapes, shapes
from tests.support.agent_dir import model_name, write_agent_dir
from tests.support.commands import JSON_MODE
from tests.support.script import Api, JsonObject
from tests.support.server_process import ServerThread

SHAPES = Path(__file__).parent / "shapes"
_TIMEOUT = 60.0


@dataclass(frozen=True)
class Outcome:
    """Shapes of one run. `refused`: why the server refused requests, if it did."""

    exit_code: int
    stderr: str
    events: list[JsonObject]
    session: list[JsonObject]
    requests: list[JsonObject]
    refused: list[str]


def shape_file(api: Api, scenario: Scenario) -> Path:
    """Where the reference's shapes of this scenario are kept."""
    return SHAPES / f"{api}-{scenario.name}.json"


def run_scenario(command: Sequence[str], api: Api, scenario: Scenario, folder: Path) -> Outcome:
    """Run `command` in JSON mode on the scripted server, in a fresh project and agent directory under `folder`."""
    project = folder / "project"
    project.mkdir()
    for name, text in scenario.files.items():
        (project / name).write_text(text, encoding="utf-8")
    with ServerThread([reply.model_copy(update={"pace": STEADY}) for reply in scenario.replies]) as server:
        agent = write_agent_dir(folder / "agent", server.url)
        done = subprocess.run(
            [*command, *JSON_MODE, "--model", model_name(api), scenario.prompt],
            cwd=project,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(folder),
                "LC_ALL": "C.UTF-8",
                "PI_OFFLINE": "1",
                "PI_CODING_AGENT_DIR": str(agent),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=_TIMEOUT,
        )
        requests = list(server.requests)
    sessions = sorted(agent.rglob("*.jsonl"))
    stored = sessions[0].read_text(encoding="utf-8") if sessions else ""
    return Outcome(
        exit_code=done.returncode,
        stderr=done.stderr,
        events=shapes(_parse(done.stdout)),
        session=shapes(_parse(stored)),
        requests=request_shapes(request.body for request in requests),
        refused=[request.problem for request in requests if request.problem],
    )


def _parse(text: str) -> list[JsonObject]:
    return [json.loads(line) for line in text.split("\n") if line.strip()]
