"""Print and JSON mode as programs in a pipeline."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.support.agent_dir import model_name, write_agent_dir
from tests.support.commands import pi_command
from tests.support.script import JsonObject, Pace, break_off, call, fail, say
from tests.support.server_process import ServerThread

Run = Callable[..., "CompletedProcess[str]"]
MODEL = model_name("openai-completions")


def test_print_writes_the_text_of_the_last_reply_only(run_pi: Run, agent_dir: Path) -> None:
    with ServerThread([say("Looking.", call("bash", {"command": "echo noise"})), say("First.\nSecond.")]) as server:
        write_agent_dir(agent_dir, server.url)
        done = run_pi("-p", "--model", MODEL, "go")
    assert (done.returncode, done.stdout, done.stderr) == (0, "First.\nSecond.\n", "")


def test_piped_text_comes_before_the_prompt(run_pi: Run, agent_dir: Path) -> None:
    with ServerThread([say("ok")]) as server:
        write_agent_dir(agent_dir, server.url)
        assert run_pi("-p", "--model", MODEL, "arg", stdin="piped\n").returncode == 0
        assert "pipedarg" in json.dumps(server.requests[0].body)


@pytest.mark.parametrize("mode", [("-p",), ("--mode", "json")])
def test_l49_a_failed_request_is_a_failed_run(run_pi: Run, agent_dir: Path, mode: tuple[str, ...]) -> None:
    with ServerThread([fail(401)]) as server:
        write_agent_dir(agent_dir, server.url)
        done = run_pi(*mode, "--model", MODEL, "go")
    assert done.returncode == 1
    assert "401" in done.stderr
    assert "test-key" not in done.stdout + done.stderr
    if mode == ("-p",):
        assert done.stdout == ""


@pytest.mark.parametrize("mode", [("-p",), ("--mode", "json")])
def test_l51_without_a_model_one_line_tells_how(run_pi: Run, mode: tuple[str, ...]) -> None:
    done = run_pi(*mode, "go")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "ANTHROPIC_API_KEY" in done.stderr


def test_a_reply_that_was_cut_is_shown_and_counts_as_failure(run_pi: Run, agent_dir: Path) -> None:
    with ServerThread([say("Half a", stop="length")]) as server:
        write_agent_dir(agent_dir, server.url)
        done = run_pi("-p", "--model", MODEL, "go")
    assert (done.returncode, done.stdout) == (1, "Half a\n")


def test_a_lost_connection_is_tried_again_and_text_is_not_doubled(run_pi: Run, agent_dir: Path) -> None:
    settings: JsonObject = {"retry": {"baseDelayMs": 10}}
    with ServerThread([say("Hello the", fault=break_off("eof")), say("Hello there.")]) as server:
        write_agent_dir(agent_dir, server.url, settings=settings)
        done = run_pi("-p", "--model", MODEL, "go")
    assert (done.returncode, done.stdout) == (0, "Hello there.\n")


def test_a_reader_that_goes_away_ends_the_run_quietly(agent_dir: Path, tmp_path: Path) -> None:
    with ServerThread([say("word " * 2000, pace=Pace(chars=5, delay=0.002))]) as server:
        write_agent_dir(agent_dir, server.url)
        argv = [*pi_command(), "--mode", "json", "--model", MODEL, "go"]
        with subprocess.Popen(
            argv, cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.readline()
            process.stdout.close()
            assert process.stderr.read() == b""
            assert process.wait(20) == 141


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_signals_end_the_run_with_their_code_and_save_what_was_said(
    agent_dir: Path, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    with ServerThread([say("word " * 2000, pace=Pace(chars=5, delay=0.01))]) as server:
        write_agent_dir(agent_dir, server.url)
        argv = [*pi_command(), "--mode", "json", "--model", MODEL, "go"]
        with subprocess.Popen(argv, cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if b"text_delta" in line:
                    break
            os.kill(process.pid, number)
            rest = process.stdout.read()
            assert process.wait(20) == code
    assert b'"stopReason":"aborted"' in rest
    stored = next(agent_dir.rglob("*.jsonl")).read_text()
    assert '"stopReason":"aborted"' in stored


@pytest.mark.parametrize("thinking", ["", "Hm."])
def test_l29_a_reply_without_text_is_said(run_pi: Run, agent_dir: Path, thinking: str) -> None:
    with ServerThread([say(thinking=thinking)]) as server:
        write_agent_dir(agent_dir, server.url)
        done = run_pi("-p", "--model", MODEL, "go")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "Warning: the model ended without an answer\n"


@pytest.mark.parametrize("mode", [("-p",), ("--mode", "json")])
@pytest.mark.parametrize("output", ["full", "closed"])
def test_output_that_cannot_be_written_is_one_line_and_a_failure(
    agent_dir: Path, tmp_path: Path, mode: tuple[str, ...], output: str
) -> None:
    redirect = ">/dev/full" if output == "full" else ">&-"
    command = ["sh", "-c", f'"$@" {redirect}', "sh", *pi_command(), *mode, "--model", MODEL, "go"]
    with ServerThread([say("ok")]) as server:
        write_agent_dir(agent_dir, server.url)
        done = subprocess.run(
            command, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30
        )
    assert done.returncode == 1
    assert done.stderr.startswith("Standard output cannot be written: ")
    assert done.stderr.count("\n") == 1
