"""What happens when somebody dies: the agent, the supervisor, the shell. Each agent is a process of its own here."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools.bench import Bench
from tests.tools.processes import command_of, end, marked, parent_of, running, until, working_in

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")

AGENT = """
import asyncio, sys
from pathlib import Path
from tests.tools.bench import Bench

async def main():
    bench = Bench(Path(sys.argv[1]))
    result = await bench.run("bash", command=sys.argv[2])
    print("RESULT", flush=True)
    if "stay" in sys.argv[3:]:
        await asyncio.sleep(60)

asyncio.run(main())
"""


class Agent:
    """A process that runs one command through the tool, then ends, or stays with the argument `stay`."""

    def __init__(self, folder: Path, command: str, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", AGENT, str(folder), command, *arguments], stdout=subprocess.PIPE, text=True
        )

    def wait_for_result(self) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "RESULT\n"

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def agents() -> Iterator[list[Agent]]:
    started: list[Agent] = []
    yield started
    for agent in started:
        agent.close()


def mark(folder: Path) -> str:
    """A number of seconds that no other sleep on this machine has."""
    return f"300.{abs(hash(str(folder))) % 10**9:09}"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
async def test_a_running_command_dies_with_the_agent(tmp_path: Path, agents: list[Agent], number: int):
    # E86, S09
    sleep = f"sleep {mark(tmp_path)}"
    agent = Agent(
        tmp_path, f"{sleep} & setsid {sleep} & (setsid sh -c \"trap '' TERM; {sleep}; true\" &); {sleep}; true"
    )
    agents.append(agent)
    await until(lambda: len(marked(sleep)) >= 7)
    agent.process.send_signal(number)
    await until(lambda: not marked(mark(tmp_path)), 3)


async def test_what_is_left_in_the_background_dies_with_the_agent_but_daemons_do_not(
    tmp_path: Path, agents: list[Agent]
):
    # E86
    sleep, daemon = f"sleep {mark(tmp_path)}", f"sleep 9{mark(tmp_path)}"
    agent = Agent(tmp_path, f"{sleep} & (setsid {daemon} >/dev/null 2>&1 &); echo done", "stay")
    agents.append(agent)
    await asyncio.to_thread(agent.wait_for_result)
    assert marked(sleep)
    assert marked(daemon)
    agent.process.kill()
    await until(lambda: not marked(sleep), 3)
    pids = marked(daemon)
    assert pids
    for pid in pids:
        end(pid)


async def test_a_normal_exit_ends_the_background(tmp_path: Path, agents: list[Agent]):
    # E86
    sleep = f"sleep {mark(tmp_path)}"
    agent = Agent(tmp_path, f"{sleep} & echo done")
    agents.append(agent)
    await asyncio.to_thread(agent.process.wait, 10)
    assert agent.process.returncode == 0
    await until(lambda: not marked(sleep), 3)


async def test_when_the_supervisor_is_killed_the_command_ends(bench: Bench):
    task = bench.begin("bash", command="echo $PPID; sleep 300; true")
    await until(lambda: len(bench.updates) > 1)
    supervisor = int(bench.updates[-1].plain_text)
    assert len(working_in(bench.cwd)) == 2
    os.kill(supervisor, signal.SIGKILL)
    result = await task
    assert "exit status 137 (SIGKILL)" in result.plain_text
    await until(lambda: not working_in(bench.cwd))


async def test_when_agent_and_supervisor_are_killed_the_shell_dies(tmp_path: Path, agents: list[Agent]):
    sleep = f"sleep {mark(tmp_path)}"
    agent = Agent(tmp_path, f"exec {sleep}")
    agents.append(agent)
    shell = f"\0{mark(tmp_path)}"
    await until(lambda: any(command_of(pid).endswith(shell) for pid in marked(sleep)))
    pid = next(pid for pid in marked(sleep) if command_of(pid).endswith(shell))
    supervisor = parent_of(pid)
    agent.process.send_signal(signal.SIGSTOP)
    os.kill(supervisor, signal.SIGKILL)
    agent.process.kill()
    await until(lambda: not running(pid), 3)


async def test_signals_that_a_command_sends_around_do_not_hit_the_supervisor(bench: Bench):
    text = await bench.text("bash", command="kill -TERM $PPID; kill -INT $PPID; kill -HUP $PPID; echo still here")
    assert text == "still here\n"


async def test_nothing_is_left_of_a_command_that_ended(bench: Bench):
    text = await bench.text("bash", command="echo $PPID")
    await until(lambda: not running(int(text)))


async def test_orphans_are_collected_while_the_command_runs(bench: Bench):
    task = bench.begin("bash", command="for i in 1 2 3; do (true &); done; echo $PPID; read -t 2 <> <(:); true")
    await until(lambda: len(bench.updates) > 1)
    supervisor = int(bench.updates[-1].plain_text)

    def zombies() -> list[str]:
        children = Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split()
        return [child for child in children if not running(int(child))]

    await until(lambda: not zombies(), 2.5)
    bench.signal.abort()
    await task


FLOOD = """
import asyncio, resource, sys, time
from pathlib import Path
from tests.tools.bench import Bench

async def main():
    bench = Bench(Path(sys.argv[1]))
    await bench.run("bash", command="seq 3000")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = await bench.run("bash", command=f"yes | head -c {sys.argv[2]}M")
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(after - before, result.details["truncation"]["totalBytes"], result.details["fullOutputPath"])

asyncio.run(main())
"""


def test_a_flood_of_output_takes_little_memory(tmp_path: Path):
    # E91
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", FLOOD, str(tmp_path), "200"], capture_output=True, text=True, env=environment, check=True
    )
    grown, total, path = done.stdout.split()
    os.unlink(path)
    assert int(total) == 200 * 1024 * 1024
    assert int(grown) < 50 * 1024
