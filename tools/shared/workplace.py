"""Where the tools work: the directory, the lock, the file system and the threads that they share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tools.shared.lock import MutationLock

if TYPE_CHECKING:
    from tools.shared.files import FileOperations
    from tools.shared.workers import Workers


class Workplace:
    """`cwd` is where relative paths start and commands run. What only a call needs is made at the first call."""

    def __init__(self, cwd: Path, lock: MutationLock | None = None, files: FileOperations | None = None) -> None:
        self.cwd = os.fspath(cwd)
        self.lock = MutationLock() if lock is None else lock
        self._files = files
        self._workers: Workers | None = None

    @property
    def files(self) -> FileOperations:
        """The file system; this machine's unless another was given."""
        if self._files is None:
            from tools.shared.files import LocalFiles

            self._files = LocalFiles()
        return self._files

    @property
    def workers(self) -> Workers:
        """The threads for blocking work."""
        if self._workers is None:
            from tools.shared.workers import Workers

            self._workers = Workers()
        return self._workers

    def spellings(self, path: str) -> tuple[str, ...]:
        """Return the absolute paths that a model's `path` may mean, for the lock."""
        from tools.shared.paths import spellings

        return spellings(path, self.cwd)
