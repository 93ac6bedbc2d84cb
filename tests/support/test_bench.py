"""The measurements measure: on a program that echoes keys, and on processes of known cost."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.bench import measure_idle, measure_start, medians
from tests.support.bench_data import END_MARK, burst_text, steady_text, write_session
from tests.support.process_cost import run_cost, session_cost
from tests.support.terminal import Terminal

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="costs are read from Linux's /proc")

ECHO = "import os, tty, time; time.sleep(0.15); tty.setraw(0)\nwhile True: os.write(1, os.read(0, 99))"
SPIN = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass\nprint('spun', flush=True)"


def test_the_start_ends_with_the_first_echoed_key(tmp_path: Path) -> None:
    figures = measure_start([sys.executable, "-I", "-S", "-c", ECHO], tmp_path)
    assert 0.15 <= figures["wall"] < 5
    assert 0 < figures["resident_mb"] < 100


def test_an_idle_program_costs_nothing(tmp_path: Path) -> None:
    assert measure_idle([sys.executable, "-I", "-S", "-c", ECHO], tmp_path, seconds=0.2)["percent"] < 50


def test_a_program_that_ends_is_told_from_one_that_starts(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="ended with 7"):
        measure_start([sys.executable, "-I", "-S", "-c", "raise SystemExit(7)"], tmp_path)


def test_costs_include_the_children_of_a_session() -> None:
    wait = f'{shlex.quote(sys.executable)} -I -c "{SPIN}"; read line'
    with Terminal(["/bin/sh", "-c", wait]) as term:
        term.wait_for("spun")
        cost = session_cost(term.pid)
        assert 0.25 < cost.cpu < 3
        assert cost.resident > 500_000
    wall, cpu = run_cost([sys.executable, "-I", "-c", SPIN])
    assert 0.29 < cpu < wall + 0.1
    with pytest.raises(subprocess.CalledProcessError):
        run_cost([sys.executable, "-I", "-c", "raise SystemExit(1)"])


def test_the_data_is_what_it_says(tmp_path: Path) -> None:
    deltas = burst_text()
    assert abs(len(deltas) - 5000) <= 1
    assert 199_000 < len("".join(deltas)) <= 200_001
    assert [END_MARK in part for part in deltas[-2:]] == [False, True]
    assert len(steady_text(1000)) == 1000
    assert END_MARK in steady_text(1000)[-1]
    lines = write_session(tmp_path / "s.jsonl", tmp_path, 10).read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line) for line in lines]
    assert [entry["parentId"] for entry in entries[2:]] == [entry["id"] for entry in entries[1:-1]]
    sizes = [len(entry["message"]["content"][0]["text"]) for entry in entries[1:]]
    assert all(480 < size < 650 for size in sizes), sizes
    assert medians([{"a": 1.0}, {"a": 5.0}, {"a": 2.0}]) == {"a": 2.0}
