"""Plans that run commands: any command, the tests of the project, git."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from core.ai.demo.facts import MANIFESTS, Facts, Tree
from core.ai.demo.file_plans import Part, listing, names
from core.ai.demo.manifests import facts_of
from core.ai.demo.plan import Desk, Plan, Seen, Step, bash, code, count, fence, missing, one, read

SHOWN_OUTPUT = 30
_EXIT_CODE = re.compile(r"\bexit(?:ed)?\b[^\d\n]{0,24}(\d+)", re.IGNORECASE)
_INTERPRETERS = {".py": "python3", ".js": "node", ".mjs": "node", ".cjs": "node", ".sh": "bash", ".rb": "ruby"}


def run(command: str) -> Callable[[Desk], Plan]:
    """Run a command; the bare name of a script is given to its interpreter."""
    suffix = re.fullmatch(r"[\w./-]*[\w-](\.\w+)", command)
    interpreter = _INTERPRETERS.get(suffix.group(1)) if suffix and not command.startswith(("./", "/")) else None
    line = f"{interpreter} {command}" if interpreter else command

    def plan(desk: Desk) -> Plan:
        if lack := missing(desk, "bash"):
            return lack
        seen = one((yield Step(f"I'll run {code(line)}.", (bash(line, pure=False),))))
        verdict = f"{code(line)} {_ending(seen)}"
        output, more = tail(seen)
        if not output:
            return f"{verdict} and printed nothing." if not seen.failed else f"{verdict}; it printed nothing."
        return f"{verdict}. {more}:\n\n{fence(output)}"

    return plan


def tail(seen: Seen) -> tuple[str, str]:
    """Return the end of an output, and how to call it."""
    notice = f"[{seen.notice}]" if seen.notice and not seen.cut else ""
    if seen.printed_nothing and not notice:
        return "", ""
    lines = [*seen.text.strip("\n").split("\n"), *([notice] if notice else [])]
    if len(lines) <= SHOWN_OUTPUT and not seen.cut:
        return "\n".join(lines), "Its output"
    return "\n".join(lines[-SHOWN_OUTPUT:]), f"The last {min(len(lines), SHOWN_OUTPUT)} lines of its output"


def _ending(seen: Seen) -> str:
    if not seen.failed:
        return "ended well"
    found = _EXIT_CODE.search(seen.status)
    if found:
        return f"failed with exit code {found.group(1)}"
    return f"failed ({(seen.status or seen.first_line).rstrip('.') or 'no reason given'})"


# Tests


def run_tests(desk: Desk) -> Plan:
    """Find the test command in the manifest and run it."""
    if lack := missing(desk, "bash", "read"):
        return lack
    listed = yield from listing(desk, "", "I'll look for the manifest that tells how this project is tested.")
    if isinstance(listed, str):
        return listed
    found = yield from _manifests(listed)
    tested = [facts for facts in found if facts.tested_by]
    if not tested:
        looked = f"I read {names([facts.manifest for facts in found])}" if found else "I found no manifest that I know"
        problem = next((f" {facts.problem}" for facts in found if facts.problem), "")
        return f"{looked}, and nothing there tells how to run tests.{problem} Name a command, say `run pytest`."
    facts = tested[0]
    command = facts.tested_by
    say = f"By {code(facts.manifest)} the tests are run with {code(command)}: I'll do that."
    seen = one((yield Step(say, (bash(command, pure=False),))))
    if seen.failed and re.search(r"No module named '?pytest", seen.text):
        command = "python3 -m unittest discover"
        seen = one((yield Step("pytest is not installed here; I'll try unittest.", (bash(command, pure=False),))))
    return verdict(command, seen)


def _manifests(listed: Sequence[str]) -> Part[list[Facts]]:
    known = [name for name in MANIFESTS if name in listed]
    if not known:
        return []
    results = yield Step(f"I'll read {names(known)}.", tuple(read(name) for name in known))
    tree = Tree(tuple(listed), complete=False)
    return [facts_of(name, seen.text, tree) for name, seen in zip(known, results, strict=True) if not seen.failed]


_OUTCOMES = "passed|failed|errors?|skipped|xfailed|xpassed|warnings?|deselected"
_SUMMARIES = (
    re.compile(rf"^=*\s*((?:\d+ (?:{_OUTCOMES})(?:, )?)+ in [\d.:hms ]+).*$"),
    re.compile(r"^(no tests ran in .*?)=*$"),
    re.compile(r"^(Ran \d+ tests? in .*)$"),
    re.compile(r"^(OK(?: \(.*\))?|FAILED \(.*\))$"),
    re.compile(r"^(test result: .*)$"),
    re.compile(r"^((?:ok|FAIL|---\s+FAIL:?)\s+\S+.*|\?\s+\S+\s+\[no test files\])$"),
    re.compile(r"^(?:#|ℹ)\s*((?:tests|pass|fail|skipped) \d+)$"),
    re.compile(r"^((?:Tests|Test Suites|Test Files):?\s+.*\d+.*)$"),
    re.compile(r"^\s*(\d+ (?:passing|failing|pending).*)$"),
)
_FAILURES = re.compile(
    r"^(?:FAILED|ERROR:?|FAIL:) (\S.*?)(?: - .*)?$|^test (\S+) \.\.\. FAILED$|^\s*--- FAIL: (\S+)|^not ok \d+ - (.*)$"
    r"|^✖ (.+?)(?: \(.*)?$",
    re.MULTILINE,
)


def verdict(command: str, seen: Seen) -> str:
    """Return what a test run says, from the summary lines that the runners print."""
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line).strip() for line in seen.text.splitlines()]
    told = [match.group(1).strip() for line in lines for pattern in _SUMMARIES if (match := pattern.match(line))]
    failed = ["".join(part or "" for part in match) for match in _FAILURES.findall("\n".join(lines))]
    failed = [name for name in dict.fromkeys(failed) if not name.startswith("(")]
    said = [f"{code(command)} {_ending(seen)}."]
    if told:
        said.append("The runner says: " + "; ".join(code(line) for line in told[-6:]) + ".")
    if failed:
        said.append(f"Failed: {names(failed)}.")
    if not told or (seen.failed and not failed):
        output, more = tail(seen)
        said.append(f"{more}:\n\n{fence(output)}" if output else "It printed nothing.")
    return "\n\n".join(said)


# git


def what_changed(desk: Desk) -> Plan:
    """Tell what differs from the last commit."""
    if lack := missing(desk, "bash"):
        return lack
    command = "git status --short --branch && git diff --stat && git diff --cached --stat"
    seen = one((yield Step("I'll ask git.", (bash(command),))))
    if seen.failed:
        return _git_failure(seen)
    lines = seen.text.splitlines()
    branch = re.sub(r"^## (?:No commits yet on )?", "", lines[0]) if lines and lines[0].startswith("##") else ""
    fresh = bool(lines) and "No commits yet" in lines[0]
    changes = [(line[:2], line[3:]) for line in lines if re.match(r"^[ MADRCUT?!]{2} \S", line)]
    where = f"on branch {code(branch.split('...')[0])}" if branch else "here"
    if not changes:
        return (
            f"Nothing has changed {where}: the working tree is clean{' (and there is no commit yet)' if fresh else ''}."
        )
    groups: dict[str, list[str]] = {}
    for state, path in changes:
        groups.setdefault(_state_word(state), []).append(path.strip('"'))
    rows = [f"- {word}: {names(paths, 20)}" for word, paths in groups.items()]
    totals = [line.strip() for line in lines if re.match(r"^ \d+ files? changed", line)]
    stat = f"\n\ngit counts {' and '.join(totals)}." if totals else ""
    differ = "differs" if len(changes) == 1 else "differ"
    head = f"{count(len(changes), 'file')} {where} {differ} from the last commit:"
    return f"{head}\n\n{chr(10).join(rows)}{stat}"


def _state_word(state: str) -> str:
    if state == "??":
        return "new, not yet known to git"
    if "U" in state or state in ("AA", "DD"):
        return "in conflict"
    letter = state.strip()[0]
    word = {"M": "changed", "A": "added", "D": "deleted", "R": "renamed", "C": "copied", "T": "changed in type"}
    return word.get(letter, "changed") + (" and staged" if state[0] not in " ?" else "")


def show_diff(path: str) -> Callable[[Desk], Plan]:
    """Show the uncommitted changes as a diff."""
    return _git(
        f"git --no-pager diff{f' -- {path}' if path else ''}", "The diff", "There are no unstaged changes.", "diff"
    )


def show_log(number: int) -> Callable[[Desk], Plan]:
    """Show the last commits."""
    return _git(f"git --no-pager log --oneline -n {number}", "The last commits", "There are no commits.", "")


def _git(command: str, title: str, nothing: str, tag: str) -> Callable[[Desk], Plan]:
    def plan(desk: Desk) -> Plan:
        if lack := missing(desk, "bash"):
            return lack
        seen = one((yield Step("I'll ask git.", (bash(command),))))
        if seen.failed:
            return _git_failure(seen)
        if seen.printed_nothing or not seen.text.strip():
            return nothing
        lines = seen.text.rstrip("\n").split("\n")
        cut = f"\n\n… and {len(lines) - 60:,} lines more." if len(lines) > 60 else ""
        return f"{title}:\n\n{fence(chr(10).join(lines[:60]), tag)}{cut}"

    return plan


def _git_failure(seen: Seen) -> str:
    if "not a git repository" in seen.text:
        return "This folder is not in a git repository, so nobody has kept what it was before."
    if re.search(r"git: (?:command )?not found", seen.text):
        return "git is not installed here, so I cannot tell what changed."
    return f"git says: {seen.first_line}"
