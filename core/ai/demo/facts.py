"""What is known of a project, and the files that tell it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from core.ai.wire import Json


@dataclass(frozen=True, slots=True)
class Entry:
    """A file that may be the entry point, and what names it."""

    path: str
    named_by: str


@dataclass(slots=True)
class Facts:
    """What one manifest says. Nothing here is guessed; empty means that it does not say.

    `entries` are candidates, best first. `problem` tells why the manifest could not be understood. `members` are glob
    patterns of a workspace. `tested_by` is the command of its tests.
    """

    manifest: str
    ecosystem: str = ""
    name: str = ""
    version: str = ""
    description: str = ""
    kind: str = ""
    license: str = ""
    requires: str = ""
    entries: list[Entry] = field(default_factory=list)
    dependencies: list[str] = field(default_factory=list)
    dev_dependencies: list[str] = field(default_factory=list)
    run: list[str] = field(default_factory=list)
    tested_by: str = ""
    scripts: list[str] = field(default_factory=list)
    members: list[str] = field(default_factory=list)
    problem: str = ""


MANIFESTS = (
    "package.json",
    "pyproject.toml",
    "Cargo.toml",
    "go.mod",
    "setup.cfg",
    "setup.py",
    "composer.json",
    "CMakeLists.txt",
    "Makefile",
)
"""Manifests that are understood, best first."""

OTHER_MANIFESTS = {
    "pom.xml": "Java (Maven)",
    "build.gradle": "Java (Gradle)",
    "build.gradle.kts": "Kotlin (Gradle)",
    "Gemfile": "Ruby",
    "mix.exs": "Elixir",
    "deno.json": "Deno",
    "Package.swift": "Swift",
    "pubspec.yaml": "Dart",
    "stack.yaml": "Haskell",
    "dune-project": "OCaml",
    "requirements.txt": "Python",
    "meson.build": "Meson",
}
"""Manifests that only tell the kind of project."""

JUNK = frozenset(
    "node_modules target dist build out vendor venv env __pycache__ coverage htmlcov bower_components".split()
)
"""Folders that hold what was made or fetched."""


@dataclass(frozen=True, slots=True)
class Tree:
    """What was listed: top-level names (folders end in `/`) and the files below them as far as `complete` says."""

    top: tuple[str, ...]
    below: frozenset[str] = frozenset()
    complete: bool = True

    def has(self, path: str) -> bool | None:
        """True or False when the listing tells, None when the file may lie where nobody looked."""
        path = re.sub(r"^(?:\./)+", "", path)
        if "/" not in path:
            return path in self.top
        if path in self.below:
            return True
        if f"{path.split('/', 1)[0]}/" not in self.top:
            return False
        return False if self.complete and path.count("/") <= DEPTH else None

    def files(self, pattern: str) -> list[str]:
        """Return the files that match a glob, sorted; `*` does not cross a `/`."""
        return sorted(path for path in [*self.top, *self.below] if _matches(path, pattern))

    def folder(self, name: str) -> bool:
        """True when there is a top-level folder of this name."""
        return f"{name}/" in self.top


DEPTH = 3
"""Folders below the top that a listing goes down."""


def _matches(path: str, pattern: str) -> bool:
    parts, globs = path.split("/"), pattern.split("/")
    return len(parts) == len(globs) and all(fnmatchcase(part, glob) for part, glob in zip(parts, globs, strict=True))


def existing(entries: Iterable[Entry], tree: Tree) -> Entry | None:
    """Return the first candidate that is there or may be there; those known to be there go first."""
    candidates = list(entries)
    for answer in (True, None):
        for entry in candidates:
            if tree.has(entry.path) is answer:
                return entry
    return None


def table(value: Json) -> dict[str, Json]:
    """Return `value` when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def tables(value: Json) -> list[dict[str, Json]]:
    """Return the objects of a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def string(value: Json) -> str:
    """Return `value` when it is a text, else an empty one."""
    return value.strip() if isinstance(value, str) else ""


def strings(value: Json) -> list[str]:
    """Return the texts of a list."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
