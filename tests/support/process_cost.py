"""What processes cost: CPU seconds and resident memory, read from /proc (Linux), and the cost of a whole short run."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
# fields of /proc/PID/stat counted after the command name
_SESSION, _UTIME, _STIME, _CHILD_UTIME, _CHILD_STIME, _RESIDENT = 3, 11, 12, 13, 14, 21


@dataclass(frozen=True)
class Cost:
    """CPU seconds (user and system, ended children included) and resident bytes of one session of processes."""

    cpu: float
    resident: int


def session_cost(session: int) -> Cost:
    """The cost of every process in the session that process `session` leads."""
    cpu, resident = 0.0, 0
    for fields in _processes():
        if int(fields[_SESSION]) == session:
            cpu += sum(int(fields[at]) for at in (_UTIME, _STIME, _CHILD_UTIME, _CHILD_STIME)) / _TICK
            resident += int(fields[_RESIDENT]) * _PAGE
    return Cost(cpu, resident)


def _processes() -> Iterator[list[str]]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                stat = (folder / "stat").read_text(encoding="utf-8", errors="replace")
            except (FileNotFoundError, ProcessLookupError):
                continue
            yield stat.rpartition(")")[2].split()


def run_cost(argv: Sequence[str], env: Mapping[str, str] | None = None) -> tuple[float, float]:
    """Run a command to its end; return its (wall, CPU) seconds. Raises `CalledProcessError` if it fails."""
    begun = time.monotonic()
    process = subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, argv)
    return wall, usage.ru_utime + usage.ru_stime
