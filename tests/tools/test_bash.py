import asyncio
import os
import re
import stat
import time
from itertools import pairwise
from pathlib import Path

import pytest

from core.agent.tools import ToolResult
from core.ai.wire import Json
from tests.tools.bench import Bench
from tests.tools.processes import end, running, until, working_in
from tools.details import BashDetails

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


def take_file(result: ToolResult) -> bytes:
    """Return what is in the file of a long output, and remove it."""
    path = Path(result.details["fullOutputPath"])
    data = path.read_bytes()
    path.unlink()
    return data


async def test_output_and_success(bench: Bench):
    result = await bench.run("bash", command="echo out; echo err >&2; echo out")
    assert (result.plain_text, result.is_error, result.details) == ("out\nerr\nout\n", None, None)
    assert result.structured_content["output"] == "out\nerr\nout\n"
    assert result.structured_content["truncated"] is False
    assert result.structured_content["exit_code"] == 0
    assert isinstance(result.structured_content["wall_time_seconds"], float)


@pytest.mark.parametrize(
    ("command", "status", "words"),
    [
        ("echo kept; exit 3", 3, "kept"),
        ("/dev/null", 126, "ermission denied"),
        ("nosuchcommand", 127, "not found"),
        ("if", 2, "syntax error"),
        ("kill -SEGV $$", 139, "SIGSEGV"),
        ("echo kept; kill -TERM $$", 143, "SIGTERM"),
        ("kill -9 $$", 137, "SIGKILL"),
        ("bash -c 'kill -9 $$'; exit $?", 137, "SIGKILL"),
    ],
)
async def test_failures_keep_the_output_and_tell_the_status(bench: Bench, command: str, status: int, words: str):
    # E77, E78
    result = await bench.run("bash", command=command)
    assert result.is_error
    assert words in result.plain_text
    assert f"exit status {status}" in result.plain_text
    assert result.structured_content["exit_code"] == status


@pytest.mark.parametrize("command", ["", "# nothing", "true", "printf '\\r\\n'", "echo '   '"])
async def test_without_output_there_is_a_placeholder(bench: Bench, command: str):
    # E77, S21
    assert await bench.text("bash", command=command) == "(no output)"


async def test_missing_directory_and_shell(tmp_path: Path):
    # E75, S23
    bench = Bench(tmp_path / "gone")
    assert f"The working directory {tmp_path}/gone does not exist" in await bench.error("bash", command="true")
    bench = Bench(tmp_path, shell="/no/shell")
    assert "/no/shell: there is no such file" in await bench.error("bash", command="true")
    (tmp_path / "shell").write_text("#!/bin/sh\necho mine: $2\n")
    (tmp_path / "shell").chmod(0o755)
    bench = Bench(tmp_path, shell=str(tmp_path / "shell"))
    assert await bench.text("bash", command="x y") == "mine: x y\n"


async def test_nothing_waits_for_input(bench: Bench):
    # E76, S05
    began = time.monotonic()
    assert await bench.text("bash", command="cat; read x; echo $?; wc -c") == "1\n0\n"
    assert "exit status 1" in await bench.error("bash", command="read x </dev/tty")
    assert time.monotonic() - began < 3


async def test_state_does_not_last(bench: Bench):
    # E99
    await bench.text("bash", command="cd /; export MARK=1; f() { echo; }")
    assert (
        await bench.text("bash", command="pwd; echo [$MARK]; type f 2>/dev/null || echo no") == f"{bench.cwd}\n[]\nno\n"
    )


async def test_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    # E100, E104
    for name in ("PI_SESSION_ID", "PI_SESSION_FILE", "PI_PROVIDER"):
        monkeypatch.setenv(name, "of the parent")
    monkeypatch.setenv("PAGER", "less")
    monkeypatch.setenv("MINE", "kept")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("CI", raising=False)
    bench = Bench(tmp_path, session_env=lambda: {"PI_SESSION_ID": "new", "PI_SESSION_FILE": "", "PI_MODEL": "m"})
    names = "AI_AGENT PI_CODING_AGENT PAGER GIT_PAGER GIT_TERMINAL_PROMPT MINE NO_COLOR LC_ALL CI EDITOR"
    names += " PI_SESSION_ID PI_SESSION_FILE PI_PROVIDER PI_MODEL PI_REASONING_LEVEL PYTHONPATH"
    text = await bench.text("bash", command=f"for n in {names}; do echo $n=${{!n-unset}}; done")
    assert text.split() == [
        *["AI_AGENT=pi", "PI_CODING_AGENT=true", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0", "MINE=kept"],
        *["NO_COLOR=1", "LC_ALL=C.UTF-8", "CI=unset", "EDITOR=unset", "PI_SESSION_ID=new", "PI_SESSION_FILE=unset"],
        *["PI_PROVIDER=unset", "PI_MODEL=m", "PI_REASONING_LEVEL=unset", "PYTHONPATH=unset"],
    ]


@needs_proc
async def test_signals_and_descriptors_are_those_of_a_fresh_shell(bench: Bench):
    text = await bench.text("bash", command="ls /proc/self/fd | tr '\\n' ' '; grep -E 'Sig(Ign|Blk)' /proc/self/status")
    *descriptors, _, blocked, _, ignored = text.split()
    assert descriptors == ["0", "1", "2", "3"]
    own = ~(0b11 << 31)  # signals 32 and 33 belong to the C library: whoever started us left them as they are
    assert [int(mask, 16) & own for mask in (blocked, ignored)] == [0, 0]
    assert await bench.text("bash", command="yes | head -1; echo ${PIPESTATUS[0]}") == "y\n141\n"


async def test_a_process_in_the_background_does_not_hold_the_call(bench: Bench):
    # E79, S01
    began = time.monotonic()
    text = await bench.text("bash", command="sleep 100 & echo hi $!")
    assert time.monotonic() - began < 2
    pid = int(text.split()[1])
    try:
        assert f"[Still running in the background: sleep (pid {pid})" in text
        assert running(pid)
    finally:
        end(pid)


async def test_output_to_elsewhere_needs_no_waiting(bench: Bench):
    text = await bench.text("bash", command="sleep 100 >/dev/null 2>&1 & echo $!")
    pid = int(text.split()[0])
    assert text == f"{pid}\n\n[Still running in the background: sleep (pid {pid}).]"
    end(pid)


async def test_a_process_in_the_background_goes_on_writing(bench: Bench):
    # E80
    text = await bench.text("bash", command="(read -t 0.4 <> <(:); echo late; touch f) & echo now")
    match = re.search(r"Its further output goes to (\S+)\.\]", text)
    assert match is not None
    await until((bench.cwd / "f").exists)
    await until(lambda: Path(match[1]).read_text() == "now\nlate\n")
    os.unlink(match[1])


@pytest.mark.parametrize(
    "command",
    ["exec > >(tee -a f) 2>&1; echo hi", "echo hi; exec 1>&- 2>&-; exit 0", "(read -t 0.05 <> <(:); echo hi) & true"],
)
async def test_output_that_comes_right_after_the_end_is_kept(bench: Bench, command: str):
    # E81, S03
    assert (await bench.text("bash", command=command)).startswith("hi\n")


async def test_a_background_that_goes_on_writing_is_left_alone(bench: Bench):
    # E82: the call ends with the shell, whatever still writes.
    began = time.monotonic()
    text = await bench.text("bash", command="(while echo x; do read -t 0.01 <> <(:); done) & echo $!")
    assert time.monotonic() - began < 4
    pid = int(next(line for line in text.split("\n") if line.isdigit()))
    assert running(pid)
    end(pid)
    file = BashDetails.model_validate((await bench.run("bash", command="seq 3000")).details).full_output_path
    assert file is not None
    os.unlink(file)


@needs_proc
@pytest.mark.parametrize(
    "command",
    [
        "echo kept; sleep 300 & sleep 300",
        "echo kept; setsid sleep 300; true",
        "echo kept; trap '' TERM; sleep 300; true",
        "echo kept; sh -c 'sleep 300 & wait'",
        "echo kept; (setsid sh -c 'trap \"\" TERM; sleep 300; sleep 300' &) ; sleep 300",
        "echo kept; sleep 300 & kill -STOP $! $$",
        "echo kept; sleep 300; touch went-on",
    ],
)
async def test_an_abort_ends_the_whole_tree_at_once(bench: Bench, command: str):
    # E84, E85, S07
    task = bench.begin("bash", command=f"echo $$ > pid; {command}")
    await until(lambda: any("kept" in update.plain_text for update in bench.updates))
    shell = int((bench.cwd / "pid").read_text())
    await until(lambda: len(working_in(bench.cwd)) > 1)
    tree = working_in(bench.cwd)
    began = time.monotonic()
    bench.signal.abort()
    result = await task
    assert time.monotonic() - began < 1
    assert result.is_error
    assert result.plain_text == "kept\n\nThe command was aborted."
    assert shell in tree
    assert len(tree) > 1
    assert not [pid for pid in tree if running(pid)]
    assert not (bench.cwd / "went-on").exists()


async def test_a_timeout_keeps_the_output(bench: Bench):
    # E83, S11
    began = time.monotonic()
    result = await bench.run("bash", command="echo one; echo two; setsid sleep 100; true", timeout=0.3)
    assert time.monotonic() - began < 2
    assert result.plain_text == "one\ntwo\n\nThe command timed out after 0.3 seconds and was ended."
    assert result.is_error


async def test_after_a_timeout_the_command_may_clean_up(bench: Bench):
    command = "trap 'echo cleaning; exit 0' TERM; while :; do read -t 0.05 <> <(:); done"
    result = await bench.run("bash", command=command, timeout=0.3)
    assert result.plain_text.startswith("cleaning\n")
    assert result.is_error


@pytest.mark.parametrize("timeout", [0, -1, 1e10, 2_147_484])
async def test_timeouts_that_make_no_sense(bench: Bench, timeout: float):
    # E87, S13
    assert "timeout must be more than 0 and at most" in await bench.error("bash", command="touch f", timeout=timeout)
    assert not (bench.cwd / "f").exists()


@pytest.mark.parametrize("arguments", [{"timeout": "5"}, {"timeout": None}, {"timeout": ""}, {"timeout_seconds": 5}])
async def test_timeouts_that_do(bench: Bench, arguments: dict[str, Json]):
    # E87
    assert await bench.text("bash", cmd="echo ok", **arguments) == "ok\n"


async def test_a_long_output_is_cut_and_saved(bench: Bench):
    # E88, E89, S27
    result = await bench.run("bash", command="seq 3000")
    details = BashDetails.model_validate(result.details)
    assert details.truncation is not None
    assert details.full_output_path is not None
    assert (details.truncation.total_lines, details.truncation.output_lines) == (3000, 2000)
    assert result.plain_text.endswith(
        "\n3000\n\n[2000 of 3000 lines are shown, 9.5KB of 13.6KB; all of it is in "
        f"{details.full_output_path}, to be read in parts with offset and limit.]"
    )
    assert result.plain_text.count(details.full_output_path) == 1
    assert result.structured_content["full_output_path"] == details.full_output_path
    assert stat.S_IMODE(os.stat(details.full_output_path).st_mode) == 0o600
    text = await bench.text("read", path=details.full_output_path, offset=1500, limit=1)
    assert text.startswith("1500\n")
    os.unlink(details.full_output_path)


async def test_a_giant_last_line_is_shown_in_part(bench: Bench):
    # E90, E98
    result = await bench.run("bash", command="echo a; head -c 300000 /dev/zero | tr '\\0' x")
    assert "[The output has 2 lines, 293.0KB; of the last line only the last 50.0KB are shown; all" in result.plain_text
    take_file(result)


async def test_clean_text_for_the_model_and_raw_bytes_in_the_file(bench: Bench):
    # E94
    command = "for i in $(seq 2500); do printf '\\033[3%dm%d\\033[0m\\n' 1 $i; done"
    result = await bench.run("bash", command=command)
    assert result.plain_text.startswith("1\n2\n")
    assert take_file(result).startswith(b"\x1b[31m1\x1b[0m\n")


async def test_binary_output_is_named(bench: Bench):
    # E95
    result = await bench.run("bash", command="head -c 5000 /dev/zero")
    assert result.plain_text.startswith("[Binary output, 4.9KB, not shown as text.")
    assert "[The output is not text; all of it is in" in result.plain_text
    take_file(result)


async def test_updates_show_the_growing_output_at_intervals(bench: Bench):
    # E96
    times: list[float] = []
    task = bench.begin("bash", command="for i in $(seq 40); do echo $i; read -t 0.02 <> <(:); done; true")
    updates, seen = bench.updates, 0
    while not task.done():
        await asyncio.wait([task], timeout=0.005)
        times += [time.monotonic()] * (len(updates) - seen)
        seen = len(updates)
    result = await task
    assert updates[0].content == ()
    assert updates[1].plain_text.startswith("1\n")
    assert updates[-1].plain_text == result.plain_text
    gaps = [later - earlier for earlier, later in pairwise(times[1:-1])]
    assert len(gaps) >= 4
    assert min(gaps) > 0.08
    count = len(updates)
    await asyncio.sleep(0)
    assert len(updates) == count


async def test_long_commands_and_those_with_nul(bench: Bench):
    # E97
    command = "x=" + "a" * 200_000 + "; echo ${#x}; cat; exit 4"
    result = await bench.run("bash", command=command)
    assert result.plain_text == "200000\n\nThe command ended with exit status 4."
    assert "NUL" in await bench.error("bash", command="echo a\0b")


async def test_two_commands_run_together_and_do_not_mix(bench: Bench):
    # E101
    os.mkfifo(bench.cwd / "one")
    os.mkfifo(bench.cwd / "two")
    first = bench.begin("bash", command="echo from-1 > one; cat two")
    second = bench.begin("bash", command="cat one; echo from-2 > two")
    results = await asyncio.gather(first, second)
    assert [result.plain_text for result in results] == ["from-2\n", "from-1\n"]


async def test_a_batch_equals_one_call_after_the_other(bench: Bench):
    # The batch of the architecture: an edit, a command that looks at the file, another edit.
    (bench.cwd / "a").write_text("1\n")
    tasks = [
        bench.begin("edit", path="a", edits=[{"oldText": "1", "newText": "2"}]),
        bench.begin("bash", command="cat a; echo changed >> a"),
        bench.begin("bash", command="cat b 2>/dev/null || echo none"),
        bench.begin("edit", path="a", edits=[{"oldText": "2\nchanged", "newText": "3"}]),
        bench.begin("write", path="b", content="new\n"),
        bench.begin("bash", command="cat a b"),
    ]
    results = await asyncio.gather(*reversed(tasks))
    texts = [result.plain_text for result in reversed(results)]
    assert [texts[1], texts[2], texts[5]] == ["2\n", "none\n", "3\nnew\n"]
    assert len(bench.lock) == 0


async def test_an_aborted_call_that_waits_never_runs(bench: Bench):
    held = bench.lock.reserve_write(str(bench.cwd / "a"))
    await held.acquire()
    task = bench.begin("bash", command="touch f")
    bench.signal.abort()
    held.release()
    assert "aborted before" in (await task).plain_text
    assert not (bench.cwd / "f").exists()


async def test_a_cancelled_call_leaves_nothing(bench: Bench):
    task = bench.begin("bash", command="echo $$; sleep 300; true")
    await until(lambda: len(bench.updates) > 1)
    pid = int(bench.updates[-1].plain_text)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: not running(pid))


async def test_a_call_cancelled_after_an_abort_keeps_its_output(bench: Bench):
    # S11: the run cancels a tool that takes too long to end after an abort.
    task = bench.begin("bash", command="trap '' TERM; echo kept; sleep 300; true")
    await until(lambda: len(bench.updates) > 1)
    bench.signal.abort()
    task.cancel()
    result = await task
    assert result.plain_text == "kept\n\nThe command was aborted."


async def test_the_loop_stays_awake_during_a_flood(bench: Bench):
    # E91
    task = bench.begin("bash", command="yes | head -c 30M")
    worst, last = 0.0, time.monotonic()
    while not task.done():
        await asyncio.wait([task], timeout=0.005)
        now = time.monotonic()
        worst, last = max(worst, now - last), now
    result = await task
    assert result.details["truncation"]["totalBytes"] == 30 * 1024 * 1024
    take_file(result)
    assert worst < 0.25
