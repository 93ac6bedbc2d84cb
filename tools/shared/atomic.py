"""Replacing a file's content such that a failure at any point leaves the old content or the new, never a mixture.

The new content goes into a temporary file beside the target, which then takes the target's mode, owner and extended
attributes and its name in one step. Where that would lose something (hard links, a mount point, an owner that cannot
be given, a directory that cannot be written) the file is overwritten in place, with a backup until that is on disk.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import suppress
from dataclasses import dataclass

from tools.shared.errors import ToolError, os_reason

PREFIX = ".tmp-"
"""Temporary files are named by this and 12 hexadecimal digits, so that the longest target name fits too."""

_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
_CANNOT_RENAME = frozenset({errno.EBUSY, errno.EPERM, errno.EACCES, errno.EXDEV, errno.EROFS, errno.ENAMETOOLONG})
_CANNOT_LINK = frozenset({errno.EPERM, errno.EACCES, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV})


@dataclass(frozen=True, slots=True)
class FileState:
    """What tells one version of a file from another, and what must be kept when it is replaced."""

    device: int
    inode: int
    size: int
    modified_ns: int
    changed_ns: int
    mode: int
    owner: int
    group: int
    links: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileState:
        """Return the state that a stat result describes."""
        return cls(
            status.st_dev,
            status.st_ino,
            status.st_size,
            status.st_mtime_ns,
            status.st_ctime_ns,
            status.st_mode,
            status.st_uid,
            status.st_gid,
            status.st_nlink,
        )


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A file's bytes with its state when they were read."""

    data: bytes
    state: FileState


class Disk:
    """The system calls that change a disk, in one place so that tests can let each of them fail."""

    def create(self, path: str, mode: int) -> int:
        """Create a file that must not exist; `mode` is subject to the umask."""
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)

    def write(self, descriptor: int, data: memoryview) -> int:
        """Write some of `data`; return how many bytes."""
        return os.write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        """Wait until the file is on disk."""
        os.fsync(descriptor)

    def own(self, descriptor: int, owner: int, group: int) -> None:
        """Give the file to `owner` and `group` unless it is theirs."""
        status = os.fstat(descriptor)
        if (status.st_uid, status.st_gid) != (owner, group):
            os.fchown(descriptor, owner, group)

    def replace(self, source: str, target: str) -> None:
        """Give `source` the name `target`."""
        os.replace(source, target)

    def link(self, source: str, target: str) -> None:
        """Give `source` the second name `target`, which must not exist."""
        os.link(source, target)

    def reserve(self, descriptor: int, start: int, count: int) -> None:
        """Make sure that `count` bytes from `start` can be written, where the file system can tell."""
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(descriptor, start, count)


def snapshot(descriptor: int) -> Snapshot:
    """Read an open file from its start; when it changes meanwhile, the state is that of the beginning."""
    state = FileState.of(os.fstat(descriptor))
    with os.fdopen(os.dup(descriptor), "rb") as file:
        return Snapshot(file.read(), state)


def commit(path: str, data: bytes, base: Snapshot | None, disk: Disk) -> None:
    """Make `data` the content of the file that `path` leads to.

    `base` is what was there when the new content was made from it, None when nothing was. Raises ToolError when that is
    not so any more, OSError when the system refuses; in both cases the old content is intact.
    """
    target = os.path.realpath(path)
    if base is None:
        _create(target, data, disk)
        return
    base = _current(target, base)
    if base.state.links > 1 or not _replace(target, data, base, disk):
        _overwrite(target, data, base, disk)


def _create(target: str, data: bytes, disk: Disk) -> None:
    directory = os.path.dirname(target)
    temporary = os.path.join(directory, PREFIX + secrets.token_hex(6))
    descriptor = disk.create(temporary, 0o666)
    try:
        _write_and_close(descriptor, data, disk)
        try:
            disk.link(temporary, target)
        except FileExistsError:
            raise _stale(target, "something created it meanwhile") from None
        except OSError as error:
            if error.errno not in _CANNOT_LINK:
                raise
            if os.path.lexists(target):
                raise _stale(target, "something created it meanwhile") from None
            disk.replace(temporary, target)
        _sync_directory(directory, disk)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)


def _replace(target: str, data: bytes, base: Snapshot, disk: Disk) -> bool:
    """Replace the file by a new one; return False, with nothing changed, when the file must be overwritten instead."""
    directory = os.path.dirname(target)
    temporary = os.path.join(directory, PREFIX + secrets.token_hex(6))
    try:
        descriptor = disk.create(temporary, 0o600)
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise
        return False
    try:
        try:
            _write(descriptor, data, disk)
            if not _keep_metadata(descriptor, target, base.state, disk):
                return False
            disk.sync(descriptor)
        finally:
            os.close(descriptor)
        _current(target, base)
        try:
            disk.replace(temporary, target)
        except OSError as error:
            if error.errno in _CANNOT_RENAME:
                return False
            raise
        _sync_directory(directory, disk)
        return True
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)


def _keep_metadata(descriptor: int, target: str, state: FileState, disk: Disk) -> bool:
    """Give the new file all that the old one has beside its content; return False when that is refused."""
    try:
        disk.own(descriptor, state.owner, state.group)
        if hasattr(os, "listxattr"):
            _copy_attributes(descriptor, target)
        os.fchmod(descriptor, stat.S_IMODE(state.mode))
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise
        return False
    return True


def _copy_attributes(descriptor: int, target: str) -> None:
    try:
        wanted = {name: os.getxattr(target, name) for name in os.listxattr(target)}
    except OSError as error:
        if error.errno in (errno.EOPNOTSUPP, errno.ENOSYS):
            return
        raise
    given = os.listxattr(descriptor)
    for name in given:
        if name not in wanted:
            os.removexattr(descriptor, name)
    for name, value in wanted.items():
        if name not in given or os.getxattr(descriptor, name) != value:
            os.setxattr(descriptor, name, value)


def _write_and_close(descriptor: int, data: bytes, disk: Disk) -> None:
    try:
        _write(descriptor, data, disk)
        disk.sync(descriptor)
    finally:
        os.close(descriptor)


def _write(descriptor: int, data: bytes, disk: Disk) -> None:
    left = memoryview(data)
    while left:
        left = left[disk.write(descriptor, left) :]


def _overwrite(target: str, data: bytes, base: Snapshot, disk: Disk) -> None:
    """Write in place. A failure writes the old content back; a crash leaves it in the backup."""
    backup = _write_backup(target, base.data, disk)
    keep_backup = False
    descriptor = -1
    try:
        base = _current(target, base)
        descriptor = os.open(target, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        if (os.fstat(descriptor).st_dev, os.fstat(descriptor).st_ino) != (base.state.device, base.state.inode):
            raise _stale(target, "it was replaced meanwhile")
        try:
            _fill(descriptor, data, len(base.data), disk)
        except BaseException:
            keep_backup = True
            _fill(descriptor, base.data, 0, disk)
            keep_backup = False
            raise
        if os.fstat(descriptor).st_mode != base.state.mode:
            os.fchmod(descriptor, stat.S_IMODE(base.state.mode))
    except OSError as error:
        if keep_backup:
            raise ToolError(
                f"Writing {target} failed ({os_reason(error)}) and so did putting its old content back. "
                f"That content is in {backup}."
            ) from error
        raise
    finally:
        if descriptor >= 0:
            os.close(descriptor)
        if not keep_backup:
            with suppress(FileNotFoundError):
                os.unlink(backup)


def _fill(descriptor: int, data: bytes, old_size: int, disk: Disk) -> None:
    if len(data) > old_size > 0:
        try:
            disk.reserve(descriptor, old_size, len(data) - old_size)
        except OSError as error:
            if error.errno in _NO_SPACE:
                raise
    os.lseek(descriptor, 0, os.SEEK_SET)
    _write(descriptor, data, disk)
    os.ftruncate(descriptor, len(data))
    disk.sync(descriptor)


def _write_backup(target: str, data: bytes, disk: Disk) -> str:
    name = f"{PREFIX}{secrets.token_hex(6)}"
    try:
        backup = os.path.join(os.path.dirname(target), name)
        descriptor = disk.create(backup, 0o600)
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise
        from tempfile import gettempdir

        backup = os.path.join(gettempdir(), name)
        descriptor = disk.create(backup, 0o600)
    try:
        _write_and_close(descriptor, data, disk)
    except BaseException:
        os.unlink(backup)
        raise
    return backup


def _current(target: str, base: Snapshot) -> Snapshot:
    """Return `base` with the state the file has now; raise ToolError when it has another content.

    New times, or another file with the same content, are no reason to refuse.
    """
    try:
        status = os.stat(target)
        if FileState.of(status) == base.state:
            return base
        if not stat.S_ISREG(status.st_mode) or status.st_size != len(base.data):
            raise _stale(target, "its content is another one now")
        descriptor = os.open(target, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise _stale(target, "it was removed") from None
    try:
        current = snapshot(descriptor)
    finally:
        os.close(descriptor)
    if current.data != base.data:
        raise _stale(target, "its content is another one now")
    return current


def _stale(target: str, how: str) -> ToolError:
    return ToolError(
        f"{target} was changed by something else while this call ran ({how}). Nothing was written. Read it."
    )


def _sync_directory(directory: str, disk: Disk) -> None:
    """Put the new name on disk too; not every file system can, and the content is safe without."""
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            disk.sync(descriptor)
        finally:
            os.close(descriptor)
