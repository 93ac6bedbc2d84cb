"""Instruction files."""

from pathlib import Path

import pytest

from core.resources import context_files as module
from core.resources.context_files import NAMES, context_files


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """An agent directory `agent` and a project `outer/project`; nothing above them holds instructions."""
    (tmp_path / "agent").mkdir()
    (tmp_path / "outer" / "project").mkdir(parents=True)
    return tmp_path


def found(tree: Path, cwd: str = "outer/project") -> list[str]:
    return [str(file.path.relative_to(tree)) for file in context_files(tree / "agent", tree / cwd)]


def test_the_person_s_file_first_then_from_the_root_down(tree: Path) -> None:
    for folder in ("", "outer", "outer/project", "agent"):
        (tree / folder / "AGENTS.md").write_text(folder)
    assert found(tree) == ["agent/AGENTS.md", "AGENTS.md", "outer/AGENTS.md", "outer/project/AGENTS.md"]
    assert found(tree, "outer") == ["agent/AGENTS.md", "AGENTS.md", "outer/AGENTS.md"]


def test_one_file_per_directory(tree: Path) -> None:
    for name in reversed(NAMES):
        (tree / "outer" / "project" / name).write_text(name)
        assert found(tree) == [f"outer/project/{name}"]


def test_a_directory_of_that_name_is_no_file(tree: Path) -> None:
    (tree / "outer" / "AGENTS.md").mkdir()
    (tree / "outer" / "CLAUDE.md").write_text("x")
    assert found(tree) == ["outer/CLAUDE.md"]


def test_content(tree: Path) -> None:
    (tree / "outer" / "AGENTS.md").write_bytes(b"\xef\xbb\xbfUse tabs.\r\nN\xffo.")
    (file,) = context_files(tree / "agent", tree / "outer")
    assert file.content == "Use tabs.\r\nN\ufffdo."
    assert file.notice is None


def test_a_large_file_is_cut_at_a_line_and_that_is_said(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 2048)
    (tree / "outer" / "AGENTS.md").write_text("line of text\n" * 1000)
    (file,) = context_files(tree / "agent", tree / "outer")
    head, _, note = file.content.rpartition("\n")
    assert set(head.strip().splitlines()) == {"line of text"}
    assert note == "[Only the first 2 KiB of this file are given]"
    assert len(file.content) < 2200
    assert str(file.path) in (file.notice or "")


def test_a_file_that_cannot_be_read_is_told(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tree / "outer" / "AGENTS.md"
    path.write_text("x")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    (file,) = context_files(tree / "agent", tree / "outer")
    assert (file.content, file.notice) == ("", f"{path} cannot be read: Permission denied")


def test_the_same_file_by_two_ways_counts_once(tree: Path) -> None:
    (tree / "outer" / "AGENTS.md").write_text("x")
    (tree / "outer" / "project" / "AGENTS.md").symlink_to(tree / "outer" / "AGENTS.md")
    assert found(tree) == ["outer/AGENTS.md"]
    assert found(tree, "agent") == []
    (tree / "agent" / "AGENTS.md").write_text("y")
    assert found(tree, "agent") == ["agent/AGENTS.md"]


def test_a_nested_worktree_hides_the_copy_of_its_repository(tree: Path) -> None:
    main, worktree = tree / "outer", tree / "outer" / "project"
    (main / ".git" / "worktrees" / "project").mkdir(parents=True)
    (worktree / ".git").write_text(f"gitdir: {main}/.git/worktrees/project\n")
    (main / "AGENTS.md").write_text("x")
    (worktree / "src").mkdir()
    assert found(tree, "outer/project/src") == ["outer/AGENTS.md"]
    (worktree / "AGENTS.md").write_text("x")
    (tree / "AGENTS.md").write_text("above")
    assert found(tree, "outer/project/src") == ["AGENTS.md", "outer/project/AGENTS.md"]


def test_nothing(tree: Path) -> None:
    assert found(tree) == []
