"""The branch of a working tree, read from git's own files: no process, nothing of the repository runs."""

from __future__ import annotations

from pathlib import Path


def git_branch(directory: Path) -> str | None:
    """Return the branch name, the short commit of a detached HEAD, or None outside a working tree."""
    for folder in (directory, *directory.parents):
        head = _head_file(folder / ".git")
        if head is not None:
            return _branch_in(head)
    return None


def _head_file(git: Path) -> Path | None:
    try:
        if git.is_dir():
            return git / "HEAD"
        if not git.is_file():
            return None
        # A linked work tree or submodule: the file names the real folder.
        pointer = git.read_text("utf-8", "replace").strip()
    except OSError:
        return None
    target = pointer.removeprefix("gitdir:").strip()
    return (git.parent / target / "HEAD") if target != pointer else None


def _branch_in(head: Path) -> str | None:
    try:
        with head.open("rb") as file:
            text = file.read(4096).decode("utf-8", "replace").strip()
    except OSError:
        return None
    if text.startswith("ref:"):
        return text.removeprefix("ref:").strip().removeprefix("refs/heads/")
    return text[:8] or None
