"""Reading, listing, searching and summarising real files, and what is said when that does not work."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.ai.demo.driver import SAMPLE, Talk, write_files


async def test_read_shows_the_file(tmp_path: Path) -> None:
    talk = Talk(write_files(tmp_path, {"a.py": "x = 1\n", "b.md": "say:\n```sh\nls\n```\n"}))
    answer = await talk.ask("read a.py and b.md")
    assert talk.made == ["read a.py", "read b.md"]
    assert len(talk.replies[0].tool_calls) == 2
    assert "`a.py` has 1 line:\n\n```python\nx = 1\n```" in answer
    assert "`b.md` has 4 lines:\n\n````markdown\nsay:\n```sh\nls\n```\n````" in answer


async def test_a_long_file_shows_its_start(tmp_path: Path) -> None:
    talk = Talk(write_files(tmp_path, {"a.txt": "".join(f"line {n}\n" for n in range(1, 101))}))
    answer = await talk.ask("read a.txt")
    assert answer.startswith("`a.txt` has 100 lines; the first 40:")
    assert "line 40\n```" in answer
    assert "`show lines 41-80 of a.txt`" in answer
    assert "line 41" in await talk.ask("show lines 41-80 of a.txt")


async def test_a_file_that_the_tool_cuts_is_said_to_be_longer(tmp_path: Path) -> None:
    talk = Talk(write_files(tmp_path, {"a.txt": "word\n" * 5000}))
    assert (await talk.ask("read a.txt")).startswith("`a.txt` has more than 2,000 lines; the first 40:")
    assert "more than 2,000 lines (I saw only the first)" in await talk.ask("summarise a.txt")


async def test_a_file_that_is_not_there_is_told_with_names_like_it(tmp_path: Path) -> None:
    talk = Talk(write_files(tmp_path, {"src/config.py": "", "src/confirm.py": ""}))
    answer = await talk.ask("read src/confi.py")
    assert talk.made == ["read src/confi.py", "bash ls -Ap -- src"]
    assert answer.startswith("There is no file `src/confi.py` here. Near that name: ")
    assert "`src/config.py`" in answer


async def test_another_spelling_of_a_name_is_found(tmp_path: Path) -> None:
    talk = Talk(write_files(tmp_path, {"README.md": "# T\n\nHello there you.\n"}))
    answer = await talk.ask("read the readme")
    assert talk.made == ["read readme", "bash ls -Ap", "read README.md"]
    assert "`README.md` has 3 lines" in answer


async def test_nothing_like_the_name(tmp_path: Path) -> None:
    assert await Talk(tmp_path).ask("read a.txt") == "There is no file `a.txt` here."


async def test_a_folder_is_listed_instead(tmp_path: Path) -> None:
    talk = Talk(write_files(tmp_path, {"src/a.py": "", "src/deep/b.py": ""}))
    assert await talk.ask("read src") == "In `src` are 1 folder and 1 file: `deep/` and `a.py`."


async def test_empty_and_blank_and_binary_files(tmp_path: Path) -> None:
    (tmp_path / "data.bin").write_bytes(bytes(range(256)) * 40)
    talk = Talk(write_files(tmp_path, {"empty.txt": "", "blank.txt": "\n\n"}))
    assert await talk.ask("read empty.txt") == "`empty.txt` is empty."
    assert await talk.ask("read blank.txt") == "`blank.txt` holds only blank lines."
    answer = await talk.ask("read data.bin")
    assert answer.startswith("`data.bin` cannot be shown. The tool says: ")
    assert "not text" in answer
    assert "```" not in answer


async def test_lines_that_are_not_there(tmp_path: Path) -> None:
    talk = Talk(write_files(tmp_path, {"a.txt": "one\ntwo\nthree\n"}))
    answer = await talk.ask("show lines 2-9 of a.txt")
    assert answer.startswith("Lines 2-3 of `a.txt`:\n\n```\ntwo\nthree\n```")
    assert "no more after line 3" in answer
    assert (await talk.ask("show line 2 of a.txt")).startswith("Line 2 of `a.txt`:\n\n```\ntwo\n```")
    assert (await talk.ask("show lines 50-60 of a.txt")).startswith("I could not read lines 50-60 of `a.txt`: ")
    assert await talk.ask("the last 2 lines of a.txt") == "The last 2 lines of `a.txt`:\n\n```\ntwo\nthree\n```"
    assert (await talk.ask("the last 2 lines of nope.txt")).startswith("There is no file `nope.txt` here.")


async def test_list_names_folders_first(tmp_path: Path) -> None:
    talk = Talk(write_files(tmp_path, {"b.txt": "", "a.txt": "", "src/x": "", ".hidden": ""}))
    assert await talk.ask("list files") == "Here are 1 folder and 3 files: `src/`, `.hidden`, `a.txt` and `b.txt`."
    assert await talk.ask("list files of src") == "In `src` is 1 file: `x`."
    assert (await talk.ask("list files of nope")).startswith("I could not list `nope`: ")


async def test_an_empty_folder(tmp_path: Path) -> None:
    talk = Talk(tmp_path)
    assert await talk.ask("list files") == "Here there is nothing: the folder is empty."
    assert (await talk.ask("explain the project")).startswith("This folder is empty")


async def test_search_shows_places(tmp_path: Path) -> None:
    files = {
        "a.py": "import os\nOS = 1\n",
        "src/b.py": "x = 'os'\n",
        "node_modules/c.js": "os",
        ".cache/d.py": "os",
        "bin": "os\0os",
    }
    talk = Talk(write_files(tmp_path, files))
    answer = await talk.ask("search os")
    assert answer == (
        "`os` is in this folder on 3 lines in 2 files:\n\n"
        "- `a.py:1` `import os`\n- `a.py:2` `OS = 1`\n- `src/b.py:1` `x = 'os'`"
    )
    assert (await talk.ask("search OS in a.py")).startswith("`OS` is in `a.py` on 1 line in 1 file:\n\n- `a.py:2` ")
    assert await talk.ask("search nothing like it") == (
        "I found no `nothing like it` in this folder, whatever the case of the letters."
    )
    assert (await talk.ask("search os in nope")).startswith("The search failed: grep: nope: ")


async def test_search_counts_what_it_does_not_show(tmp_path: Path) -> None:
    talk = Talk(write_files(tmp_path, {"a.txt": "hit\n" * 30, "b.txt": "hit\n" * 400}))
    answer = await talk.ask("search hit in a.txt")
    assert "on 30 lines in 1 file" in answer
    assert answer.endswith("- … and 18 more")
    assert "on at least 200 lines in 2 files" in await talk.ask("search hit")


async def test_find_by_name(tmp_path: Path) -> None:
    talk = Talk(
        write_files(tmp_path, {"a.py": "", "src/b.py": "", "c.txt": "", "node_modules/d.py": "", ".x/e.py": ""})
    )
    assert await talk.ask("find *.py") == "2 names like `*.py`: `a.py` and `src/b.py`."
    assert await talk.ask("find files named zzz") == "Nothing here has a name like `*zzz*`."


@pytest.mark.parametrize(
    ("name", "text", "facts"),
    [
        (
            "a.py",
            '"""Adds numbers."""\n\ndef add(a, b):\n    return a + b\n',
            ["Python, 4 lines", "Adds numbers.", "`add`"],
        ),
        (
            "a.md",
            "# Title\n\n![b](c)\n\nWhat it is for.\n\n## Use\n",
            ["Markdown", "What it is for.", "`Title` and `Use`"],
        ),
        ("a.json", '{"b": 1, "c": [2]}', ["JSON, 1 line", "Its keys: `b` and `c`."]),
        ("a.csv", "id,name\n1,x\n", ["CSV, 2 lines", "Its columns: `id` and `name`."]),
        ("a.xyz", "some words\n", ["a text file, 1 line", "first line is `some words`"]),
    ],
)
async def test_a_summary_tells_what_a_file_says_of_itself(
    tmp_path: Path, name: str, text: str, facts: list[str]
) -> None:
    answer = await Talk(write_files(tmp_path, {name: text})).ask(f"summarise {name}")
    for fact in facts:
        assert fact in answer


async def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").symlink_to("a.txt")
    assert (await Talk(tmp_path).ask("read a.txt")).startswith("I could not read `a.txt`: ")


async def test_a_result_is_used_again_within_a_request_but_not_after_a_change(tmp_path: Path) -> None:
    talk = Talk(write_files(tmp_path, SAMPLE))
    await talk.ask("list files; list files; run touch new.txt; list files")
    assert talk.made == ["bash ls -Ap", "bash touch new.txt", "bash ls -Ap"]
    assert "`new.txt`" in talk.replies[-1].text
