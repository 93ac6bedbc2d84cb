import os
from pathlib import Path

import pytest

from tools.shared.errors import ToolError
from tools.shared.paths import absolute, check_path, resolve_existing, resolve_target, spellings


def put(folder: Path, name: str) -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(name)
    return str(path)


def test_home_and_file_urls_and_dots(tmp_path: Path, home: Path):
    # E31
    cwd = str(tmp_path)
    assert absolute("~/a", cwd) == f"{home}/a"
    assert absolute("~", cwd) == str(home)
    assert absolute("~user/a", cwd) == f"{cwd}/~user/a"
    assert absolute("file:///x/a%20b", cwd) == "/x/a b"
    assert absolute("file://localhost/x", cwd) == "/x"
    assert absolute("./b/../c", cwd) == f"{cwd}/c"
    assert absolute("/x//y/./z", cwd) == "/x/y/z"
    assert absolute(" a ", cwd) == f"{cwd}/ a "


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("@at", "@at"),
        ("src/a", "@src/a"),
        ("a\u00a0b", "a\u00a0b"),
        ("a b", "a\u00a0b"),
        ("a b", "@a\u202fb"),
        ("Shot 1.00.00\u202fPM.png", "Shot 1.00.00 PM.png"),
        ("Shot 1.00.00\u202fpm.png", "Shot 1.00.00 pm.png"),
        ("cafe\u0301", "caf\u00e9"),
        ("caf\u00e9", "cafe\u0301"),
        ("it\u2019s", "it's"),
        ("it's", "it\u2019s"),
        ("d\u2019e\u0301te\u0301", "d'\u00e9t\u00e9"),
        ("README.md", "readme.MD"),
    ],
)
def test_the_file_that_is_meant_is_found(tmp_path: Path, stored: str, asked: str):
    # E30, E31
    path = put(tmp_path, stored)
    found = resolve_existing(asked, str(tmp_path), "read")
    assert found.path == path
    assert bool(found.note) == (stored != asked)


def test_the_literal_name_wins(tmp_path: Path):
    put(tmp_path, "a b")
    literal = put(tmp_path, "a\u00a0b")
    assert resolve_existing("a\u00a0b", str(tmp_path), "read").path == literal


def test_two_entries_that_differ_in_case_only_are_not_guessed_between(tmp_path: Path):
    put(tmp_path, "Readme")
    put(tmp_path, "README")
    with pytest.raises(ToolError, match=r"no such file.*Near names there: "):
        resolve_existing("readme", str(tmp_path), "read")


def test_near_names_are_suggested(tmp_path: Path):
    for name in ("handler.py", "handlers.py", "other.txt"):
        put(tmp_path, name)
    with pytest.raises(ToolError) as caught:
        resolve_existing("handle.py", str(tmp_path), "edit")
    assert str(caught.value).startswith(f"Cannot edit {tmp_path}/handle.py: there is no such file (ENOENT).")
    assert "handler.py" in str(caught.value)
    assert "other.txt" not in str(caught.value)
    with pytest.raises(ToolError, match=r"directory .*/no/where does not exist"):
        resolve_existing("no/where/x", str(tmp_path), "read")


@pytest.mark.parametrize(("path", "words"), [("", "empty"), ("a\0b", "NUL"), ("newdir/", "slash")])
def test_paths_that_name_no_file(tmp_path: Path, path: str, words: str):
    with pytest.raises(ToolError, match=words):
        check_path(path)
    with pytest.raises(ToolError, match=words):
        resolve_target(path, str(tmp_path))


def test_other_refusals_of_the_system_have_their_own_words(tmp_path: Path):
    with pytest.raises(ToolError, match=r"too long \(ENAMETOOLONG\)"):
        resolve_existing("x" * 300, str(tmp_path), "read")


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("new", "new"),
        ("@new", "new"),
        ("@src/new", "src/new"),
        ("@types/new", "@types/new"),
        ("@there", "@there"),
        ("a\u00a0b", "a b"),
    ],
)
def test_the_target_of_a_write(tmp_path: Path, asked: str, meant: str):
    (tmp_path / "@types").mkdir()
    put(tmp_path, "@there")
    target = resolve_target(asked, str(tmp_path))
    assert target.path == f"{tmp_path}/{meant}"
    assert bool(target.note) == (asked != meant)


def test_a_write_to_a_name_in_another_form_hits_the_file_that_is_there(tmp_path: Path):
    path = put(tmp_path, "cafe\u0301")
    assert resolve_target("caf\u00e9", str(tmp_path)).path == path


def test_every_resolution_is_among_the_spellings(tmp_path: Path):
    # The lock is taken on the spellings before the file is looked for.
    put(tmp_path, "it\u2019s")
    for asked in ("it's", "@it's", "@new", "plain"):
        assert resolve_target(asked, str(tmp_path)).path in spellings(asked, str(tmp_path))
    assert spellings("plain", "/d") == ("/d/plain",)


def test_a_dangling_link_counts_as_there(tmp_path: Path):
    os.symlink("nowhere", tmp_path / "@link")
    assert resolve_target("@link", str(tmp_path)).path == f"{tmp_path}/@link"
