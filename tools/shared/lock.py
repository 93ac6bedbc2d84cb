"""The mutation lock: calls that touch the same thing run in request order, all others run together.

Two granules: paths, and the workspace as a whole. A read is shared on its path, a write is exclusive on its path and
touches the workspace, a shell command is shared on the workspace. So reads and commands run together, commands run
together, and a command and a write never do. A path that cannot be resolved conflicts with everything.

A place in the queue is taken synchronously, in call order. It waits for every *earlier* place that conflicts, so waits
point backwards and cannot form a circle. Once it is free, its keys are computed again, since what ran before may have
moved the file; if they grew, it waits for earlier conflicting places and for later ones that run already. Those never
wait, so this is free of deadlock too.
"""

from __future__ import annotations

import asyncio
import os
from typing import Literal, TypeAlias

Mode: TypeAlias = Literal["read", "write", "workspace"]
Key: TypeAlias = str | tuple[int, int]
"""A canonical path, or (device, inode) of a file that exists."""


def path_keys(path: str) -> frozenset[Key] | None:
    """Return what identifies the file at the absolute `path`; None when that cannot be told.

    The path key is the real path, composed (NFC) and case-folded: on a case-sensitive file system two names that differ
    in case only are then serialised without need, which costs nothing but order. Hard links, bind mounts and symbolic
    links meet in the inode key.
    """
    try:
        real = os.path.realpath(path)
        try:
            status = os.stat(real)
        except (FileNotFoundError, NotADirectoryError):
            return frozenset((_folded(real),))
    except (OSError, ValueError):
        return None
    return frozenset((_folded(real), (status.st_dev, status.st_ino)))


def _folded(path: str) -> str:
    if not path.isascii():
        import unicodedata

        path = unicodedata.normalize("NFC", path)
    return path.casefold()


class MutationLock:
    """The queue of all tool calls of one workspace. For one event loop; not thread-safe."""

    def __init__(self) -> None:
        self._places: list[Place] = []

    def __len__(self) -> int:
        """Places taken and not released."""
        return len(self._places)

    def reserve_read(self, *paths: str) -> Place:
        """Take a shared place on absolute `paths`: all spellings that the call may turn out to mean."""
        return self._take("read", paths)

    def reserve_write(self, *paths: str) -> Place:
        """Take an exclusive place on absolute `paths`: all spellings that the call may turn out to mean."""
        return self._take("write", paths)

    def reserve_workspace(self) -> Place:
        """Take a place for a shell command, which may touch any file."""
        return self._take("workspace", ())

    def _take(self, mode: Mode, paths: tuple[str, ...]) -> Place:
        place = Place(self, mode, paths)
        self._places.append(place)
        return place

    def blocks(self, place: Place) -> bool:
        """Tell whether `place` must wait: for any earlier conflicting place, or a later one that runs already."""
        earlier = True
        for other in self._places:
            if other is place:
                earlier = False
            elif (earlier or other.running) and other.conflicts(place):
                return True
        return False

    def drop(self, place: Place) -> None:
        """Take `place` out of the queue and wake who may run now."""
        self._places.remove(place)
        for other in self._places:
            if other.waiter is not None and not other.waiter.done() and not self.blocks(other):
                other.waiter.set_result(None)


class Place:
    """A `Reservation` in the queue of a `MutationLock`."""

    __slots__ = ("_lock", "_paths", "_released", "keys", "mode", "running", "unknown", "waiter")

    def __init__(self, lock: MutationLock, mode: Mode, paths: tuple[str, ...]) -> None:
        self._lock = lock
        self._paths = paths
        self._released = False
        self.mode: Mode = mode
        self.running = False
        self.unknown = False
        self.keys: frozenset[Key] = frozenset()
        self.waiter: asyncio.Future[None] | None = None
        self._grow()

    def conflicts(self, other: Place) -> bool:
        """Tell whether two places must not run together."""
        if self.unknown or other.unknown:
            return True
        modes = {self.mode, other.mode}
        if "write" not in modes:
            return False
        return "workspace" in modes or not self.keys.isdisjoint(other.keys)

    async def acquire(self) -> None:
        """Return when every conflicting place before this one was released. A cancelled wait leaves the queue."""
        while not self.running:
            if self._released:
                raise RuntimeError("this place in the queue was given up already")
            if not self._lock.blocks(self):
                if not self._grow():
                    self.running = True
                continue
            self.waiter = asyncio.get_running_loop().create_future()
            try:
                await self.waiter
            except BaseException:
                self.release()
                raise
            finally:
                self.waiter = None

    def release(self) -> None:
        """Leave the queue. Idempotent. A wait that is going on ends with an error."""
        if self._released:
            return
        self._released = True
        self._lock.drop(self)
        if self.waiter is not None and not self.waiter.done():
            self.waiter.set_exception(RuntimeError("this place in the queue was given up while it waited"))

    def _grow(self) -> bool:
        """Add the keys that the paths have now; tell whether that may have added a conflict."""
        before = (self.keys, self.unknown)
        for path in self._paths:
            keys = path_keys(path)
            if keys is None:
                self.unknown = True
            else:
                self.keys |= keys
        return (self.keys, self.unknown) != before
