"""Plans that look for text and for file names."""

from __future__ import annotations

import re
from collections.abc import Callable

from core.ai.demo.file_plans import SHOWN_MATCHES, names
from core.ai.demo.plan import Ask, Desk, Plan, Step, bash, clip, code, count, missing, one, quoted

SEARCHED_LINES = 200
"""Matches that are asked for at most."""

_ROW = re.compile(r"^(?:\./)?(.+?):(\d+):(.*)$")
_SKIPPED = ("'.[!.]*'", "node_modules", "__pycache__", "target", "dist")
"""Folders that are passed over, as shell patterns: hidden ones and what is fetched or built."""


def search(words: str, path: str) -> Callable[[Desk], Plan]:
    """Look for a text, taken literally; letters count as typed only when there is a capital among them."""

    def plan(desk: Desk) -> Plan:
        ignore_case = words == words.lower()
        where = f"in {code(path)}" if path else "in this folder"
        if "grep" in desk:
            arguments = {"pattern": words, "literal": True, "ignoreCase": ignore_case, "limit": SEARCHED_LINES}
            ask = Ask("grep", {**arguments, **({"path": path} if path else {})})
        elif "bash" in desk:
            skipped = f"--exclude-dir={{{','.join(_SKIPPED)}}}"
            flags = f"-rnIF{'i' if ignore_case else ''}"
            target = quoted(path) if path else "."
            found = f"grep {flags} {skipped} -e {quoted_text(words)} -- {target}"
            ask = bash(f"{found} | sort -t: -k1,1 -k2,2n | head -n {SEARCHED_LINES}")
        else:
            return missing(desk, "bash")
        seen = one((yield Step(f"I'll search for {code(words)} {where}.", (ask,))))
        rows = [match.groups() for line in seen.text.splitlines() if (match := _ROW.match(line))]
        rows = [(path if file == "." and path else file, number, text) for file, number, text in rows]
        if not rows and path and (single := re.findall(r"^(\d+):(.*)$", seen.text, re.MULTILINE)):
            rows = [(path, number, text) for number, text in single]
        problems = [line for line in seen.text.splitlines() if line.startswith("grep: ")]
        if not rows:
            if problems or seen.failed:
                return f"The search failed: {problems[0] if problems else seen.first_line}"
            return f"I found no {code(words)} {where}{'' if not ignore_case else ', whatever the case of the letters'}."
        files = list(dict.fromkeys(row[0] for row in rows))
        more = len(rows) >= SEARCHED_LINES or seen.cut
        total = f"{'at least ' if more else ''}{count(len(rows), 'line')} in {count(len(files), 'file')}"
        shown = [f"- {code(f'{file}:{number}')} {clip(text.strip(), 120)}" for file, number, text in literal(rows)]
        rest = f"\n- … and {len(rows) - SHOWN_MATCHES:,} more" if len(rows) > SHOWN_MATCHES else ""
        return f"{code(words)} is {where} on {total}:\n\n" + "\n".join(shown) + rest

    return plan


def literal(rows: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Return the rows that are shown, their text as inline code so that no markup in it counts."""
    return [(file, number, code(text) if text.strip() else "") for file, number, text in rows[:SHOWN_MATCHES]]


def quoted_text(text: str) -> str:
    """Return `text` as one word of a shell command."""
    return "'" + text.replace("'", "'\"'\"'") + "'"


def find_names(pattern: str) -> Callable[[Desk], Plan]:
    """Look for files by name; a pattern without `*` or `?` may stand anywhere in the name."""

    def plan(desk: Desk) -> Plan:
        glob = pattern if re.search(r"[*?\[]", pattern) else f"*{pattern}*"
        if "bash" in desk:
            pruned = " -o ".join(f"-name {name}" for name in _SKIPPED)
            named = f"-iname {quoted_text(glob)} -print"
            ask = bash(f"find . \\( {pruned} \\) -prune -o {named} | sort | head -n {SEARCHED_LINES}")
        elif "find" in desk:
            ask = Ask("find", {"pattern": glob, "limit": SEARCHED_LINES})
        else:
            return missing(desk, "bash")
        seen = one((yield Step(f"I'll look for names like {code(glob)}.", (ask,))))
        if seen.failed:
            return f"The search failed: {seen.first_line}"
        found = (
            [] if seen.printed_nothing else [line.removeprefix("./") for line in seen.text.splitlines() if line.strip()]
        )
        if "bash" not in desk and len(found) == 1 and re.match(r"no (?:files|match)", found[0], re.IGNORECASE):
            found = []
        if not found:
            return f"Nothing here has a name like {code(glob)}."
        return f"{count(len(found), 'name')} like {code(glob)}: {names(found, 40)}."

    return plan
