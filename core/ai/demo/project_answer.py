"""Puts what was read of a project into words. Whatever it says stands in a file that was read or listed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.ai.demo.facts import DEPTH, Entry, Facts, Tree
from core.ai.demo.file_plans import names
from core.ai.demo.plan import Seen, clip, code, count, join
from core.ai.demo.sources import first_paragraph, outline


@dataclass(slots=True)
class Findings:
    """What an explanation is made from. `facts` are the manifests, the one that says most first."""

    root: str
    tree: Tree
    facts: list[Facts]
    readme: tuple[str, Seen] | None
    opened: list[str]
    entry: Entry | None = None
    entry_text: Seen | None = None
    members: list[Facts] = field(default_factory=list)


def answer(found: Findings) -> str:
    """Return the explanation as Markdown."""
    facts = found.facts[0] if found.facts else None
    readme = first_paragraph(found.readme[1].text) if found.readme else ""
    bullets = [*_entry_bullets(found), *_need_bullets(facts), *_run_bullets(found, facts), *_file_bullets(found)]
    parts = [_head(found, facts, readme)]
    if facts and facts.problem:
        parts.append(facts.problem)
    if facts and facts.members:
        parts.append(_workspace(facts, found.members))
    if readme and facts and facts.description and not _same(readme, facts.description) and found.readme:
        parts.append(f"{code(found.readme[0])} says: “{clip(readme, 400)}”")
    parts.append("\n".join(f"- {bullet}" for bullet in bullets))
    parts.append(_sources(found))
    return "\n\n".join(part for part in parts if part)


def _sources(found: Findings) -> str:
    if not found.opened:
        return "I know these files by name only; `read F` shows one."
    opened = names([found.root + path for path in found.opened], 8)
    seen = {name for name in found.tree.top if name.startswith(".") and name.endswith("/")}
    rest = "" if seen.union(found.opened) >= set(found.tree.top) else "; the rest I know by name only"
    return f"I read {opened} for this{rest}."


def _head(found: Findings, facts: Facts | None, readme: str) -> str:
    place = f"the project in {code(found.root)}" if found.root else "this project"
    if facts is None:
        if found.readme:
            told = f" Its {code(found.readme[0])} says: “{clip(readme, 500)}”" if readme else ""
            return f"There is no manifest that I know here, but a {code(found.readme[0])}.{told}"
        return "There is neither a manifest that I know nor a README here, so I can only tell what the files are."
    subject = f"**{facts.name}**{f' {facts.version}' if facts.version else ''}" if facts.name else place.capitalize()
    kind = " ".join(word for word in (facts.ecosystem, facts.kind or "project") if word)
    about = facts.description or readme
    told = f": “{clip(about, 500)}”" if about else f". {code(facts.manifest)} gives no description of it."
    source = f" ({code(found.readme[0])} says so.)" if about and not facts.description and found.readme else ""
    return f"{subject} is a {kind}{told}{source}"


def _workspace(facts: Facts, members: Sequence[Facts]) -> str:
    rows = []
    for member in members:
        told = f": {clip(member.description, 120)}" if member.description else ""
        rows.append(f"- **{member.name or member.manifest}** ({code(member.manifest)}){told}")
    listed = f"\n\n{chr(10).join(rows)}" if rows else ""
    return f"Its members are {names(facts.members)}.{listed}"


def _entry_bullets(found: Findings) -> list[str]:
    if found.entry is None or found.entry_text is None:
        if found.facts and found.facts[0].entries and not found.facts[0].members:
            return ["Entry point: I found none of the files where it would be."]
        return []
    text = found.entry_text
    shape = outline(found.entry.path, text.text)
    if not text.text.strip():
        return [f"Entry point: {code(found.entry.path)} ({found.entry.named_by}); the file is empty."]
    size = f"more than {shape.lines:,} lines" if text.cut else count(shape.lines, "line")
    language = f" of {shape.language}" if shape.language else ""
    said = [f"Entry point: {code(found.entry.path)} ({found.entry.named_by}), {size}{language}."]
    if shape.opening:
        said.append(f"It begins by saying: “{clip(shape.opening, 300)}”")
    if shape.names:
        said.append(f"It defines {names(shape.names, 8)}.")
    if shape.printed:
        said.append(f"It prints {join([f'“{clip(line, 60)}”' for line in shape.printed])}.")
    return [" ".join(said)]


def _need_bullets(facts: Facts | None) -> list[str]:
    if facts is None or not facts.name:
        return []
    needs = [facts.requires] if facts.requires else []
    if facts.dependencies:
        needs.append(f"{count(len(facts.dependencies), 'dependency', 'dependencies')} ({names(facts.dependencies, 8)})")
    elif not facts.members:
        needs.append("no dependencies are declared")
    if facts.dev_dependencies:
        needs.append(f"{len(facts.dev_dependencies)} more for development ({names(facts.dev_dependencies, 5)})")
    licence = [f"License: {clip(facts.license, 60)}."] if facts.license else []
    return [*([f"Needs: {'; '.join(needs)}."] if needs else []), *licence]


def _run_bullets(found: Findings, facts: Facts | None) -> list[str]:
    if facts is None:
        return []
    bullets = []
    if facts.run:
        bullets.append(f"Run it: {join(facts.run, 'or')}.")
    tested = facts.tested_by or next((other.tested_by for other in found.facts if other.tested_by), "")
    if tested:
        bullets.append(f"Test it: {code(tested)}.")
    if facts.scripts:
        word = "Make targets" if facts.manifest == "Makefile" else "Other scripts"
        bullets.append(f"{word}: {names(facts.scripts, 10)}.")
    others = [other.manifest for other in found.facts[1:]]
    if others:
        bullets.append(f"It also has {names(others)}.")
    return bullets


def _file_bullets(found: Findings) -> list[str]:
    tree = found.tree
    files = [name for name in tree.top if not name.endswith("/")]
    folders = [name for name in tree.top if name.endswith("/") and not name.startswith(".")]
    counts = Counter(path.split("/", 1)[0] + "/" for path in tree.below) if tree.complete else Counter[str]()
    deep = {path.split("/", 1)[0] + "/" for path in tree.below if path.count("/") >= DEPTH}
    shown = []
    for name in folders[:12]:
        number = f"{'at least ' if name in deep else ''}{count(counts[name], 'file')}"
        shown.append(f"{code(name)} ({number})" if counts[name] else code(name))
    more = f" and {len(folders) - 12} more folders" if len(folders) > 12 else ""
    listed = [f"{count(len(files), 'file')} at the top: {names(files, 12)}"] if files else []
    listed += [f"folders: {', '.join(shown)}{more}"] if folders else []
    return [f"Files: {'; '.join(listed)}."] if listed else []


def _same(one: str, other: str) -> bool:
    def words(text: str) -> str:
        return " ".join(re.findall(r"\w+", text.casefold()))

    return words(one).startswith(words(other)) or words(other).startswith(words(one))
