"""What is loaded when: seen in `sys.modules` of real processes, since contracts cannot see deferred imports."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hygiene.repository import PACKAGES, module_name, python_files
from tests.support.agent_dir import PROVIDERS, model_name, write_agent_dir
from tests.support.script import Api, say
from tests.support.server_process import ServerThread

SDKS = {"anthropic", "openai", "httpx2"}
SCREEN = {"textual"}
HEAVY = {*SDKS, *SCREEN, "typer", "pydantic", "rich", "asyncio", "typing", "dataclasses"}
SCREEN_ROOMS = ("keys", "theme", "term", "render", "transcript", "prompt", "overlays", "panels", "commands", "app")


def loaded_by(code: str, *args: str) -> set[str]:
    """The modules that an isolated Python has loaded after `code`, run with these arguments and no input."""
    report = "import sys; print('LOADED', *sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"try:\n    {code}\nexcept SystemExit:\n    pass\nfinally:\n    {report}", *args],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "LOADED" in done.stderr, done.stderr
    return set(done.stderr.rpartition("LOADED")[2].split())


def pi(*args: str) -> set[str]:
    """The modules loaded by `pi` with these arguments."""
    return loaded_by("from pi_tui.boot import main; main()", *args)


def modules(*folders: str) -> list[str]:
    """The names of all modules below these top-level folders."""
    return [module_name(file) for file in python_files(*folders)]


@pytest.mark.parametrize(
    "args", [["--version"], ["-v"], ["--help"], ["--bogus"], ["--models", "x"], ["-p", "--version"]]
)
def test_version_help_and_mistakes_load_nothing_heavy(args: list[str]) -> None:
    assert pi(*args) & HEAVY == set()


@pytest.mark.parametrize("args", [["--mode", "rpc"], ["-p", "@nowhere"], ["--provider", "x"]])
def test_mistakes_that_need_options_load_no_library(args: list[str]) -> None:
    assert pi(*args) & {*SDKS, *SCREEN, "typer", "pydantic", "rich"} == set()


def test_the_early_screen_loads_nothing_heavy() -> None:
    loaded = loaded_by("import pi_tui.first_frame, pi_tui.term.early")
    assert loaded & HEAVY == {"typing"}
    assert loaded & {"pathlib", "inspect", "logging", "json", "subprocess"} == set()


def test_core_loads_no_sdk_and_no_screen() -> None:
    loaded = loaded_by(f"import {', '.join(modules('core'))}")
    assert loaded & {*SDKS, *SCREEN, "rich", "tools", "pi_tui"} == set()


def test_tools_load_no_sdk_and_no_screen() -> None:
    assert loaded_by(f"import {', '.join(modules('tools'))}") & {*SDKS, *SCREEN, "rich", "pi_tui"} == set()


def test_what_every_mode_shares_loads_no_screen() -> None:
    shared = [name for name in modules("pi_tui") if name.split(".")[1:2] != ["modes"] and not is_screen(name)]
    assert "pi_tui.cli" in shared
    assert loaded_by(f"import {', '.join(shared)}") & {*SDKS, *SCREEN} == set()


def is_screen(name: str) -> bool:
    """Whether the module belongs to a room of the screen."""
    return name.split(".")[1:2] != [] and name.split(".")[1] in SCREEN_ROOMS


@pytest.mark.parametrize("api", list(PROVIDERS))
@pytest.mark.parametrize("mode", ["text", "json"])
def test_a_headless_run_loads_no_screen(mode: str, api: Api, agent_dir: Path) -> None:
    with ServerThread([say("done")]) as server:
        write_agent_dir(agent_dir, server.url)
        loaded = pi("-p", "--mode", mode, "--no-session", "--model", model_name(api), "hello")
        assert len(server.requests) == 1
    assert "pi_tui.conductor" in loaded
    assert loaded & {*SCREEN, "typer"} == set()


def test_the_probe_sees_what_is_loaded() -> None:
    assert {"textual", "json"} <= loaded_by("import textual, json")
    assert set(PACKAGES) <= loaded_by("import core, tools, pi_tui")


def cpu_seconds(command: list[str | Path]) -> float:
    """User and system time of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_they_cost_hardly_more_than_python_itself(flag: str, pi_shim: Path) -> None:
    bare = min(cpu_seconds([sys.executable, "-c", "pass"]) for _ in range(7))
    assert min(cpu_seconds([pi_shim, flag]) for _ in range(7)) <= bare + 0.1
