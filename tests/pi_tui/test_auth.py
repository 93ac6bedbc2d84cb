"""`pi auth check`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Run = Callable[..., "CompletedProcess[str]"]


def test_ready_with_a_key_and_the_key_is_never_shown(run_pi: Run) -> None:
    done = run_pi("auth", "check", "--provider", "anthropic", env={"ANTHROPIC_API_KEY": "sk-secret-1"})
    assert (done.returncode, done.stdout) == (0, "anthropic: ready\n")
    assert "sk-secret-1" not in done.stdout + done.stderr


def test_not_ready_tells_how_to_add_a_key(run_pi: Run) -> None:
    done = run_pi("auth", "check", "--provider", "anthropic")
    assert done.returncode == 1
    assert "ANTHROPIC_API_KEY" in done.stdout


@pytest.mark.parametrize("words", [("--provider", "nobody"), ("--model", "no-such-model"), ("--bad",)])
def test_invalid(run_pi: Run, words: tuple[str, ...]) -> None:
    done = run_pi("auth", "check", *words)
    assert done.returncode == 2
    assert words[-1] in done.stderr


def test_json(run_pi: Run, agent_dir: Path) -> None:
    agent_dir.mkdir(parents=True)
    (agent_dir / "auth.json").write_text(json.dumps({"openai": {"type": "api_key", "key": "k"}}))
    (agent_dir / "auth.json").chmod(0o600)
    done = run_pi("auth", "check", "--json", "--provider", "openai")
    assert json.loads(done.stdout) == {"ready": True, "providers": {"openai": True}}


def test_the_rest_of_auth_is_refused(run_pi: Run) -> None:
    done = run_pi("auth", "login")
    assert done.returncode == 2
    assert "login" in done.stderr
