"""The start of the process, through the real `pi` script."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core import __version__
from pi_tui import boot


def test_version_is_bare(run_pi) -> None:
    for flag in ("--version", "-v"):
        done = run_pi(flag)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"{__version__}\n", "")


def test_help(run_pi) -> None:
    done = run_pi("--help", "--bogus")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("pi: a coding agent in your terminal\n\nUsage: pi [options]")


def test_a_mistake_is_one_line_and_code_1(run_pi) -> None:
    done = run_pi("--bogus")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "Unknown option: --bogus\n")


def test_a_deleted_directory_is_told_plainly(pi_shim: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    done = subprocess.run(
        ["/bin/sh", "-c", 'cd "$1" && rmdir "$1" && exec "$2" -p hello', "sh", gone, pi_shim],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith("The current directory no longer exists: change to another one and start pi there\n")
    assert "Traceback" not in done.stderr


def test_a_reader_that_went_away_is_no_error(pi_shim: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as stdout:
        done = subprocess.run([pi_shim, "--help"], stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (boot.READER_GONE, "")


def test_ctrl_c_before_a_mode_runs_ends_quietly(pi_shim: Path) -> None:
    process = subprocess.Popen([pi_shim, "-p"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until_reading_stdin(process.pid)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=10)[1] == ""
    assert process.returncode == boot.INTERRUPTED


def wait_until_reading_stdin(pid: int) -> None:
    """Returns when the process sleeps in the read of its piped stdin (the kernel says so where /proc has it)."""
    waiting = Path(f"/proc/{pid}/wchan")
    if not waiting.exists():
        pytest.skip("needs /proc/PID/wchan to know when the program waits")
    while "pipe_read" not in waiting.read_text():
        assert Path(f"/proc/{pid}").exists()


@pytest.mark.parametrize("link", ["absolute", "relative", "chain"])
def test_the_script_follows_its_own_links(link: str, pi_shim: Path, tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    name = folder / "pi"
    if link == "absolute":
        name.symlink_to(pi_shim)
    elif link == "relative":
        name.symlink_to(os.path.relpath(pi_shim, folder))
    else:
        (tmp_path / "other pi").symlink_to(pi_shim)
        name.symlink_to("../other pi")
    env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    for command in ([str(name)], ["pi"], ["/bin/sh", str(name)]):
        done = subprocess.run([*command, "--version"], env=env, capture_output=True, text=True, check=False)
        assert (done.stdout, done.stderr) == (f"{__version__}\n", ""), command


def test_a_script_without_its_python_says_what_to_do(pi_shim: Path, tmp_path: Path) -> None:
    lost = tmp_path / "pi"
    lost.write_bytes(pi_shim.read_bytes())
    lost.chmod(0o755)
    done = subprocess.run([lost], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"pi: no Python beside {lost}: install pi in an environment of its own")


def test_text_is_utf8_whatever_the_locale_says(run_pi) -> None:
    done = run_pi("--grün", env={"LC_ALL": "C", "LANG": "C", "PYTHONIOENCODING": "latin-1"})
    assert done.stderr == "Unknown option: --grün\n"


@pytest.mark.parametrize("isolated", [True, False])
def test_the_current_directory_leaves_the_path(isolated: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = str(Path(boot.__file__).parents[1])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", ".", str(tmp_path), "/usr/lib", own])
    monkeypatch.setattr(sys, "flags", type("Flags", (), {"isolated": isolated}))
    boot.forget_current_directory()
    assert sys.path == (["", ".", str(tmp_path), "/usr/lib", own] if isolated else ["/usr/lib", own])


def test_our_own_source_tree_stays_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    own = str(Path(boot.__file__).parents[1])
    monkeypatch.chdir(own)
    monkeypatch.setattr(sys, "path", ["", own])
    monkeypatch.setattr(sys, "flags", type("Flags", (), {"isolated": False}))
    boot.forget_current_directory()
    assert sys.path == [own]


def test_an_old_python_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 1))
    with pytest.raises(SystemExit, match=r"^pi needs Python 3\.11 or newer, this is "):
        boot.main()
