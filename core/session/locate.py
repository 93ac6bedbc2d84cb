"""Where session files are, and which one a person means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.session.entries import Header, iso_now, new_session_id
from core.session.store import SessionFileError, SessionStore, read_header


class SessionNotFound(Exception):
    """No session matches; the text says what was looked for and where."""


@dataclass(frozen=True, slots=True)
class SessionPlace:
    """The folder for new sessions of a working directory.

    `root` is pi's `sessions` folder, with one folder per working directory, or a flat folder that the person chose.
    """

    root: Path
    cwd: Path
    flat: bool = False

    @property
    def folder(self) -> Path:
        """Where sessions of `cwd` are."""
        return self.root if self.flat else self.root / folder_name(self.cwd)

    def new(self, *, on_disk: bool = True) -> SessionStore:
        """Return an empty session for `cwd`; its file appears with the first message."""
        header = Header(new_session_id(), iso_now(), str(self.cwd))
        if not on_disk:
            return SessionStore(header, None)
        stamp = re.sub(r"[:.]", "-", header.timestamp)
        return SessionStore(header, self.folder / f"{stamp}_{header.id}.jsonl")

    def newest(self) -> Path | None:
        """Return the session of `cwd` that was written last."""
        own = [path for path, header in self._sessions(self.folder) if not self.flat or header.cwd == str(self.cwd)]
        return max(own, key=lambda path: path.stat().st_mtime_ns, default=None)

    def find(self, wanted: str) -> Path:
        """Return the file for a path, an id, or the beginning of an id; sessions of `cwd` come first.

        A path that does not exist yet is returned as it is. Raises SessionNotFound.
        """
        if "/" in wanted or "\\" in wanted or wanted.endswith(".jsonl"):
            return self.cwd / Path(wanted).expanduser()
        everywhere = [self.folder, *(d for d in self._folders() if d != self.folder)]
        for matches in (str.__eq__, str.startswith):
            for folder in everywhere:
                found = [path for path, header in self._sessions(folder) if matches(header.id, wanted)]
                if len(found) > 1:
                    raise SessionNotFound(
                        f"{wanted!r} is the beginning of {len(found)} session ids in {folder}; give more of it"
                    )
                if found:
                    return found[0]
        raise SessionNotFound(f"No session {wanted!r} in {self.root}. `pi -c` continues the newest one of a folder.")

    def _folders(self) -> list[Path]:
        if self.flat or not self.root.is_dir():
            return []
        return sorted(path for path in self.root.iterdir() if path.is_dir())

    def _sessions(self, folder: Path) -> Iterator[tuple[Path, Header]]:
        for path in sorted(folder.glob("*.jsonl")):
            try:
                header = read_header(path)
            except (OSError, SessionFileError):
                continue
            if header is not None:
                yield path, header


def folder_name(cwd: Path) -> str:
    """Return pi's folder name for a working directory: `/home/me/proj` gives `--home-me-proj--`."""
    flat = re.sub(r"[/:\\]", "-", str(cwd).removeprefix("/"))
    return f"--{flat}--"


def open_session(path: Path, place: SessionPlace) -> SessionStore:
    """Return the session of a file; a missing or empty file becomes a new session.

    Raises SessionFileError and OSError.
    """
    if path.exists():
        store = SessionStore.load(path)
        if store is not None:
            return store
        path.unlink()
    return SessionStore(Header(new_session_id(), iso_now(), str(place.cwd)), path)
