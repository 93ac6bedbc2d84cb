"""What every test stands on: an empty home, no ambient credentials, no network but loopback, no task left behind.

Applied to every test, without asking:
- `home`: HOME, the XDG directories and PI_CODING_AGENT_DIR point into a fresh temporary directory.
- provider keys, base URLs, proxies and everything else that would change a result is taken out of the environment;
- a connection to anything but loopback raises `ForeignConnection`;
- an async test fails when it leaves an asyncio task running, or when a task's exception was never looked at.

To ask for by name:
- `home` -> Path: the temporary home directory of this test.
- `agent_dir` -> Path: `<home>/.pi/agent`, not created.
- `pi_shim` -> Path: the installed `pi` command.
- `run_pi(*args, stdin="", env={}, cwd=None, timeout=30)` -> CompletedProcess[str]: runs `pi` with pipes.

Markers: `soak`, `perf` (not in a plain run) and `needs_tmux`, `needs_git`, `needs_rg`, `needs_node`, which skip with a
reason where the program is missing.
"""

import asyncio
import inspect
import ipaddress
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

AMBIENT = re.compile(
    r"""_API_KEY$|_BASE_URL$|_OAUTH_TOKEN$|_AUTH_TOKEN$|_PROXY$
      |^(ANTHROPIC|OPENAI|AZURE|AWS|GOOGLE|GEMINI|HF|GH|GITHUB|OLLAMA|OTEL|PI(?!_REFERENCE$)|GIT|XDG|TEXTUAL|RIPGREP)_
      |^(AI_AGENT|EDITOR|VISUAL|PAGER|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|COLORTERM|TERM_PROGRAM|TMUX|CDPATH|PYTHONPATH)$
    """,
    re.IGNORECASE | re.VERBOSE,
)
PROGRAMS = ("tmux", "git", "rg", "node")
LEAK_GRACE = 0.25
"""Seconds a task that is just ending may take to end once the test and its fixtures are over."""

settings.register_profile("default", deadline=None, max_examples=60, derandomize="CI" in os.environ)
settings.register_profile("soak", deadline=None, max_examples=3000)


class ForeignConnection(RuntimeError):
    """A test tried to reach an address that is not on this machine."""


def pytest_configure(config: pytest.Config) -> None:
    """Clean the environment before any module is collected, so that session fixtures and imports see it clean too."""
    for name in [name for name in os.environ if AMBIENT.search(name)]:
        del os.environ[name]
    os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8", TZ="UTC", GIT_CONFIG_NOSYSTEM="1")
    root = tempfile.mkdtemp(prefix="pi-tests-")
    config.add_cleanup(lambda: shutil.rmtree(root, ignore_errors=True))
    point_home_at(Path(root), os.environ)
    sys.addaudithook(refuse_foreign_connections)
    settings.load_profile(config.getoption("--hypothesis-profile") or "default")


def point_home_at(home: Path, env: Any) -> None:
    """Put HOME and all that derives from it under `home` in the mapping `env`."""
    env["HOME"] = str(home)
    env["PI_CODING_AGENT_DIR"] = str(home / ".pi" / "agent")
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        env[f"XDG_{name}_HOME"] = str(home / ".xdg" / name.lower())


def refuse_foreign_connections(event: str, args: tuple[Any, ...]) -> None:
    """Audit hook: raises on a look-up or connection beyond loopback (unix sockets pass)."""
    if event == "socket.getaddrinfo":
        host = args[0]
    elif event in ("socket.connect", "socket.sendto") and isinstance(args[1], tuple):
        host = args[1][0]
    else:
        return
    host = host.decode() if isinstance(host, bytes) else host
    if host in (None, "", "localhost", "0.0.0.0", "::"):
        return
    try:
        local = ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        local = False
    if not local:
        raise ForeignConnection(f"a test tried to reach {host}; only loopback is allowed")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip, with the reason, a test whose program is not installed."""
    for program in PROGRAMS:
        if item.get_closest_marker(f"needs_{program}") and shutil.which(program) is None:
            pytest.skip(f"needs the program {program}, which is not on PATH")


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The empty home directory of this test; HOME, XDG_* and PI_CODING_AGENT_DIR point into it."""
    home = tmp_path_factory.mktemp("home")
    variables: dict[str, str] = {}
    point_home_at(home, variables)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Test\n\temail = test@localhost\n[init]\n\tdefaultBranch = main\n[commit]\n\tgpgsign = false\n"
    )
    return home


@pytest.fixture
def agent_dir(home: Path) -> Path:
    """Where this test's settings, sessions and credentials live; not created."""
    return home / ".pi" / "agent"


@pytest.fixture(autouse=True)
def no_leaked_tasks(request: pytest.FixtureRequest, home: Path) -> None:
    """Puts the leak check around async tests only, before their other fixtures: those are closed when it looks."""
    if inspect.iscoroutinefunction(getattr(request, "function", None)):
        request.getfixturevalue("task_guard")


@pytest.fixture
async def task_guard() -> AsyncIterator[None]:
    """Fails the test when a task outlives it or when a task died with an exception that nobody looked at."""
    loop = asyncio.get_running_loop()
    before = asyncio.all_tasks()
    unseen: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda _, context: unseen.append(context))
    yield
    alive = asyncio.all_tasks() - before - {asyncio.current_task()}
    if alive:
        _, alive = await asyncio.wait(alive, timeout=LEAK_GRACE)
    for task in alive:
        task.cancel()
    await asyncio.gather(*alive, return_exceptions=True)
    loop.set_exception_handler(None)
    problems = [f"still running: {task!r}" for task in alive]
    problems += [f"unseen error: {context.get('exception') or context['message']!r}" for context in unseen]
    if problems:
        pytest.fail("the test left asyncio work behind:\n  " + "\n  ".join(problems), pytrace=False)


@pytest.fixture(scope="session")
def pi_shim() -> Path:
    """The `pi` command of the environment that runs the tests."""
    shim = Path(sys.executable).parent / "pi"
    if not shim.exists():
        pytest.fail(f"{shim} is missing: install the project with `make setup`", pytrace=False)
    return shim


@pytest.fixture
def run_pi(pi_shim: Path, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs `pi` with pipes in `tmp_path` (or `cwd`); `env` is added to the clean environment; `timeout` in seconds."""

    def run(
        *args: str,
        stdin: str = "",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        timeout: float = 30,
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [pi_shim, *args],
            input=stdin,
            env={**os.environ, **(env or {})},
            cwd=cwd or tmp_path,
            timeout=timeout,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    return run
