"""Commands, test runs and git, for real where the programs are there, and from their recorded output."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from core.ai.demo.plan import Seen
from core.ai.demo.shell_plans import verdict
from tests.core.ai.demo.driver import Talk, write_files


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


async def test_run_tells_how_a_command_ended(tmp_path: Path) -> None:
    talk = Talk(write_files(tmp_path, {"say.sh": "echo from $1\n"}))
    assert await talk.ask("run echo hi") == "`echo hi` ended well. Its output:\n\n```\nhi\n```"
    assert "[Now all is well.]" in await talk.ask("run echo '[Now all is well.]'")
    assert await talk.ask("run true") == "`true` ended well and printed nothing."
    assert await talk.ask("run exit 3") == "`exit 3` failed with exit code 3; it printed nothing."
    assert (
        await talk.ask("run `echo a; exit 4`") == "`echo a; exit 4` failed with exit code 4. Its output:\n\n```\na\n```"
    )
    assert await talk.ask("run say.sh") == "`bash say.sh` ended well. Its output:\n\n```\nfrom\n```"


async def test_run_shows_the_end_of_a_long_output(tmp_path: Path) -> None:
    answer = await Talk(tmp_path).ask("run `seq 4000; exit 1`")
    assert answer.startswith(
        "`seq 4000; exit 1` failed with exit code 1. The last 30 lines of its output:\n\n```\n3971\n"
    )
    assert answer.endswith("\n4000\n```")


async def test_the_tests_of_a_python_project_are_run(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": '[project]\nname = "adder"\n',
        "tests/test_add.py": "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        pass\n",
    }
    talk = Talk(write_files(tmp_path, files))
    answer = await talk.ask("run the tests")
    assert talk.made == ["bash ls -Ap", "read pyproject.toml", "bash python3 -m unittest discover -s tests"]
    assert answer.startswith("`python3 -m unittest discover -s tests` ended well.\n\nThe runner says: `Ran 1 test in ")
    assert "`OK`" in answer


async def test_a_failing_test_run_is_told_as_such(tmp_path: Path) -> None:
    makefile = "all:\n\ttrue\ntest:\n\t@echo '--- FAIL: TestAdd (0.00s)'; echo 'FAIL adder 0.1s'; exit 2\n"
    talk = Talk(write_files(tmp_path, {"Makefile": makefile}))
    answer = await talk.ask("do the tests pass?")
    assert talk.made[-1] == "bash make test"
    assert answer.startswith("`make test` failed with exit code 2.")
    assert "Failed: `TestAdd`." in answer


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({"package.json": '{"scripts": {"test": "exit 0"}}'}, "npm test"),
        ({"package.json": '{"scripts": {"test": "exit 0"}}', "pnpm-lock.yaml": ""}, "pnpm test"),
        ({"pyproject.toml": "[tool.pytest.ini_options]\n", "tests/a": ""}, "python3 -m pytest"),
        ({"pyproject.toml": "[tool.pytest.ini_options]\n", ".venv/bin/x": ""}, ".venv/bin/python -m pytest"),
        ({"setup.py": "setup(tests_require=['pytest'])"}, "python3 -m pytest"),
        ({"Cargo.toml": '[package]\nname = "a"\n'}, "cargo test"),
        ({"go.mod": "module a\n"}, "go test ./..."),
        ({"Makefile": "check:\n\ttrue\n"}, "make check"),
        ({"Makefile": "test:\n\ttrue\n", "package.json": '{"scripts": {}}'}, "make test"),
    ],
)
async def test_the_manifest_names_the_test_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], command: str
) -> None:
    for name in ("npm", "pnpm", "python3", "cargo", "go", "make"):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text("#!/bin/sh\necho ran\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    talk = Talk(write_files(tmp_path / "project", files))
    answer = await talk.ask("run the tests")
    assert talk.calls[-1][1]["command"] == command
    assert answer.startswith(f"`{command}` ")


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "I found no manifest that I know, and nothing there tells how to run tests."),
        ({"package.json": "{}"}, "I read `package.json`, and nothing there tells how to run tests."),
        (
            {"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'},
            "I read `package.json`, and nothing there tells how to run tests.",
        ),
        ({"package.json": "{nope"}, "`package.json` could not be understood"),
    ],
)
async def test_without_a_test_command_nothing_is_run(tmp_path: Path, files: dict[str, str], said: str) -> None:
    talk = Talk(write_files(tmp_path, files))
    answer = await talk.ask("run the tests")
    assert said in answer
    assert len(talk.made) <= 2


@pytest.mark.parametrize(
    ("output", "failed", "facts"),
    [
        (
            "..F\nFAILED tests/a.py::test_b - assert 1\n== 1 failed, 2 passed in 0.10s ==",
            True,
            ["1 failed, 2 passed in 0.10s", "`tests/a.py::test_b`"],
        ),
        ("3 passed in 0.01s", False, ["`3 passed in 0.01s`"]),
        (
            "test a::b ... FAILED\ntest result: FAILED. 1 passed; 1 failed; 0 ignored",
            True,
            ["1 passed; 1 failed", "`a::b`"],
        ),
        ("ok  \tx/y\t0.01s\n?   \tx\t[no test files]", False, ["ok  	x/y	0.01s".split("\t")[0].strip()]),
        ("ℹ tests 2\nℹ pass 1\nℹ fail 1\n✖ adds (1.2ms)", True, ["`pass 1`", "`fail 1`", "`adds`"]),
        ("Tests:       1 failed, 3 passed, 4 total", True, ["1 failed, 3 passed, 4 total"]),
        ("  5 passing (10ms)", False, ["5 passing (10ms)"]),
        ("\x1b[32m2 passed\x1b[0m in 0.5s", False, ["`2 passed in 0.5s`"]),
        ("something else", False, ["something else"]),
        ("(no output)", False, ["It printed nothing."]),
    ],
)
def test_the_summary_of_a_runner_is_picked_out(output: str, failed: bool, facts: list[str]) -> None:
    text = f"{output}\n\nThe command ended with exit status 1." if failed else output
    answer = verdict("run", Seen.of(text, failed=failed))
    assert answer.startswith("`run` failed with exit code 1." if failed else "`run` ended well.")
    for fact in facts:
        assert fact in answer


@pytest.mark.needs_git
async def test_what_changed(tmp_path: Path) -> None:
    talk = Talk(write_files(tmp_path, {"a.txt": "one\n", "b.txt": "two\n"}))
    assert "not in a git repository" in await talk.ask("what changed?")
    git(tmp_path, "init", "-b", "main")
    assert "3 files" not in await talk.ask("what changed?")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "Begin")
    assert await talk.ask("what changed?") == "Nothing has changed on branch `main`: the working tree is clean."
    write_files(tmp_path, {"a.txt": "one\nmore\n", "c.txt": "new"})
    (tmp_path / "b.txt").unlink()
    git(tmp_path, "add", "b.txt")
    answer = await talk.ask("what changed?")
    assert answer.startswith("3 files on branch `main` differ from the last commit:\n\n")
    for row in ("- changed: `a.txt`", "- deleted and staged: `b.txt`", "- new, not yet known to git: `c.txt`"):
        assert row in answer
    assert "1 file changed, 1 insertion(+)" in answer
    assert "+more" in await talk.ask("show the diff")
    assert await talk.ask("show the diff of c.txt") == "There are no unstaged changes."
    assert "Begin" in await talk.ask("show the last 3 commits")


@pytest.mark.needs_git
async def test_a_repository_without_commits(tmp_path: Path) -> None:
    git(tmp_path, "init", "-b", "main")
    assert "there is no commit yet" in await Talk(tmp_path).ask("what changed?")
    answer = await Talk(write_files(tmp_path, {"a.txt": ""})).ask("what changed?")
    assert answer.startswith("1 file on branch `main` differs from the last commit:")
