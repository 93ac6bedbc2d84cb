"""Manifests as data: which entry points they name, and that nothing in them can break a parser."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ai.demo.facts import MANIFESTS, Entry, Tree, existing
from core.ai.demo.manifests import PARSERS, facts_of

ADVERSE = [
    "[" * 20_000,
    " " * 50_000,
    "\n" * 50_000,
    "a = [" * 8_000,
    "require (\n" * 5_000,
    "project(" * 6_000,
    "x:\n" * 9_000,
]
KEYS = [
    *(
        "name",
        "version",
        "description",
        "main",
        "bin",
        "exports",
        "module",
        "scripts",
        "start",
        "test",
        "type",
        "engines",
    ),
    *("workspaces", "packages", "dependencies", "license", "project", "tool", "poetry", "gui-scripts", "lib", "path"),
    *("package", "workspace", "members", "dependency-groups", "text", "reference", "require", "default-run", "python"),
]
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.text(max_size=8)
    | st.sampled_from(["./a.js", "a.b:c", ".", "/"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=20,
)


def as_toml(value: Any) -> str:
    """The top-level keys of an object as TOML; what TOML cannot hold is left out."""

    def inline(item: Any) -> str:
        if isinstance(item, dict):
            return "{" + ", ".join(f"{json.dumps(k)} = {inline(v)}" for k, v in item.items() if v is not None) + "}"
        if isinstance(item, list):
            return "[" + ", ".join(inline(v) for v in item if v is not None) + "]"
        return json.dumps(item)

    return "\n".join(f"{json.dumps(k)} = {inline(v)}" for k, v in value.items() if v is not None)


@given(st.dictionaries(st.sampled_from(KEYS), values, max_size=8))
def test_no_data_breaks_a_parser(data: dict[str, Any]) -> None:
    tree = Tree(("src/", "a.js"), frozenset({"src/main.rs"}))
    for manifest in ("package.json", "composer.json"):
        facts_of(manifest, json.dumps(data), tree)
    for manifest in ("pyproject.toml", "Cargo.toml"):
        facts_of(manifest, as_toml(data), tree)


@pytest.mark.parametrize("manifest", MANIFESTS)
def test_no_text_breaks_a_parser(manifest: str) -> None:
    """CMake's took minutes on these while blanks before a word could be matched in many ways."""
    for text in ADVERSE:
        assert facts_of(manifest, text, Tree(())).manifest == manifest


def test_every_known_manifest_has_a_parser() -> None:
    assert set(PARSERS) == set(MANIFESTS)


@pytest.mark.parametrize(
    ("manifest", "text", "top", "below", "path"),
    [
        ("package.json", '{"bin": "./cli.js", "main": "a.js"}', ("cli.js", "a.js"), (), "cli.js"),
        ("package.json", '{"exports": {".": {"import": "./m.mjs"}}}', ("m.mjs",), (), "m.mjs"),
        (
            "package.json",
            '{"scripts": {"start": "node --inspect server/app.js"}}',
            ("server/",),
            ("server/app.js",),
            "server/app.js",
        ),
        ("package.json", '{"main": "lib"}', ("lib/",), ("lib/index.js",), "lib/index.js"),
        ("package.json", '{"main": "lib/main"}', ("lib/",), ("lib/main.js",), "lib/main.js"),
        ("package.json", '{"main": "dist/esm/a.js"}', ("src/",), ("src/a.tsx",), "src/a.tsx"),
        ("package.json", "{}", ("index.mjs",), (), "index.mjs"),
        ("pyproject.toml", '[project.scripts]\nx = "a.b:c"', ("a/",), ("a/b/__init__.py",), "a/b/__init__.py"),
        ("pyproject.toml", '[tool.poetry]\nname = "a-b"\n', ("a_b/",), ("a_b/__init__.py",), "a_b/__init__.py"),
        ("pyproject.toml", '[project]\nname = "a"\n', ("a/",), ("a/__init__.py", "a/__main__.py"), "a/__main__.py"),
        ("pyproject.toml", '[project]\nname = "a"\n', ("a.py",), (), "a.py"),
        ("pyproject.toml", '[project]\nname = "a"\n', ("src/",), ("src/other/__init__.py",), "src/other/__init__.py"),
        ("setup.cfg", "[options.entry_points]\nconsole_scripts =\n    x = a:b\n", ("a.py",), (), "a.py"),
        ("setup.py", 'setup(entry_points={"console_scripts": ["x = a.c:b"]})', ("a/",), ("a/c.py",), "a/c.py"),
        ("Cargo.toml", '[package]\nname = "a"\n', ("src/",), ("src/lib.rs", "src/main.rs"), "src/main.rs"),
        ("Cargo.toml", '[package]\nname = "a"\n[lib]\npath = "l.rs"\n', ("l.rs",), (), "l.rs"),
        ("Cargo.toml", '[package]\nname = "a"\n[[bin]]\nname = "x"\n', ("src/",), ("src/bin/x.rs",), "src/bin/x.rs"),
        ("go.mod", "module x.org/a\n", ("main.go", "cmd/"), ("cmd/b/main.go",), "main.go"),
        ("go.mod", "module x.org/b // note\n", ("cmd/",), ("cmd/a/main.go", "cmd/b/main.go"), "cmd/b/main.go"),
        ("go.mod", "module x.org/a\n", ("z.go", "a_test.go", "a.go"), (), "a.go"),
        ("CMakeLists.txt", "add_executable(x src/x.cpp)", ("src/",), ("src/x.cpp",), "src/x.cpp"),
    ],
)
def test_the_entry_point(manifest: str, text: str, top: tuple[str, ...], below: tuple[str, ...], path: str) -> None:
    tree = Tree(top, frozenset(below))
    entry = existing(facts_of(manifest, text, tree).entries, tree)
    assert entry is not None
    assert entry.path == path


def test_a_file_that_may_be_there_comes_after_one_that_is() -> None:
    tree = Tree(("src/", "b.py"), complete=False)
    assert tree.has("src/a.py") is None
    assert tree.has("lib/a.py") is False
    assert existing([Entry("src/a.py", ""), Entry("b.py", "")], tree) == Entry("b.py", "")
    assert existing([Entry("src/a.py", "")], tree) == Entry("src/a.py", "")
    assert existing([Entry("lib/a.py", "")], tree) is None
