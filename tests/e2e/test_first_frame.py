"""What is loaded when the first frame stands: seen in `sys.modules` of the real program in a real terminal."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.support.agent_dir import model_name, write_agent_dir
from tests.support.script import Api
from tests.support.terminal import Terminal

LATER = {
    *("anthropic", "openai", "httpx2", "httpcore2"),  # the SDKs: one to two seconds
    *("markdown_it", "pygments", "jsonschema", "aiofiles", "typer", "yaml"),
    "importlib.metadata",  # pydantic looks for plugins when it builds the first validator
    *("core.agent.loop", "core.ai.retry", "core.resources", "pi_tui.overlays.picker"),
}

REPORT = """
import json, os, sys
from pi_tui import app
from pi_tui.boot import main
report = sys.argv.pop(1)
def begin(self):
    with open(report, "w") as file:
        json.dump(list(sys.modules), file)
    self.exit(0)
app.PiApp._begin = begin
main()
"""
"""Runs pi until its first frame has been painted, and leaves the names of all modules in a file."""


def loaded_with_first_frame(folder: Path, *args: str) -> set[str]:
    report = folder / "report"
    argv = [sys.executable, "-I", "-c", REPORT, str(report), *args]
    with Terminal(argv, cwd=folder, env={"PI_CODING_AGENT_DIR": str(folder / "agent")}, timeout=30) as term:
        assert term.wait_exit() == 0, term.dump()
        assert b"Ask" in term.raw or b"sk for" in term.raw
    return set(json.loads(report.read_text()))


@pytest.mark.parametrize("api", ["anthropic-messages", "openai-completions"])
def test_the_first_frame_waits_for_nothing_that_it_does_not_show(tmp_path: Path, api: Api) -> None:
    write_agent_dir(tmp_path / "agent", "http://127.0.0.1:9")
    loaded = loaded_with_first_frame(tmp_path, "--model", model_name(api))
    assert {"textual.app", "core.session.agent_session"} <= loaded
    assert loaded & LATER == set()


def test_nor_does_that_of_the_guide(tmp_path: Path) -> None:
    loaded = loaded_with_first_frame(tmp_path)
    assert loaded & LATER == set()
    assert {name for name in loaded if name.startswith("core.ai.demo")} == {"core.ai.demo"}
