"""Instruction files: AGENTS.md and its kin, one per directory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

NAMES = ("AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD")
"""The first that exists in a directory counts."""

MAX_BYTES = 128 * 1024
"""Of one file; the rest is left out and a note says so."""


@dataclass(frozen=True, slots=True)
class ContextFile:
    """An instruction file as the model gets it. `notice` is for the person, None when all of it was taken."""

    path: Path
    content: str
    notice: str | None = None


def context_files(agent_dir: Path, cwd: Path) -> tuple[ContextFile, ...]:
    """Return the instruction files for a working directory: the person's, then those from the root down to `cwd`.

    A file that cannot be read is left out with a notice; its content is then empty. A nested git worktree does not get
    the same file twice: the copy in the repository that holds it is left out.
    """
    folders = [agent_dir, *reversed([cwd, *cwd.parents])]
    hidden = _main_checkout_of(cwd)
    out: list[ContextFile] = []
    seen: set[Path] = set()
    for folder in folders:
        path = _first(folder)
        if path is None:
            continue
        real = path.resolve()
        if real in seen or (folder == hidden and _first(_worktree_root(cwd)) is not None):
            continue
        seen.add(real)
        out.append(_read(path))
    return tuple(out)


def _first(folder: Path | None) -> Path | None:
    if folder is None:
        return None
    return next((path for name in NAMES if (path := folder / name).is_file()), None)


def _read(path: Path) -> ContextFile:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        return ContextFile(path, "", f"{path} cannot be read: {error.strerror or error}")
    cut = len(data) > MAX_BYTES
    if cut:
        data = data[:MAX_BYTES]
        data = data[: data.rfind(b"\n") + 1] or data
    text = data.decode("utf-8-sig", "replace")
    if not cut:
        return ContextFile(path, text)
    size = f"{MAX_BYTES // 1024} KiB"
    return ContextFile(path, f"{text}\n[Only the first {size} of this file are given]", f"{path}: only {size} are used")


def _worktree_root(cwd: Path) -> Path | None:
    return next((folder for folder in (cwd, *cwd.parents) if (folder / ".git").exists()), None)


def _main_checkout_of(cwd: Path) -> Path | None:
    """The main checkout's folder when `cwd` is in a git worktree that lies inside it, else None."""
    root = _worktree_root(cwd)
    if root is None or not (root / ".git").is_file():
        return None
    try:
        pointer = (root / ".git").read_text("utf-8", "replace")
    except OSError:
        return None
    target = pointer.removeprefix("gitdir:").strip()
    git_dir = root / target
    main = next((folder.parent for folder in git_dir.parents if folder.name == ".git"), None)
    return main if main is not None and main in root.parents else None
