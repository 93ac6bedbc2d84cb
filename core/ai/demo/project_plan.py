"""The plan that explains a project: list, read the manifest, read the entry point that it names, answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.ai.demo.facts import DEPTH, JUNK, MANIFESTS, OTHER_MANIFESTS, Entry, Facts, Tree, existing
from core.ai.demo.file_plans import Part, listing
from core.ai.demo.manifests import facts_of
from core.ai.demo.plan import Ask, Desk, Plan, Seen, Step, bash, code, join, missing, one, quoted, read
from core.ai.demo.project_answer import Findings, answer

LISTED_FILES = 400
README_LINES = 100
READ_MANIFESTS = 3
READ_MEMBERS = 4
ATTEMPTS = 2
"""Entry points that are tried when the listing does not tell whether they are there."""

_LIKELY = ("main.*", "index.*", "app.*", "cli.*", "run.*", "src/main.*", "src/index.*")


def explain(desk: Desk) -> Plan:
    """Explain the project in the current folder from what its files say."""
    if lack := missing(desk, "read"):
        return lack
    return (yield from _explain(desk, "", "I'll list the files first."))


def _explain(desk: Desk, root: str, say: str) -> Plan:
    listed = yield from listing(desk, root, say)
    if isinstance(listed, str):
        return listed
    if not listed:
        return "This folder is empty: there is no project here yet. `create F with T` makes a first file."
    look = yield from _look(desk, root, listed)
    if not look.facts and not look.readme and not root and (inner := _inner_project(listed, look.tree)):
        return (
            yield from _explain(desk, inner, f"There is no manifest here, but one in {code(inner)}: I'll list that.")
        )
    findings = Findings(root, look.tree, look.facts, look.readme, look.opened)
    if findings.facts and findings.facts[0].members:
        findings.members = yield from _read_members(root, findings.facts[0], look)
    entries = findings.facts[0].entries if findings.facts else []
    if not entries and not look.facts:
        entries = [Entry(path, "its name") for pattern in _LIKELY for path in look.tree.files(pattern)]
    yield from _read_entry(root, entries, look, findings)
    return answer(findings)


@dataclass(slots=True)
class _Look:
    """What the second turn found. `opened` are the files that were read."""

    tree: Tree
    facts: list[Facts] = field(default_factory=list)
    readme: tuple[str, Seen] | None = None
    opened: list[str] = field(default_factory=list)


def _look(desk: Desk, root: str, listed: Sequence[str]) -> Part[_Look]:
    """Read manifests and README and list the folders, all at once."""
    manifests = [name for name in MANIFESTS if name in listed][:READ_MANIFESTS]
    others = [name for name in OTHER_MANIFESTS if name in listed and name != "requirements.txt"][
        : 0 if manifests else 1
    ]
    readmes = sorted((n for n in listed if re.fullmatch(r"readme(\.\w+)?", n, re.IGNORECASE)), key=_readme_order)[:1]
    folders = [n for n in listed if n.endswith("/") and not n.startswith(".") and n.rstrip("/") not in JUNK]
    asks = [read(root + name) for name in [*manifests, *others]]
    asks += [read(root + name, limit=README_LINES) for name in readmes]
    if folders and "bash" in desk:
        asks.append(_find(root, folders))
    if not asks:
        return _Look(Tree(tuple(listed), complete=not folders))
    doing = (
        [f"read {join([code(name) for name in [*manifests, *others, *readmes]])}"]
        if manifests or others or readmes
        else []
    )
    doing += ["list the folders"] if folders and "bash" in desk else []
    results = list((yield Step(f"Next I'll {' and '.join(doing)}.", tuple(asks))))
    tree = Tree(tuple(listed), complete=not folders)
    if folders and "bash" in desk:
        tree = _tree(root, listed, results.pop())
    look = _Look(tree)
    for name, seen in zip([*manifests, *others, *readmes], results, strict=True):
        if seen.failed:
            continue
        look.opened.append(name)
        if name in readmes:
            look.readme = (name, seen)
        elif name in others:
            look.facts.append(Facts(name, OTHER_MANIFESTS[name]))
        else:
            look.facts.append(facts_of(name, seen.text, tree))
    look.facts.sort(key=lambda facts: _worth(facts, tree), reverse=True)
    return look


def _readme_order(name: str) -> tuple[bool, str]:
    return not name.lower().endswith(".md"), name


def _find(root: str, folders: Sequence[str]) -> Ask:
    pruned = " -o ".join(f"-name {name}" for name in ("node_modules", "__pycache__", "target", "'.*'"))
    paths = " ".join(quoted(root + name.rstrip("/")) for name in folders)
    return bash(
        f"find {paths} -maxdepth {DEPTH} \\( {pruned} \\) -prune -o -type f -print | sort | head -n {LISTED_FILES}"
    )


def _tree(root: str, listed: Sequence[str], seen: Seen) -> Tree:
    if seen.failed or seen.printed_nothing:
        return Tree(tuple(listed), complete=not seen.failed)
    lines = [line.removeprefix("./").removeprefix(root) for line in seen.text.splitlines() if line]
    return Tree(tuple(listed), frozenset(lines), complete=len(lines) < LISTED_FILES and not seen.cut)


def _worth(facts: Facts, tree: Tree) -> int:
    """How much a manifest says: the one that says most is the project's, the others serve its tools."""
    found = existing(facts.entries, tree)
    known = found is not None and tree.has(found.path) is True
    return (
        4 * bool(facts.name) + 3 * known + 2 * bool(facts.description) + bool(facts.version) + 2 * bool(facts.members)
    )


def _inner_project(listed: Sequence[str], tree: Tree) -> str:
    """The folder of the only manifest one level down, if that is clear."""
    roots = {path.split("/")[0] for name in MANIFESTS for path in tree.files(f"*/{name}")}
    visible = [name for name in listed if name.endswith("/") and not name.startswith(".")]
    return f"{roots.pop()}/" if len(roots) == 1 and len(visible) == 1 else ""


def _read_members(root: str, facts: Facts, look: _Look) -> Part[list[Facts]]:
    """Read the manifests of the first members of a workspace."""
    patterns = [f"{member.strip('./').rstrip('/')}/{facts.manifest}".replace("**", "*") for member in facts.members]
    paths = list(dict.fromkeys(path for pattern in patterns for path in look.tree.files(pattern)))
    if not paths:
        return []
    some = paths[:READ_MEMBERS]
    which = "its members" if len(some) == len(paths) else f"{len(some)} of its {len(paths)} members"
    say = f"It is a workspace; I'll read {which}."
    results = yield Step(say, tuple(read(root + path) for path in some))
    out = []
    for path, seen in zip(some, results, strict=True):
        if not seen.failed:
            look.opened.append(path)
            member = facts_of(facts.manifest, seen.text, Tree((), complete=False))
            member.manifest = path
            out.append(member)
    return out


def _read_entry(root: str, entries: Sequence[Entry], look: _Look, findings: Findings) -> Part[None]:
    left = list(entries)
    for _ in range(ATTEMPTS):
        entry = existing(left, look.tree)
        if entry is None:
            return
        say = f"{entry.named_by[0].upper()}{entry.named_by[1:]} leads to {code(entry.path)}: I'll read that."
        seen = one((yield Step(say, (read(root + entry.path),))))
        if not seen.failed:
            look.opened.append(entry.path)
            findings.entry, findings.entry_text = entry, seen
            return
        left = [other for other in left if other.path != entry.path]
