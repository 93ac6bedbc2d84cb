"""The one exception of this room, and plain words for what the operating system refuses."""

from __future__ import annotations

import errno
import os


class ToolError(Exception):
    """A call failed for a reason that its text explains to the model: what, where, and what to do about it."""


_PLAIN = {
    errno.ENOENT: "there is no such file or directory",
    errno.ENOTDIR: "a part of the path is a file, not a directory",
    errno.EISDIR: "it is a directory, not a file",
    errno.EACCES: "permission denied",
    errno.EPERM: "the operation is not permitted",
    errno.ELOOP: "its symbolic links form a loop",
    errno.ENAMETOOLONG: "the name or path is too long",
    errno.ENOSPC: "no space is left on the device",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file would become too large",
    errno.EROFS: "the file system is read-only",
    errno.EIO: "the device reported an input/output error",
    errno.EEXIST: "something of that name exists already",
    errno.EMFILE: "too many files are open",
}


def os_reason(error: OSError) -> str:
    """Return why the system refused, with the errno name: `permission denied (EACCES)`."""
    number = error.errno or 0
    name = errno.errorcode.get(number, f"errno {number}")
    return f"{_PLAIN.get(number) or (error.strerror or str(error)).lower()} ({name})"


def file_error(action: str, path: str, error: OSError) -> ToolError:
    """Return the error for a failed `action` ("read", "write") on `path`."""
    return ToolError(f"Cannot {action} {os.fspath(path)}: {os_reason(error)}.")
