"""Reads project manifests: package.json, Cargo.toml, go.mod, composer.json, CMakeLists.txt and Makefile.

Python's manifests stand in `python_manifests`. A parser never raises: what it cannot read becomes `Facts.problem`.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from typing import TypeAlias

from core.ai.demo.facts import Entry, Facts, Tree, existing, string, strings, table, tables
from core.ai.demo.python_manifests import pyproject, setup_cfg, setup_py
from core.ai.wire import Json

Parser: TypeAlias = Callable[[str, Tree], Facts]


def facts_of(manifest: str, text: str, tree: Tree) -> Facts:
    """Return what the manifest file says; `tree` holds paths relative to its folder."""
    try:
        facts = PARSERS[manifest](text, tree)
    except (ValueError, RecursionError) as error:
        return Facts(manifest, problem=f"`{manifest}` could not be understood ({error}).")
    facts.manifest = manifest
    return facts


# package.json


def package_json(text: str, tree: Tree) -> Facts:
    data = table(json.loads(text))
    scripts = {name: string(command) for name, command in table(data.get("scripts")).items()}
    facts = Facts(
        "package.json",
        "Node.js",
        name=string(data.get("name")),
        version=string(data.get("version")),
        description=string(data.get("description")),
        license=string(data.get("license")),
        dependencies=list(table(data.get("dependencies"))),
        dev_dependencies=list(table(data.get("devDependencies"))),
        scripts=[name for name in scripts if name not in ("start", "test")],
    )
    node = string(table(data.get("engines")).get("node"))
    facts.requires = f"Node.js {node}" if node else ""
    workspaces = data.get("workspaces")
    facts.members = strings(workspaces) or strings(table(workspaces).get("packages"))
    binaries = data.get("bin")
    bin_paths = [string(binaries)] if isinstance(binaries, str) else [string(v) for v in table(binaries).values()]
    imported = any(data.get(key) for key in ("main", "exports", "module"))
    if facts.members:
        facts.kind = "workspace"
    elif any(bin_paths):
        facts.kind = "package with a command" if imported else "command-line program"
    elif scripts.get("start") or scripts.get("dev"):
        facts.kind = "program"
    else:
        facts.kind = "package"
    if data.get("type") == "module":
        facts.kind += " (ES modules)"
    named = [
        *((path, "`bin`") for path in bin_paths),
        (_script_file(scripts.get("start", "")), "`scripts.start`"),
        (string(data.get("main")), "`main`"),
        (string(data.get("module")), "`module`"),
        (_export(data.get("exports")), "`exports`"),
        (_script_file(scripts.get("dev", "")), "`scripts.dev`"),
    ]
    facts.entries = [Entry(variant, why) for path, why in named if path for variant in _node_variants(path)]
    facts.entries += [Entry(path, "Node's default") for path in ("index.js", "index.mjs", "index.ts", "src/index.ts")]
    manager = _node_manager(tree)
    if scripts.get("start"):
        facts.run.append(f"`{manager} start` (runs `{scripts['start']}`)")
    elif any(bin_paths) or (data.get("main") and not data.get("exports")):
        first = existing(facts.entries, tree)
        facts.run += [f"`node {first.path}`"] if first and re.search(r"\.[cm]?js$", first.path) else []
    test = scripts.get("test", "")
    if test and "no test specified" not in test:
        facts.tested_by = f"{manager} test"
    return facts


def _node_manager(tree: Tree) -> str:
    locks = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lockb": "bun", "bun.lock": "bun"}
    return next((manager for lock, manager in locks.items() if lock in tree.top), "npm")


def _script_file(command: str) -> str:
    """The file that a script such as `node --flag server.js` starts."""
    match = re.search(r"\b(?:node|nodemon|tsx|ts-node|deno run|bun(?: run)?)\s+(?:-\S+\s+)*([\w./@-]+)", command)
    return match.group(1) if match else ""


def _export(value: Json) -> str:
    while isinstance(value, dict):
        value = next((value[key] for key in (".", "import", "default", "node", "require") if key in value), None)
    return string(value)


def _node_variants(path: str) -> list[str]:
    """The file itself and, for one that a build makes, the source it is made from."""
    path = re.sub(r"^(?:\./)+", "", path).rstrip("/")
    stem, dot, suffix = path.rpartition(".")
    if not dot or "/" in suffix:
        return [path, f"{path}.js", f"{path}/index.js", f"{path}.ts"]
    out = [path]
    match = re.match(r"(?:dist|build|lib|out)/(?:(?:esm|cjs|src|es)/)?(.+)$", stem)
    for base in (f"src/{match.group(1)}", match.group(1)) if match else (stem,):
        out += [f"{base}.{kind}" for kind in ("ts", "tsx", "mts", "js", "mjs")]
    return list(dict.fromkeys(out))


# Cargo.toml


def cargo_toml(text: str, tree: Tree) -> Facts:
    data = tomllib.loads(text)
    package = table(data.get("package"))
    workspace = table(data.get("workspace"))
    shared = table(workspace.get("package"))

    def field(key: str) -> str:
        value = package.get(key)
        return string(shared.get(key)) if isinstance(value, dict) and value.get("workspace") else string(value)

    facts = Facts(
        "Cargo.toml",
        "Rust",
        name=field("name"),
        version=field("version"),
        description=field("description"),
        license=field("license"),
        dependencies=list(table(data.get("dependencies"))),
        dev_dependencies=list(table(data.get("dev-dependencies"))),
        members=strings(workspace.get("members")),
        tested_by="cargo test",
    )
    details = [f"edition {field('edition')}" if field("edition") else ""]
    details.append(f"Rust {field('rust-version')} or newer" if field("rust-version") else "")
    facts.requires = ", ".join(detail for detail in details if detail)
    binaries = tables(data.get("bin"))
    default = string(package.get("default-run"))
    binaries.sort(key=lambda item: item.get("name") != default)
    for item in binaries:
        name = string(item.get("name"))
        paths = [string(item.get("path"))] if item.get("path") else [f"src/bin/{name}.rs", "src/main.rs"]
        facts.entries += [Entry(path, f"the `[[bin]]` section for {name}") for path in paths]
    library = table(data.get("lib"))
    facts.entries.append(Entry("src/main.rs", "Cargo's default for a program"))
    if string(library.get("path")):
        facts.entries.append(Entry(string(library["path"]), "the `[lib]` section"))
    facts.entries.append(Entry("src/lib.rs", "Cargo's default for a library"))
    facts.entries += [Entry(path, "Cargo's default for a program") for path in tree.files("src/bin/*.rs")]
    if not package:
        facts.kind, facts.entries = "workspace", []
    elif binaries or tree.has("src/main.rs") or tree.files("src/bin/*.rs"):
        facts.kind = "library with a program" if tree.has("src/lib.rs") or library else "program"
        facts.run.append(f"`cargo run{f' --bin {default}' if default else ''}`")
    elif library or tree.has("src/lib.rs"):
        facts.kind = "library"
    return facts


# go.mod


def go_mod(text: str, tree: Tree) -> Facts:
    text = re.sub(r"//(?!\s*indirect)[^\n]*", "", text)
    module = re.search(r"^module\s+\"?([^\s\"]+)", text, re.MULTILINE)
    if module is None:
        raise ValueError("no module line")
    path = module.group(1)
    version = re.search(r"^go\s+(\S+)", text, re.MULTILINE)
    blocks = re.findall(r"^require\s*\((.*?)^\)", text, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    lines += re.findall(r"^require\s+([^(\n]+)", text, re.MULTILINE)
    direct = [line.split()[0] for line in lines if line.strip() and "indirect" not in line]
    last = re.sub(r"/v\d+$", "", path).rsplit("/", 1)[-1]
    commands = tree.files("cmd/*/main.go") or tree.files("cmd/*.go")
    facts = Facts(
        "go.mod",
        "Go",
        name=path,
        requires=f"Go {version.group(1)} or newer" if version else "",
        dependencies=direct,
        tested_by="go test ./...",
    )
    facts.entries = [Entry("main.go", "Go's convention for a program")]
    commands.sort(key=lambda command: f"/{last}/" not in command)
    facts.entries += [Entry(command, "Go's convention for commands (`cmd/`)") for command in commands]
    packages = ["doc.go", f"{last}.go", *(name for name in tree.top if name.endswith(".go"))]
    facts.entries += [
        Entry(name, "Go's convention for a package") for name in packages if not name.endswith("_test.go")
    ]
    if tree.has("main.go"):
        facts.kind = "program"
        facts.run.append("`go run .`")
    elif commands:
        facts.kind = "program" if len(commands) == 1 else f"module with {len(commands)} commands"
        facts.run.append(f"`go run ./{commands[0].rpartition('/')[0]}`")
    elif any(name.endswith(".go") for name in tree.top):
        facts.kind = "library"
    return facts


# The rest


def composer_json(text: str, tree: Tree) -> Facts:
    data = table(json.loads(text))
    kind = string(data.get("type"))
    return Facts(
        "composer.json",
        "PHP",
        name=string(data.get("name")),
        version=string(data.get("version")),
        description=string(data.get("description")),
        kind=kind if kind in ("library", "project") else "",
        license=string(data.get("license")),
        dependencies=[name for name in table(data.get("require")) if "/" in name],
        dev_dependencies=[name for name in table(data.get("require-dev")) if "/" in name],
        entries=[Entry(path, "PHP's convention") for path in ("public/index.php", "index.php", "src/index.php")],
        scripts=list(table(data.get("scripts"))),
    )


def cmake(text: str, tree: Tree) -> Facts:
    flags = re.IGNORECASE | re.MULTILINE
    project = re.search(r"^[ \t]*project[ \t]*\(\s*\"?([\w.+-]+)([^()]{0,500})", text, flags)
    options = project.group(2) if project else ""
    version = re.search(r"\bVERSION\s+([\d.]+)", options)
    description = re.search(r"\bDESCRIPTION\s+\"([^\"]+)\"", options)
    built = re.findall(r"^[ \t]*add_executable[ \t]*\(\s*[\w.+-]+\s([^()]{0,2000})", text, flags)
    sources = [word for words in built for word in words.split() if re.search(r"\.(?:c|cc|cpp|cxx)$", word)]
    library = re.search(r"^[ \t]*add_library[ \t]*\(", text, flags)
    return Facts(
        "CMakeLists.txt",
        "C/C++ (CMake)",
        name=project.group(1) if project else "",
        version=version.group(1) if version else "",
        description=description.group(1) if description else "",
        kind="program" if built else "library" if library else "",
        entries=[Entry(source, "`add_executable`") for source in sources],
        run=["`cmake -B build && cmake --build build` (that builds it)"],
    )


def makefile(text: str, tree: Tree) -> Facts:
    targets = re.findall(r"^([A-Za-z0-9][\w-]*)\s*:(?![=:])", text, re.MULTILINE)
    names = list(dict.fromkeys(targets))
    return Facts(
        "Makefile",
        "Make",
        run=[f"`make {name}`" for name in names if name in ("run", "start")],
        tested_by=next((f"make {name}" for name in names if name in ("test", "tests", "check")), ""),
        scripts=names,
        entries=[Entry(path, "C's convention") for path in ("main.c", "src/main.c", "main.cpp", "src/main.cpp")],
    )


PARSERS: dict[str, Parser] = {
    "package.json": package_json,
    "pyproject.toml": pyproject,
    "Cargo.toml": cargo_toml,
    "go.mod": go_mod,
    "setup.cfg": setup_cfg,
    "setup.py": setup_py,
    "composer.json": composer_json,
    "CMakeLists.txt": cmake,
    "Makefile": makefile,
}
