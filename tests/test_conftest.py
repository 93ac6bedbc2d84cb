"""The guards that every test relies on can themselves fail."""

import asyncio
import os
import socket
from pathlib import Path

import pytest

from tests.conftest import AMBIENT, ForeignConnection

pytest_plugins = ["pytester"]


def test_home_is_empty_and_temporary(home: Path, agent_dir: Path) -> None:
    assert Path.home() == home
    assert os.environ["PI_CODING_AGENT_DIR"] == str(agent_dir)
    assert not agent_dir.exists()


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "https_proxy", "ANTHROPIC_BASE_URL", "PI_OFFLINE", "GIT_DIR"])
def test_ambient_names_are_recognised(name: str) -> None:
    assert AMBIENT.search(name)


@pytest.mark.parametrize("name", ["PATH", "HOME", "LANG", "PIP_CERT", "SHELL"])
def test_other_names_are_kept(name: str) -> None:
    assert not AMBIENT.search(name)


def test_only_loopback_is_reachable() -> None:
    with socket.socket() as sock, pytest.raises(ForeignConnection):
        sock.connect(("192.0.2.1", 80))
    with pytest.raises(ForeignConnection):
        socket.getaddrinfo("example.invalid", 80)
    assert socket.getaddrinfo("localhost", 80)


def test_leaked_task_fails_its_test(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nasyncio_mode=auto\nasyncio_default_fixture_loop_scope=function")
    pytester.makeconftest("from tests.conftest import home, no_leaked_tasks, task_guard")
    pytester.makepyfile(
        """
        import asyncio

        kept = []

        async def fail():
            raise ValueError("unseen")

        async def test_leaks():
            kept.append(asyncio.create_task(asyncio.sleep(3600)))

        async def test_loses_an_error():
            asyncio.create_task(fail())
            await asyncio.sleep(0)

        async def test_clean():
            await asyncio.create_task(asyncio.sleep(0))

        async def test_task_that_is_just_ending():
            kept.append(asyncio.create_task(asyncio.sleep(0.01)))

        def test_sync():
            assert True
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=5, errors=2)
    result.stdout.fnmatch_lines(["*still running:*sleep*", "*unseen error:*ValueError*"], consecutive=False)


async def test_own_tasks_are_seen_by_the_guard() -> None:
    task = asyncio.create_task(asyncio.sleep(0))
    assert task in asyncio.all_tasks()
    await task
