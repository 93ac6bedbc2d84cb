"""The lock files hold what pyproject.toml asks for, each version with its hashes."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.hygiene.repository import PACKAGES, ROOT, python_files, tree

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PIN = re.compile(
    r"^([A-Za-z0-9._-]+)==(\S+)(?: ;[^\\]*)? \\$\n((?:^    --hash=sha256:[0-9a-f]{64}(?: \\)?$\n)+)", re.MULTILINE
)


def pins(lock: str) -> dict[str, str]:
    """Name -> version, for each entry that has a hash."""
    return {canonicalize_name(name): version for name, version, _ in PIN.findall((ROOT / lock).read_text())}


def group(name: str) -> list[str]:
    """The requirements of a dependency group, with those of the groups that it includes."""
    wanted: list[str] = []
    for entry in PROJECT["dependency-groups"][name]:
        wanted += [entry] if isinstance(entry, str) else group(entry["include-group"])
    return wanted


@pytest.mark.parametrize(("lock", "groups"), [("requirements.lock", ["build"]), ("requirements-dev.lock", ["dev"])])
def test_locks_satisfy_the_project(lock: str, groups: list[str]) -> None:
    locked = pins(lock)
    for text in (*PROJECT["project"]["dependencies"], *(wanted for name in groups for wanted in group(name))):
        wanted = Requirement(text)
        assert wanted.specifier.contains(locked[canonicalize_name(wanted.name)]), text


def test_every_entry_is_pinned_with_a_hash() -> None:
    for lock in ("requirements.lock", "requirements-dev.lock"):
        entries = [line for line in (ROOT / lock).read_text().splitlines() if line and line[0] not in " #"]
        assert len(entries) == len(pins(lock)), lock


def test_both_locks_agree() -> None:
    assert pins("requirements.lock").items() <= pins("requirements-dev.lock").items()


def imported_distributions() -> dict[str, str]:
    """Distribution -> one file of ours that imports it, wherever in the file that is."""
    providers = packages_distributions()
    found: dict[str, str] = {}
    for file in python_files(*PACKAGES):
        for node in ast.walk(tree(file)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            for top in {name.partition(".")[0] for name in names} - {*sys.stdlib_module_names, *PACKAGES}:
                found[canonicalize_name(providers[top][0])] = str(file)
    return found


def test_what_is_imported_is_asked_for() -> None:
    asked = {canonicalize_name(Requirement(text).name) for text in PROJECT["project"]["dependencies"]}
    assert {name: file for name, file in imported_distributions().items() if name not in asked} == {}


def test_textual_is_one_version() -> None:
    assert "textual==8.2.8" in PROJECT["project"]["dependencies"]


def test_license_and_changelog_are_there() -> None:
    assert "MIT License" in Path(ROOT / "LICENSE").read_text()
    assert (ROOT / "CHANGELOG.md").read_text().startswith("# Changelog\n")
