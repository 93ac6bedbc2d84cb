"""From a parsed command line to the options of a mode."""

import gc
import io
import sys
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from pi_tui import cli
from pi_tui.flags import CommandLineError, parse
from pi_tui.options import Options


class Stream(io.TextIOWrapper):
    """A stdin or stdout that is a terminal or not; reading it as a pipe gives nothing."""

    def __init__(self, tty: bool) -> None:
        super().__init__(io.BytesIO())
        self.tty = tty

    def isatty(self) -> bool:
        return self.tty


def resolve(*args: str, stdin: bool = True, stdout: bool = True) -> Options:
    """The options for these words, with stdin and stdout being terminals or pipes."""
    with patch.multiple(sys, stdin=Stream(stdin), stdout=Stream(stdout)):
        return cli.resolve(parse(list(args)))


def test_nothing_said_is_the_interactive_mode_with_nothing_decided() -> None:
    assert resolve() == Options(mode="interactive", cwd=Path.cwd())


@pytest.mark.parametrize(
    ("args", "stdin", "stdout", "mode"),
    [
        ([], True, True, "interactive"),
        (["hello"], True, True, "interactive"),
        (["--mode", "text"], True, True, "interactive"),
        (["-p"], True, True, "print"),
        ([], False, True, "print"),
        ([], True, False, "print"),
        (["--mode", "text"], False, False, "print"),
        (["--mode", "json"], True, True, "json"),
        (["--mode", "json", "-p"], False, False, "json"),
    ],
)
def test_mode(args: list[str], stdin: bool, stdout: bool, mode: str) -> None:
    assert resolve(*args, stdin=stdin, stdout=stdout).mode == mode


@pytest.mark.parametrize("stream", ["stdin", "stdout"])
def test_a_closed_stream_is_no_terminal(stream: str) -> None:
    with patch.multiple(sys, stdin=Stream(True), stdout=Stream(True)), patch.object(sys, stream, None):
        assert cli.resolve(parse([])).mode == "print"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--mode", "rpc"], "--mode rpc is not supported yet"),
        (["--mode", "xml"], "--mode is text, json or rpc, not xml"),
        (["--provider", "x"], "--provider needs --model beside it"),
        (["--api-key", "x"], "--api-key needs --model beside it"),
        (["--tools", "read,+bash"], "--tools takes either names"),
        (["@nowhere"], "File not found: "),
    ],
)
def test_what_cannot_be_done_is_said(args: list[str], message: str) -> None:
    with pytest.raises(CommandLineError, match=f"^{message}"):
        resolve(*args)


def test_every_option_arrives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "more.md").write_text("more")
    args = """
        --model m --provider p --api-key k --thinking high --system-prompt be --append-system-prompt more.md
        --append-system-prompt and -t read,,gr*, -xt c,d -nt -c --session s --session-dir d --no-session -nc -ne -ns -np
        --no-themes --no-mcp --offline --no-mouse one two
    """
    given = resolve(*args.split())
    assert given == Options(
        mode="interactive",
        cwd=tmp_path,
        messages=("one", "two"),
        model="m",
        provider="p",
        api_key="k",
        thinking="high",
        system_prompt="be",
        append_system_prompt=("more", "and"),
        no_context_files=True,
        tools=("read", "gr*"),
        exclude_tools=("c", "d"),
        no_tools=True,
        continue_=True,
        session="s",
        session_dir=tmp_path / "d",
        no_session=True,
        offline=True,
        no_mouse=True,
    )


@pytest.mark.parametrize(
    ("given", "tools"), [(" read , gr* ", ("read", "gr*")), ("+a,-b", ("+a", "-b")), ("", ()), ("*", ("*",))]
)
def test_tools(given: str, tools: tuple[str, ...]) -> None:
    assert resolve("--tools", given).tools == tools


def test_an_unknown_thinking_level_is_only_warned_about(capsys: pytest.CaptureFixture[str]) -> None:
    assert resolve("--thinking", "huge").thinking is None
    assert capsys.readouterr().err.startswith("Warning: --thinking huge is ignored; the levels are off, minimal")


def test_the_key_is_not_shown() -> None:
    assert "secret" not in repr(resolve("--model", "m", "--api-key", "secret"))


def test_messages_can_always_be_written_as_utf8() -> None:
    assert resolve("caf\udce9").messages == ("caf\ufffd",)


@pytest.fixture
def mode(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Options]]:
    """A print mode that only notes what it was given, and answers 7."""
    seen: list[Options] = []

    def run(options: Options) -> int:
        seen.append(options)
        warnings.warn("an SDK complains", DeprecationWarning, stacklevel=1)
        return 7

    module = types.ModuleType("fake_mode")
    vars(module)["run"] = run
    monkeypatch.setitem(sys.modules, "fake_mode", module)
    monkeypatch.setitem(cli.MODULES, "print", "fake_mode")
    with warnings.catch_warnings():
        yield seen
    gc.unfreeze()


def test_start_runs_the_mode_and_returns_its_code(mode: list[Options], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PI_OFFLINE", "")
    gc.disable()
    with patch("sys.stdin", None):
        assert cli.start(parse(["-p", "--offline", "hello"])) == 7
    assert gc.isenabled()
    assert [options.messages for options in mode] == [("hello",)]
    assert cli.os.environ["PI_OFFLINE"] == "1"
