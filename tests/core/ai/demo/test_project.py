"""Explaining projects of several kinds, from what is read there and from nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.ai.demo.driver import SAMPLE, Talk, write_files
from tests.core.ai.demo.projects import CARGO_WORKSPACE, GO, PYTHON, RUST

REQUEST = "List files in the current directory, then tell me what this project is."


async def explain(folder: Path, files: dict[str, str], request: str = "explain the project") -> tuple[Talk, str]:
    talk = Talk(write_files(folder, files))
    return talk, await talk.ask(request)


def reads(talk: Talk) -> list[str]:
    return [call for call in talk.made if call.startswith("read ")]


async def test_a_python_project(tmp_path: Path) -> None:
    talk, answer = await explain(tmp_path, PYTHON, REQUEST)
    assert reads(talk) == ["read pyproject.toml", "read README.md", "read src/tide_table/cli.py"]
    assert [len(reply.tool_calls) for reply in talk.replies] == [1, 3, 1, 0]
    assert answer.startswith(
        "**tide-table** 0.4.1 is a Python package with the command `tides`: “Prints the tides of a harbour”"
    )
    for fact in (
        "`README.md` says: “Tide table fetches the harmonic constituents of a harbour and prints high and low water",
        "`src/tide_table/cli.py` (the script `tides` (tide_table.cli:main)), 18 lines of Python",
        "The command line: parses the harbour's name and prints its tides.",
        "It defines `main` and `parse_arguments`.",
        "Python >=3.11",
        "3 dependencies (`httpx`, `rich` and `tomli`)",
        "2 more for development (`pytest` and `ruff`)",
        "License: MIT.",
        "`tides` once it is installed",
        "Test it: `python3 -m pytest`.",
        "`src/` (3 files)",
        "`tests/` (1 file)",
        "the rest I know by name only",
    ):
        assert fact in answer


async def test_a_rust_project(tmp_path: Path) -> None:
    talk, answer = await explain(tmp_path, RUST, REQUEST)
    assert reads(talk) == ["read Cargo.toml", "read src/bin/serve.rs"]
    assert "target" not in talk.calls[2][1]["command"].split(" -maxdepth")[0]
    assert answer.startswith("**lantern** 0.2.0 is a Rust library with a program: “Serves a folder over HTTP”")
    for fact in (
        "`src/bin/serve.rs` (the `[[bin]]` section for lantern), 14 lines of Rust",
        "Starts the server on the port that the command line names.",
        "It defines `Options` and `main`.",
        "It prints “listening”.",
        "edition 2021, Rust 1.74 or newer",
        "2 dependencies (`hyper` and `tokio`)",
        "`cargo run`",
        "`cargo test`",
    ):
        assert fact in answer
    assert "Copyright" not in answer


async def test_a_go_project(tmp_path: Path) -> None:
    talk, answer = await explain(tmp_path, GO, REQUEST)
    assert reads(talk) == ["read go.mod", "read README.md", "read cmd/ferry/main.go"]
    assert answer.startswith(
        "**example.org/ferry/v2** is a Go module with 2 commands: “Copies directory trees over SSH"
    )
    for fact in (
        "(`README.md` says so.)",
        "Command ferry copies directories between machines.",
        "It defines `options` and `main`.",
        "Go 1.22 or newer",
        "2 dependencies (`github.com/spf13/cobra` and `golang.org/x/sync`)",
        "`go run ./cmd/ferry`",
        "`go test ./...`",
    ):
        assert fact in answer
    assert "mousetrap" not in answer


async def test_a_node_package_whose_entry_is_built(tmp_path: Path) -> None:
    files = {
        "package.json": '{"main": "dist/index.js", "bin": {"kit": "./dist/cli.js"}, "scripts": {"test": "vitest"}}',
        "src/cli.ts": "/** Starts the kit. */\nexport async function run(): Promise<void> {}\n",
        "src/index.ts": "",
        "yarn.lock": "",
    }
    talk, answer = await explain(tmp_path, files)
    assert reads(talk) == ["read package.json", "read src/cli.ts"]
    assert "Starts the kit." in answer
    assert "It defines `run`." in answer
    assert "`yarn test`" in answer


async def test_a_cargo_workspace_tells_its_members(tmp_path: Path) -> None:
    talk, answer = await explain(tmp_path, CARGO_WORKSPACE)
    assert reads(talk) == ["read Cargo.toml", "read crates/cli/Cargo.toml", "read crates/core/Cargo.toml"]
    assert "- **orchard-core** (`crates/core/Cargo.toml`): Trees" in answer
    assert "- **orchard** (`crates/cli/Cargo.toml`): The command line" in answer


async def test_the_manifest_that_says_most_wins(tmp_path: Path) -> None:
    files = {**PYTHON, "package.json": '{"devDependencies": {"prettier": "3"}}'}
    _, answer = await explain(tmp_path, files)
    assert answer.startswith("**tide-table**")
    assert "It also has `package.json`." in answer


async def test_a_project_one_folder_down_is_found(tmp_path: Path) -> None:
    inner = {f"tide-0.4/{name}": text for name, text in PYTHON.items()}
    talk, answer = await explain(tmp_path, inner)
    assert "read tide-0.4/src/tide_table/cli.py" in talk.made
    assert answer.startswith("**tide-table** 0.4.1")
    assert "I read `tide-0.4/pyproject.toml`" in answer


async def test_only_a_readme(tmp_path: Path) -> None:
    _, answer = await explain(tmp_path, {"README.md": "# Notes\n\nThings that I want to keep.\n"})
    assert answer.startswith(
        "There is no manifest that I know here, but a `README.md`. Its `README.md` says: “Things that"
    )


async def test_only_loose_files(tmp_path: Path) -> None:
    talk, answer = await explain(tmp_path, {"main.py": '"""Counts words."""\n', "data.csv": "a,b\n"})
    assert reads(talk) == ["read main.py"]
    assert "neither a manifest that I know nor a README" in answer
    assert "Counts words." in answer


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"package.json": "{ not json"}, "`package.json` could not be understood"),
        ({"pyproject.toml": "[project\n"}, "`pyproject.toml` could not be understood"),
        ({"Cargo.toml": "= 1"}, "`Cargo.toml` could not be understood"),
        ({"go.mod": "go 1.22\n"}, "`go.mod` could not be understood (no module line)."),
        ({"package.json": "[]"}, "Node.js package"),
        ({"package.json": '{"name": 3, "bin": [1], "scripts": "x", "dependencies": null}'}, "Node.js package"),
        ({"pyproject.toml": 'project = 1\ntool = "x"\n'}, "Python project"),
        ({"Cargo.toml": 'package = "x"\nbin = 3\n'}, "Rust"),
        ({"setup.py": "from setuptools import setup\nsetup(name='old', version='1')\n"}, "**old** 1 is a Python"),
        ({"setup.cfg": "no section\n"}, "`setup.cfg` could not be understood"),
        ({"Makefile": "build:\n\tcc x.c\ntest: build\n\t./x\n"}, "Make targets: `build` and `test`."),
        (
            {
                "CMakeLists.txt": "project(ship VERSION 2.1)\nadd_executable(ship main.cpp)\n",
                "main.cpp": "int main() {\n}\n",
            },
            "**ship** 2.1",
        ),
        ({"pom.xml": "<project/>"}, "is a Java (Maven) project"),
        ({"composer.json": '{"name": "a/b", "type": "library"}'}, "**a/b** is a PHP library"),
    ],
)
async def test_odd_manifests_are_told_as_they_are(tmp_path: Path, files: dict[str, str], said: str) -> None:
    _, answer = await explain(tmp_path, files)
    assert said in answer


async def test_an_entry_point_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    talk, answer = await explain(tmp_path, {"package.json": '{"name": "x", "main": "lib/x.js"}'})
    assert reads(talk) == ["read package.json"]
    assert "Entry point: I found none of the files where it would be." in answer


async def test_a_manifest_that_is_cut_is_not_guessed_at(tmp_path: Path) -> None:
    padding = ",\n".join(f'"k{n}": {n}' for n in range(3000))
    _, answer = await explain(tmp_path, {"package.json": '{"name": "x",\n' + padding + "}"})
    assert "`package.json` could not be understood" in answer


async def test_a_folder_with_very_many_files(tmp_path: Path) -> None:
    many = {f"data/f{n:04}.txt": "" for n in range(600)}
    talk, answer = await explain(tmp_path, {**PYTHON, **many})
    assert answer.startswith("**tide-table**")
    assert "read src/tide_table/cli.py" in talk.made
    assert "`data/`" in answer
    assert "400" not in answer


async def test_without_a_shell_the_listing_tool_is_used(tmp_path: Path) -> None:
    talk = Talk(write_files(tmp_path, SAMPLE), tools=("read",))
    assert "I need the `bash` tool" in await talk.ask("explain the project")


async def test_nothing_that_was_read_can_break_out_of_the_answer(tmp_path: Path) -> None:
    hostile = "`**x**`\n\n# Heading\n\n- list"
    files = {
        "package.json": '{"name": "x", "description": ' + repr(hostile).replace("'", '"') + ', "main": "a.js"}',
        "a.js": "// ```\n",
    }
    _, answer = await explain(tmp_path, files)
    assert "\n# Heading" not in answer
    assert "\n- list" not in answer
