"""Opening files without hanging, and the seam between tools and the place where the files are.

`FileOperations` is all that read, edit and write need of a file system. `LocalFiles` is this machine.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import Protocol

from tools.shared import atomic
from tools.shared.errors import ToolError, file_error

MAX_EDITABLE = 64 * 1024 * 1024
"""Bytes up to which a file is loaded as a whole."""

MAX_LISTED = 50


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A regular file that is open for reading; `size` is that at the time of opening, 0 for files of /proc."""

    descriptor: int
    size: int

    def read(self, count: int) -> bytes:
        """Return up to `count` bytes, empty at the end."""
        return os.read(self.descriptor, count)

    def rewind(self) -> None:
        """Go back to the first byte."""
        os.lseek(self.descriptor, 0, os.SEEK_SET)

    def __enter__(self) -> OpenFile:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.descriptor)


class FileOperations(Protocol):
    """What the file tools do to a file system. Paths are absolute; every method may block; failures are ToolError."""

    def open(self, path: str) -> OpenFile:
        """Open a regular file for reading, following symbolic links; anything else is refused at once."""
        ...

    def load(self, path: str, action: str) -> atomic.Snapshot | None:
        """Return a regular file's bytes and state, None when nothing is there. Refuses what cannot be written back."""
        ...

    def commit(self, path: str, data: bytes, base: atomic.Snapshot | None) -> None:
        """Make `data` the content: the old file or the new one, never a mixture; refuse when `base` is not current."""
        ...

    def make_parents(self, path: str) -> None:
        """Create the missing directories above `path`."""
        ...


class LocalFiles:
    """The file system of this machine. `disk` is replaced in tests that inject faults."""

    def __init__(self, disk: atomic.Disk | None = None) -> None:
        self._disk = disk or atomic.Disk()

    def open(self, path: str) -> OpenFile:
        """See `FileOperations`. The null device counts as an empty file."""
        # Without O_NONBLOCK, opening a FIFO would block for ever.
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
        try:
            descriptor = os.open(path, flags)
        except OSError as error:
            raise _not_regular(path) or file_error("read", path, error) from None
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode) or os.path.realpath(path) == os.devnull:
            os.set_blocking(descriptor, True)
            return OpenFile(descriptor, status.st_size)
        os.close(descriptor)
        raise _not_regular(path) or ToolError(f"Cannot read {path}: it changed its kind while it was opened.")

    def load(self, path: str, action: str) -> atomic.Snapshot | None:
        """See `FileOperations`."""
        try:
            status = os.stat(path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise file_error(action, path, error) from None
        if not stat.S_ISREG(status.st_mode):
            raise _not_regular(path, action) or ToolError(f"Cannot {action} {path}: it is not a regular file.")
        if status.st_size > MAX_EDITABLE:
            raise ToolError(
                f"Cannot {action} {path}: it has {status.st_size:,} bytes, more than the {MAX_EDITABLE:,} that this "
                "tool takes. Change it with a command, for example sed or a short script."
            )
        if not os.access(path, os.W_OK):
            raise ToolError(f"Cannot {action} {path}: the file is not writable, permission denied (EACCES).")
        with self.open(path) as file:
            return atomic.snapshot(file.descriptor)

    def commit(self, path: str, data: bytes, base: atomic.Snapshot | None) -> None:
        """See `FileOperations` and `tools.shared.atomic`."""
        try:
            atomic.commit(path, data, base, self._disk)
        except OSError as error:
            raise file_error("write", path, error) from None

    def make_parents(self, path: str) -> None:
        """See `FileOperations`."""
        parent = os.path.dirname(path)
        try:
            os.makedirs(parent, exist_ok=True)
        except FileExistsError:
            raise ToolError(f"Cannot write {path}: {parent} is a file, not a directory (ENOTDIR).") from None
        except OSError as error:
            raise file_error("create the directory", parent, error) from None


def _not_regular(path: str, action: str = "read") -> ToolError | None:
    """Return the error for what is at `path` when that is no regular file."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return None
    if stat.S_ISDIR(mode):
        return ToolError(f"Cannot {action} {path}: it is a directory (EISDIR).{_listing(path)}")
    for test, kind in (
        (stat.S_ISFIFO, "a named pipe (FIFO)"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a character device"),
        (stat.S_ISBLK, "a block device"),
    ):
        if test(mode):
            return ToolError(f"Cannot {action} {path}: it is {kind}, not a regular file.")
    return None


def _listing(path: str) -> str:
    try:
        with os.scandir(path) as entries:
            names = sorted(f"{entry.name}/" if entry.is_dir() else entry.name for entry in entries)
    except OSError:
        return ""
    if not names:
        return " It is empty."
    rest = f"\n... and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
    return " It contains:\n" + "\n".join(names[:MAX_LISTED]) + rest
