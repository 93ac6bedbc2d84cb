"""The sentences that the guide understands: one table, from which help, suggestions and the parser come.

docs/demo-model.md lists the same forms with the calls that each leads to; a test keeps the two in step.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from core.ai.demo import change_plans, file_plans, project_plan, search_plans, shell_plans
from core.ai.demo.language import opened_politely, tidied, unquoted
from core.ai.demo.plan import Desk, Plan, Wish

Start: TypeAlias = Callable[[Desk], Plan]
Maker: TypeAlias = Callable[[re.Match[str]], Start | None]
"""Makes a plan of a match; None when the words only looked like the form."""


@dataclass(frozen=True, slots=True)
class Form:
    """One sentence form. `usage` is how help writes it; `raw` patterns see the sentence with its end untouched."""

    name: str
    usage: str
    patterns: tuple[re.Pattern[str], ...]
    make: Maker
    raw: bool = False


_QUOTED = r"```.*?```|`[^`\n]+`|\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|'[^'\n]*'|‘[^’\n]*’"
_PATH = rf"(?:@?(?:{_QUOTED})|@?[^\s\"'`,;]+)"
_HERE = r"(?:(?:this|the|that|my|our|current|working|whole|entire|present|root|project(?:'s)?)\s+)*(?:folder|directory|dir|project|repo(?:sitory)?|place|tree)|here|there|\.|\./|it|this|cwd"
_PROJECT = r"(?:project|repo(?:sitory)?|code\s?base|code|app|application|program|package|library|crate|module|software|folder|directory|thing)"
_THIS = r"(?:(?:this|the|my|our|that|current|whole|entire)\s+)*"
_KNOWN_NAMES = {
    "makefile",
    "readme",
    "license",
    "licence",
    "dockerfile",
    "changelog",
    "gemfile",
    "procfile",
    "todo",
    "notice",
}
_PROGRAMS = "git|npm|npx|pnpm|yarn|bun|node|deno|python|python3|pytest|pip|uv|cargo|rustc|docker|kubectl|pwd|whoami|uname|env|wc|tree"
_NOT_COMMANDS = re.compile(
    r"(?:the|this|that|it|them|a|an|my|our|your|all|everything|some|any|away|me|him|her|us|for|into|out|in|on|to|what|how|why)\b",
    re.I,
)


def _p(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(f"(?:{pattern})$", re.IGNORECASE | re.DOTALL) for pattern in patterns)


def path_of(word: str) -> str:
    """Return the path that a word of a sentence names: without `@`, quotes, and a comma after it."""
    return unquoted(unquoted(word.strip().rstrip(",;")).removeprefix("@"))


def looks_like_file(word: str) -> bool:
    """True when a word can hardly be anything but a file or folder name."""
    bare = path_of(word)
    if word.strip().removeprefix("@")[:1] in "`\"'“‘«„" or word.strip().startswith("@"):
        return bool(bare)
    return bool(re.search(r"\w\.\w|/|^\.\w", bare)) or bare.casefold() in _KNOWN_NAMES


def _paths(text: str) -> list[str] | None:
    """The file names of `a`, `a and b`, `a, b and c`; None when some part is no name."""
    text = re.sub(
        r"^(?:the\s+)?(?:files?|content(?:s)?\s+of|text\s+of)\s+|\s+files?$", "", text.strip(), flags=re.IGNORECASE
    )
    text = re.sub(r"^(?:the|a|my)\s+", "", text, flags=re.IGNORECASE)
    parts = re.findall(rf"({_PATH})(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*|\s*$)", text)
    rest = re.sub(rf"{_PATH}(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*|\s*$)", "", text)
    return [path_of(part) for part in parts] if parts and not rest.strip() else None


def _read(match: re.Match[str]) -> Start | None:
    paths = _paths(match["files"])
    if paths is None:
        return None
    if match["verb"].casefold() not in ("read", "cat") and not all(
        looks_like_file(path) for path in re.split(r"\s*,\s*|\s+and\s+", match["files"])
    ):
        return None
    return file_plans.read_files(paths)


def _lines(match: re.Match[str]) -> Start:
    groups = match.groupdict()
    path = path_of(match["file"])
    if groups.get("last"):
        return file_plans.last_lines(path, int(groups["last"]))
    if groups.get("head"):
        return file_plans.show_lines(path, 1, int(groups["head"]))
    first = int(groups["from"])
    return file_plans.show_lines(path, first, int(groups.get("to") or first))


def _summary(match: re.Match[str]) -> Start | None:
    word = re.sub(r"^(?:the\s+)?(?:files?\s+)?", "", match["file"], flags=re.IGNORECASE)
    if not looks_like_file(word) and not re.match(r"(?:summari|outline|sum up)", match.group(), re.IGNORECASE):
        return None
    return file_plans.summarise(path_of(word)) if re.fullmatch(_PATH, word) else None


def _list(match: re.Match[str]) -> Start | None:
    folder = match.groupdict().get("folder") or ""
    if re.fullmatch(_HERE, folder, re.IGNORECASE):
        folder = ""
    folder = re.sub(
        r"^(?:the\s+)?(?:folder\s+|directory\s+)?|(?<=\S)\s+(?:folder|directory)$", "", folder, flags=re.IGNORECASE
    )
    if folder and not re.fullmatch(_PATH, folder):
        return None
    return file_plans.list_files(path_of(folder))


def _search(match: re.Match[str]) -> Start | None:
    words = re.sub(
        r"^(?:the\s+)?(?:words?|text|string|term|phrase)\s+", "", match["words"].strip(), flags=re.IGNORECASE
    )
    words = unquoted(words)
    path = match.groupdict().get("path") or ""
    if re.fullmatch(rf"{_HERE}|all files|every file|everywhere|the (?:files|code|source)", path, re.IGNORECASE):
        path = ""
    return search_plans.search(words, path_of(path)) if words.strip() else None


def _create(match: re.Match[str]) -> Start | None:
    path = path_of(match["file"])
    text = unquoted(match.groupdict().get("text") or "")
    if not path or path.endswith("/") or text.strip() == ":":
        return None
    return change_plans.create(path, text)


def _overwrite(match: re.Match[str]) -> Start:
    return change_plans.overwrite(path_of(match["file"]), unquoted(match["text"]))


def _replace(match: re.Match[str]) -> Start | None:
    groups = match.groupdict()
    everywhere = bool(groups["all"] or groups["everywhere"])
    line = int(groups["line"]) if groups["line"] else None
    old, new = unquoted(match["old"]), unquoted(match["new"])
    return change_plans.replace(old, new, path_of(match["file"]), everywhere=everywhere, line=line) if old else None


def _run(match: re.Match[str]) -> Start | None:
    command = re.sub(r"(?<=`)[.!]$", "", match["command"].strip())
    bare = unquoted(command)
    if bare == command:
        if _NOT_COMMANDS.match(command):
            return None
        bare = re.sub(r"(?<=[\w\"'])[.!?]$|\s+please[.!]?$", "", command, flags=re.IGNORECASE)
    return shell_plans.run(bare) if bare.strip() else None


def _fixed(start: Start) -> Maker:
    return lambda match: start


_SHOW = r"(?:show|print|display|give|read|see|view|get|open|cat)(?:\s+me)?"
_WITH = r"(?:with|containing|that\s+(?:contains|says|reads)|which\s+(?:contains|says)|saying)(?:\s+(?:the\s+)?(?:text|contents?|words?|lines?)\b)?\s*:?"

FORMS: tuple[Form, ...] = (
    Form(
        "explain the project",
        "explain the project",
        _p(
            rf"(?:explain|describe|summari[sz]e|analy[sz]e|introduce|understand|review|study|explore|look\s+at|inspect)(?:\s+to\s+me|\s+me)?\s+(?:what\s+)?{_THIS}{_PROJECT}(?:\s+(?:is|does|here|about|to\s+me|in\s+\w+\s+words))*",
            rf"(?:(?:tell|show)\s+me\s+|explain\s+|say\s+|do\s+you\s+know\s+)?what(?:'s|’s|\s+is|\s+does|\s+kind\s+of\s+project\s+is)?\s+{_THIS}{_PROJECT}?(?:\s+(?:is|does|do|about|for|all|here|it))*",
            rf"(?:tell\s+me|talk)\s+(?:more\s+|something\s+)?about\s+{_THIS}{_PROJECT}",
            rf"(?:give\s+me\s+)?(?:an?\s+|the\s+)?(?:\w+\s+)?(?:overview|summary|description|explanation)\s+of\s+{_THIS}{_PROJECT}",
            r"what\s+am\s+i\s+looking\s+at|where\s+am\s+i",
            rf"how\s+(?:do|can|would)\s+(?:i|we|you)\s+(?:run|start|use|build|install|launch)\s+(?:{_THIS}{_PROJECT}|it|this)",
        ),
        _fixed(project_plan.explain),
    ),
    Form(
        "run the tests",
        "run the tests",
        _p(
            r"(?:run|execute|start|launch|try|do)\s+(?:(?:all|the|my|its|your|every|project|unit)\s+(?:of\s+)?)*tests?(?:\s+suite)?",
            rf"test\s+(?:it|this|everything|{_THIS}{_PROJECT})",
            r"(?:do|are|will)\s+(?:all\s+)?(?:the\s+|my\s+)?tests\s+(?:pass(?:ing)?|work(?:ing)?|run|green|ok)",
            r"(?:check|see)\s+(?:if|whether|that)\s+(?:all\s+)?(?:the\s+)?tests\s+(?:pass|work|run)|check\s+the\s+tests|tests?",
        ),
        _fixed(shell_plans.run_tests),
    ),
    Form(
        "what changed",
        "what changed",
        _p(
            r"what(?:'s|’s|\s+is|\s+has|\s+have|\s+did|\s+was)?\s*(?:(?:you|i|we|been|just|already|yet)\s+)*(?:changed?|changes|modified|new|different)(?:\s+(?:here|so\s+far|in\s+git|since\s+.*|in\s+this\s+.*))?",
            r"(?:show|list|see|give)(?:\s+me)?\s+(?:(?:the|my|all|your|uncommitted|local|current|git)\s+)*(?:changes|status|changed\s+files|modified\s+files)",
            r"(?:git\s+)?status|which\s+files\s+(?:have\s+)?(?:been\s+)?(?:changed|modified)|(?:has|did)\s+anything\s+changed?",
        ),
        _fixed(shell_plans.what_changed),
    ),
    Form(
        "show the diff",
        "show the diff [of F]",
        _p(
            rf"(?:show|see|give|print)(?:\s+me)?\s+(?:the\s+|a\s+|my\s+)?(?:git\s+)?diff(?:\s+(?:of|for|in)\s+(?P<file>{_PATH}))?|(?:git\s+)?diff"
        ),
        lambda match: shell_plans.show_diff(path_of(match["file"] or "")),
    ),
    Form(
        "show the last commits",
        "show the last 5 commits",
        _p(
            r"(?:show|list|see|give)(?:\s+me)?\s+(?:(?:the|my|last|recent|latest)\s+)*(?:(?P<number>\d{1,3})\s+)?(?:commits?|git\s+log|history|commit\s+history)|git\s+log"
        ),
        lambda match: shell_plans.show_log(int(match["number"] or 10)),
    ),
    Form(
        "show lines",
        "show lines 3-9 of F",
        _p(
            rf"(?:{_SHOW}\s+)?(?:the\s+)?lines?\s+(?P<from>\d{{1,7}})(?:\s*(?:-|–|—|to|until|till|through|and|\.\.|,)\s*(?P<to>\d{{1,7}}))?\s+(?:of|in|from)\s+(?:the\s+)?(?:file\s+)?(?P<file>{_PATH})",
            rf"(?:{_SHOW}\s+)?(?:the\s+)?first\s+(?P<head>\d{{1,5}})\s+lines?\s+(?:of|in|from)\s+(?:the\s+)?(?:file\s+)?(?P<file>{_PATH})",
            rf"(?:{_SHOW}\s+)?(?:the\s+)?last\s+(?P<last>\d{{1,5}})\s+lines?\s+(?:of|in|from)\s+(?:the\s+)?(?:file\s+)?(?P<file>{_PATH})",
            rf"{_SHOW}\s+(?:the\s+)?(?:file\s+)?(?P<file>{_PATH}),?\s+(?:from\s+)?lines?\s+(?P<from>\d{{1,7}})(?:\s*(?:-|–|to|until|through|and)\s*(?P<to>\d{{1,7}}))?",
            rf"(?:{_SHOW}\s+)(?P<file>[^\s:]+):(?P<from>\d{{1,7}})(?:-(?P<to>\d{{1,7}}))?",
        ),
        _lines,
    ),
    Form(
        "overwrite",
        "overwrite F with T",
        _p(
            rf"(?:overwrite|rewrite|replace\s+the\s+(?:contents?|text)\s+of)\s+(?:the\s+)?(?:file\s+)?(?P<file>{_PATH})\s+(?:{_WITH}|by)\s*(?P<text>.+)"
        ),
        _overwrite,
        raw=True,
    ),
    Form(
        "replace",
        "replace A with B in F",
        _p(
            rf"(?:replace|change|substitute|swap|rename)\s+(?P<all>(?:all|every|each)\s+(?:occurrences?\s+of\s+)?)?(?P<old>{_QUOTED}|.+?)\s+(?:with|by|to|into|for)\s+(?P<new>{_QUOTED}|.+?)(?P<everywhere>\s+everywhere)?\s+(?:in|inside|within)\s+(?:line\s+(?P<line>\d+)\s+(?:of|in)\s+)?(?:the\s+)?(?:file\s+)?(?P<file>{_PATH})"
        ),
        _replace,
    ),
    Form(
        "create",
        "create F with T",
        _p(
            rf"(?:create|make|write|add|save|generate|put)\s+(?:(?:a|an|the|new|empty|text|small)\s+)*(?:file\s+)?(?:called\s+|named\s+)?(?P<file>{_PATH})\s*:?\s+{_WITH}\s*(?P<text>.+)",
            rf"(?:write|save|put)\s+(?P<text>{_QUOTED})\s+(?:to|into|in)\s+(?:(?:a|the|new)\s+)*(?:file\s+)?(?:called\s+|named\s+)?(?P<file>{_PATH})[.!]?",
            rf"(?:create|make|add|touch)\s+(?:(?:a|an|the|new|empty|text)\s+)*file\s+(?:called\s+|named\s+)?(?P<file>{_PATH}?[^\s.!?,;])[.!?]?",
            rf"(?:create|touch)\s+(?:an?\s+)?(?:new\s+|empty\s+)*(?P<file>(?:{_QUOTED})|[^\s\"'`,;]+\.\w+)[.!?]?",
        ),
        _create,
        raw=True,
    ),
    Form(
        "list files",
        "list files [of D]",
        _p(
            rf"(?:list|show|display|print|see|get|give|what\s+are|find)(?:\s+me)?\s+(?:a\s+list\s+of\s+)?(?:(?:all|of|the|my|your|every)\s+)*(?:files?|entries|contents?|files?\s+and\s+(?:folders?|directories)|folders?|director(?:y|ies))(?:\s+(?:here|listing|names))?(?:\s+(?:that\s+are\s+)?(?:of|in|inside|under|at|from)\s+(?P<folder>{_HERE}|(?:the\s+)?(?:folder\s+|directory\s+)?{_PATH}(?:\s+(?:folder|directory))?))?",
            rf"(?:ls|dir|list)(?:\s+(?P<folder>{_HERE}|(?:the\s+)?{_PATH}(?:\s+folder|\s+directory)?))?",
            rf"what(?:'s|’s|\s+is)\s+(?:in|inside)\s+(?P<folder>{_HERE}|(?:the\s+)?(?:folder|directory)\s+{_PATH}|{_PATH}/)",
            rf"(?:what|which)\s+files\s+(?:are|do\s+(?:you|we|i)\s+(?:see|have))(?:\s+(?:in\s+)?(?P<folder>{_HERE}|{_PATH}))?",
        ),
        _list,
    ),
    Form(
        "find files",
        "find files named P",
        _p(
            rf"(?:find|search\s+for|look\s+for|list|show)\s+(?:me\s+)?(?:all\s+)?(?:the\s+)?(?:files?|names)\s+(?:named|called|like|matching|with\s+the\s+name)\s+(?P<name>{_PATH})",
            r"(?:find|search\s+for|look\s+for|list|show)\s+(?:me\s+)?(?:all\s+)?(?:the\s+)?(?P<name>[^\s\"'`]*\*[^\s\"'`]*)(?:\s+files)?",
            rf"find\s+(?:the\s+)?file\s+(?P<name>{_PATH})|where\s+is\s+(?:the\s+)?file\s+(?P<name2>{_PATH})",
        ),
        lambda match: search_plans.find_names(path_of(match["name"] or match.groupdict().get("name2") or "")),
    ),
    Form(
        "search",
        "search W [in F or D]",
        _p(
            rf"search\s+(?:in\s+)?(?P<path>{_PATH})\s+for\s+(?P<words>.+)",
            rf"(?:search|grep|look|scan|find)\s+(?:for\s+)?(?P<words>{_QUOTED}|.+?)\s+(?:in|inside|within|under)\s+(?P<path>{_HERE}|all\s+files|every\s+file|the\s+(?:files|code|source)|{_PATH})",
            r"(?:search|grep|scan|find|look\s+for)\s+(?:for\s+)?(?P<words>.+?)(?:\s+everywhere)?",
            rf"where\s+(?:is|are|do\s+we\s+use)\s+(?P<words>{_QUOTED}|\S+)(?:\s+(?:used|defined|mentioned|called|set|declared))?",
            rf"(?:which|what)\s+files?\s+(?:contains?|mentions?|uses?|has|have)\s+(?P<words>{_QUOTED}|.+)",
        ),
        _search,
    ),
    Form(
        "summarise",
        "summarise F",
        _p(
            r"(?:summari[sz]e|explain|describe|outline|sum\s+up|analy[sz]e|review)(?:\s+to\s+me)?\s+(?P<file>\S.*)",
            r"(?:give\s+me\s+)?(?:an?\s+|the\s+)?(?:\w+\s+)?(?:summary|outline|overview|description)\s+of\s+(?P<file>\S.*)",
            r"(?:tell\s+me\s+)?what\s+(?:is|does)\s+(?P<file>\S+?)(?:\s+(?:do|does|for|about))?|(?:tell\s+me\s+)?what\s+(?P<file2>\S+)\s+(?:is|does|do)",
            r"tell\s+me\s+about\s+(?P<file>\S.*)",
        ),
        _summary,
    ),
    Form(
        "read",
        "read F [and G]",
        _p(
            r"(?P<verb>read|cat|open|show|view|print|display|see|check|get|look\s+(?:at|into)|show\s+me|let\s+me\s+see)\s+(?:me\s+)?(?P<files>\S.*)",
            r"(?P<verb>what(?:'s|’s|\s+is)\s+(?:in|inside))\s+(?P<files>\S.*)",
        ),
        _read,
    ),
    Form(
        "run",
        "run C",
        _p(
            r"(?:run|execute|exec|launch|start)\s+(?:the\s+)?(?:(?:shell|bash)\s+)?(?:command\s*:?\s+)?(?P<command>\S.*)",
            r"[$!]\s*(?P<command>\S.*)",
            r"(?P<command>`[^`\n]+`)[.!]?",
            rf"(?P<command>(?:{_PROGRAMS})\s+\S.*|pwd|whoami|pytest|make(?:\s+[\w.-]+)?|go\s+(?:build|test|run|vet|version|mod)\b.*)",
        ),
        _run,
        raw=True,
    ),
)
"""In the order in which they are tried; the first that fits wins."""


def parse(text: str) -> Wish | None:
    """Return what one sentence asks for, None when it has none of the forms."""
    words = opened_politely(text.strip())
    tidy = tidied(words)
    for form in FORMS:
        for pattern in form.patterns:
            match = pattern.match(words if form.raw else tidy)
            start = form.make(match) if match else None
            if start is not None:
                return Wish(form.name, tidy, start)
    return None


def usages() -> Sequence[str]:
    """Return how each form is written."""
    return [form.usage for form in FORMS]
