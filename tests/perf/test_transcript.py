"""What the transcript costs, in a real terminal of 120 x 40: CPU seconds, megabytes, and how both grow.

Bounds are about twice what a quiet machine with two slow cores needs; `-s` prints the figures.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest

from tests.support.terminal import Terminal

pytestmark = pytest.mark.perf
ROOT = Path(__file__).parents[2]


def start(scenario: str, report: Path) -> Terminal:
    argv = [sys.executable, "-m", "tests.perf.transcript_app", str(report), scenario]
    return Terminal(
        argv, columns=120, rows=40, cwd=ROOT, env={"COLORTERM": "truecolor", "TEXTUAL_FPS": "240"}, timeout=60
    )


def figures(scenario: str, folder: Path) -> dict[str, float]:
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    with start(scenario, report) as term:
        term.wait_exit()
    found = json.loads(report.read_text())
    print(f"\n{scenario}: " + ", ".join(f"{name} {value:.4g}" for name, value in found.items()))
    return found


def test_a_burst_of_200_kb_in_5000_deltas(tmp_path: Path) -> None:
    found = figures("burst", tmp_path)
    assert found["cpu"] < 1.0
    assert found["wall"] < 1.4
    assert found["memory"] < 40


def test_a_steady_stream_of_50_deltas_a_second(tmp_path: Path) -> None:
    found = figures("stream", tmp_path)
    assert found["cpu"] < 2.5  # for 10 seconds
    assert found["late_p95"] < 0.030
    assert found["last_fifth"] < 2 * found["first_fifth"] + 0.2


def test_keys_are_echoed_while_text_streams(tmp_path: Path) -> None:
    waits = []
    with start("stream", tmp_path / "report.json") as term:
        term.wait_raw(b"keys")
        for code in range(0x100, 0x100 + 60):
            time.sleep(0.1)  # a quick typist
            key, written, begun = chr(code), term.written, time.monotonic()
            term.send(key)
            waits.append(term.wait_raw(key.encode(), written) - begun)
        term.wait_exit()
    waits.sort()
    p50, p95 = waits[len(waits) // 2], waits[int(len(waits) * 0.95)]
    print(f"\nkey echo p50 {p50 * 1000:.1f} ms, p95 {p95 * 1000:.1f} ms")
    assert p50 < 0.060  # wall time: on a busy machine most of it is waiting for a core
    assert p95 < 0.250


def test_long_sessions_open_and_react_like_short_ones(tmp_path: Path) -> None:
    empty, small, middle, large = (figures(f"open:{count}", tmp_path) for count in (0, 100, 2_000, 5_000))
    assert middle["open_cpu"] < empty["open_cpu"] + 0.3
    assert large["open_cpu"] < empty["open_cpu"] + 0.4
    for name in ("key_cpu", "page_cpu"):
        assert large[name] < 1.3 * small[name] + 0.004
    assert large["key_cpu"] < 0.010
    assert large["page_cpu"] < 0.060
    assert large["top_cpu"] < 0.100
    assert large["memory"] < 30


def test_nothing_happens_at_no_cost(tmp_path: Path) -> None:
    assert figures("idle", tmp_path)["cpu"] < 0.03  # in 3 seconds
