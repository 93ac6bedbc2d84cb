"""Files that are created, overwritten and edited for real."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from core.ai.demo.change_plans import unique_edits
from tests.core.ai.demo.driver import Talk, write_files


async def test_create_writes_a_file(tmp_path: Path) -> None:
    talk = Talk(tmp_path)
    assert await talk.ask("create notes/a.txt with hello") == "Done: `notes/a.txt` now holds 1 line, 6 bytes."
    assert (tmp_path / "notes/a.txt").read_text() == "hello\n"
    assert talk.made == ["bash [ -e notes/a.txt ] && echo there || echo free", "write notes/a.txt"]
    assert await talk.ask("create an empty file b.txt") == "Done: `b.txt` now holds nothing (an empty file)."
    assert (tmp_path / "b.txt").read_text() == ""


async def test_create_does_not_write_over_a_file(tmp_path: Path) -> None:
    talk = Talk(write_files(tmp_path, {"a.txt": "precious\n"}))
    answer = await talk.ask("create a.txt with hello")
    assert answer.startswith("There is a `a.txt` already, so I wrote nothing. Say `overwrite a.txt with …`")
    assert (tmp_path / "a.txt").read_text() == "precious\n"
    assert await talk.ask("overwrite a.txt with hello") == "Done: `a.txt` now holds 1 line, 6 bytes."
    assert talk.made == ["read a.txt", "write a.txt"]
    assert (tmp_path / "a.txt").read_text() == "hello\n"


async def test_create_without_a_shell_looks_by_reading(tmp_path: Path) -> None:
    talk = Talk(write_files(tmp_path, {"a.txt": "precious\n"}), tools=("read", "write"))
    assert (await talk.ask("create a.txt with hello")).startswith("There is a `a.txt` already")
    assert (await talk.ask("create b.txt with hello")).startswith("Done")
    assert talk.made == ["read b.txt", "write b.txt"]


async def test_create_where_nothing_can_be_written(tmp_path: Path) -> None:
    talk = Talk(write_files(tmp_path, {"a": "file"}))
    assert (await talk.ask("create a/b.txt with hello")).startswith("`a/b.txt` was not written: ")
    assert (tmp_path / "a").read_text() == "file"


async def test_replace_changes_the_one_place(tmp_path: Path) -> None:
    talk = Talk(write_files(tmp_path, {"a.py": "x = 1\ny = x + one\n"}))
    answer = await talk.ask("replace one with two in a.py")
    assert talk.made == ["read a.py", "edit a.py"]
    assert answer == "Done: I replaced `one` with `two` in `a.py`, line 2."
    assert (tmp_path / "a.py").read_text() == "x = 1\ny = x + two\n"


async def test_replace_asks_which_place_is_meant(tmp_path: Path) -> None:
    text = "a = 1\nb = 2\na = 3\n"
    talk = Talk(write_files(tmp_path, {"x.py": text}))
    answer = await talk.ask('replace "a =" with "c =" in x.py')
    assert "2 times (lines 1 and 3). I changed nothing." in answer
    assert (tmp_path / "x.py").read_text() == text
    assert await talk.ask('replace "a =" with "c =" in line 3 of x.py') == (
        "Done: I replaced `a =` with `c =` in `x.py`, line 3."
    )
    assert (tmp_path / "x.py").read_text() == "a = 1\nb = 2\nc = 3\n"


async def test_replace_all(tmp_path: Path) -> None:
    talk = Talk(write_files(tmp_path, {"x.py": "foo(foo)\nbar\nfoo(foo)\n\nfoo\n"}))
    assert await talk.ask("replace all foo with baz in x.py") == (
        "Done: I replaced `foo` with `baz` in `x.py`, lines 1, 3 and 5."
    )
    assert (tmp_path / "x.py").read_text() == "baz(baz)\nbar\nbaz(baz)\n\nbaz\n"


async def test_replace_what_is_not_there(tmp_path: Path) -> None:
    talk = Talk(write_files(tmp_path, {"x.py": "Foo\n"}))
    assert await talk.ask("replace foo with bar in x.py") == (
        "There is no `foo` in `x.py`. There is `Foo`, though. I changed nothing."
    )
    assert talk.made == ["read x.py"]
    assert (await talk.ask("replace foo with bar in y.py")).startswith("I could not read `y.py`: ")
    assert (await talk.ask("replace foo with foo in x.py")).startswith("There is nothing to do")


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("a\na\na\n", "a", "b"),
        ("aa\naa", "aa", "a"),
        ("x y\nx y\nx z\n", "x", "longer\nand two"),
        ("same\nsame\n" * 6, "same", "other"),
        ("one", "one", ""),
        ("\n\na\n\n\na\n\n", "a", "b"),
        ("é é\n", "é", "e"),
    ],
)
def test_edits_are_unique_do_not_overlap_and_change_all(text: str, old: str, new: str) -> None:
    places = [index for index in range(len(text)) if text.startswith(old, index)]
    places = [place for n, place in enumerate(places) if n == 0 or place >= places[n - 1] + len(old)]
    edits = unique_edits(text, places, old, new)
    spans = []
    changed = text
    for edit in edits:
        before, after = edit["oldText"], edit["newText"]
        assert text.count(before) == 1
        spans.append((text.index(before), text.index(before) + len(before)))
        changed = changed.replace(before, after, 1)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert changed == text.replace(old, new)
