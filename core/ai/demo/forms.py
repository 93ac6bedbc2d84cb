"""The sentences that the guide understands: one table, from which help, suggestions and the parser come.

docs/demo-model.md lists the same forms with the calls that each leads to; a test keeps the two in step.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from core.ai.demo import change_plans, file_plans, project_plan, search_plans, shell_plans
from core.ai.demo.grammar import compiled, fits, slots
from core.ai.demo.language import opened_politely, tidied
from core.ai.demo.plan import Desk, Plan, Wish
from core.ai.demo.slots import (
    Slots,
    command_of,
    folder_of,
    looks_like_file,
    path_of,
    paths_of,
    place_of,
    search_words_of,
    text_of,
)

Start: TypeAlias = Callable[[Desk], Plan]
Maker: TypeAlias = Callable[[Slots], Start | None]
"""Makes a plan of the slots; None when the words only looked like the form."""


@dataclass(frozen=True, slots=True)
class Form:
    """One sentence form. `usage` is how help writes it; `raw` forms see the sentence with its end untouched."""

    usage: str
    patterns: tuple[re.Pattern[str], ...]
    make: Maker
    raw: bool = False

    @property
    def name(self) -> str:
        """The first words of the usage."""
        return self.usage.split(" [")[0]


def _read(slots: Slots) -> Start | None:
    paths = paths_of(slots["rest"])
    return file_plans.read_files(paths) if paths else None


def _open(slots: Slots) -> Start | None:
    paths = paths_of(slots["rest"], only_sure=True)
    return file_plans.read_files(paths) if paths else None


def _lines(slots: Slots) -> Start:
    path, _, span = slots["located"].partition(":") if "located" in slots else (path_of(slots["file"]), "", "")
    if "tail" in slots:
        return file_plans.last_lines(path, int(slots["tail"]))
    if "head" in slots:
        return file_plans.show_lines(path, 1, int(slots["head"]))
    numbers = [int(number) for number in re.findall(r"\d+", span or slots["span"])]
    return file_plans.show_lines(path, numbers[0], numbers[-1])


def _summary(slots: Slots) -> Start | None:
    word = re.sub(r"^(?:the\s+)?(?:files?\s+)?", "", slots["rest"], flags=re.IGNORECASE)
    return file_plans.summarise(path_of(word)) if looks_like_file(word) else None


def _list(slots: Slots) -> Start | None:
    folder = folder_of(slots.get("rest", ""))
    return None if folder is None else file_plans.list_files(folder)


def _search(slots: Slots) -> Start | None:
    words, path = search_words_of(slots["words"]), place_of(slots.get("place", ""))
    return None if not words or path is None else search_plans.search(words, path)


def _find(slots: Slots) -> Start:
    return search_plans.find_names(path_of(slots["name"]))


def _create(slots: Slots) -> Start | None:
    path, text = path_of(slots["path"]), text_of(slots.get("text", ""))
    return change_plans.create(path, text) if path and not path.endswith("/") and text is not None else None


def _overwrite(slots: Slots) -> Start | None:
    text = text_of(slots["text"])
    return None if text is None else change_plans.overwrite(path_of(slots["path"]), text)


def _replace(slots: Slots) -> Start | None:
    old, new = text_of(slots["old"]), text_of(slots["new"])
    line = int(slots["line"]) if slots.get("line") else None
    if not old or new is None:
        return None
    return change_plans.replace(old, new, path_of(slots["file"]), everywhere="everywhere" in slots, line=line)


def _run(slots: Slots) -> Start | None:
    command = command_of(slots["rest"])
    return shell_plans.run(command) if command else None


_THIS = "[this|the|my|our|that|current|whole|entire]*"
_PROJECT = (
    f"{_THIS} (project|repo|repository|code ?base|code|app|application|program|package|library|crate|module|software"
    "|folder|directory)"
)
_SHOW = "(show|print|display|give|read|see|view|get|open|cat) [me]"
_WITH = "(with|containing|that contains|that says|which contains|saying|with the) [text|contents?|words?|lines?] :?"
_A_FILE = "[a|an|the|new|empty|text|small]* [file] [called|named]"
FORMS: tuple[Form, ...] = (
    Form(
        "explain the project",
        compiled(
            "(explain|describe|summari.e|analy.e|introduce|understand|review|study|explore|look at|inspect) "
            f"[to me|me] [what] {_PROJECT} [is|does|here|about|to me]*",
            f"[tell me|show me|explain|say] (what|what's|what is|what does|what kind of project is) {_PROJECT} "
            "[is|does|do|about|for|all|here]*",
            "[tell me|explain] (what|what's|what is) this [is|about|all]*",
            f"(tell me|talk) [more|something] about {_PROJECT}",
            f"[give me] [a|an|the] [short|quick|brief] (overview|summary|description|explanation) of {_PROJECT}",
            "what am i looking at",
            f"how (do|can|would) (i|we|you) (run|start|use|build|install|launch) ({_PROJECT}|it|this)",
        ),
        lambda slots: project_plan.explain,
    ),
    Form(
        "run the tests",
        compiled(
            "(run|execute|start|launch|try|do) [all|the|my|its|your|every|project|unit|of]* tests? [suite]",
            f"test (it|this|everything|{_PROJECT})",
            "(do|are|will) [all] [the|my] tests (pass|passing|work|working|run|green|ok)",
            "(check|see) (if|whether|that) [all] [the|my] tests (pass|work|run)",
            "[check the] tests?",
        ),
        lambda slots: shell_plans.run_tests,
    ),
    Form(
        "what changed",
        compiled(
            "(what|what's|what is|what has|what have|what did|what was) [you|i|we|been|just|already]* "
            "(change|changed|changes|modified|new|different) [here|so far|in git|since {since:rest}]",
            "(show|list|see|give) [me] [the|my|all|your|uncommitted|local|current|git]* "
            "(changes|status|changed files|modified files)",
            "[git] status",
            "which files (have|are|were) [been] (changed|modified)",
            "(has|did) anything changed?",
        ),
        lambda slots: shell_plans.what_changed,
    ),
    Form(
        "show the diff [of F]",
        compiled("(show|see|give|print) [me] [the|a|my] [git] diff [(of|for|in) {file}]", "[git] diff"),
        lambda slots: shell_plans.show_diff(path_of(slots.get("file", ""))),
    ),
    Form(
        "show the last 5 commits",
        compiled(
            "(show|list|see|give) [me] [the|my|last|recent|latest]* [{number}] (commits?|git log|history)", "git log"
        ),
        lambda slots: shell_plans.show_log(int(slots.get("number") or 10)),
    ),
    Form(
        "show lines 3-9 of F",
        compiled(
            f"[{_SHOW}] [the] lines? {{span}} (of|in|from) [the] [file] {{file}}",
            f"[{_SHOW}] [the] first {{head:number}} lines? (of|in|from) [the] [file] {{file}}",
            f"[{_SHOW}] [the] last {{tail:number}} lines? (of|in|from) [the] [file] {{file}}",
            f"{_SHOW} [the] [file] {{file}} [from] lines? {{span}}",
            f"{_SHOW} {{located}}",
        ),
        _lines,
    ),
    Form(
        "overwrite F with T",
        compiled(f"(overwrite|rewrite|replace the (contents?|text) of) [the] [file] {{path:file}} {_WITH} {{text}}"),
        _overwrite,
        raw=True,
    ),
    Form(
        "replace A with B in F",
        compiled(
            "(replace|change|substitute|swap|rename) [{everywhere:all}] {old:words} (with|by|to|into|for) {new:words} "
            "(in|inside) [line {line:number} (of|in)] [the] [file] {file}"
        ),
        _replace,
    ),
    Form(
        "create F with T",
        compiled(
            f"(create|make|write|add|save|generate|put) {_A_FILE} {{path:file}} {_WITH} {{text}}",
            f"(write|save|put) {{text:quoted}} (to|into|in) {_A_FILE} {{path:end}}",
            "(create|make|add|touch) [a|an|the|new|empty|text]* file [called|named] {path:end}",
            "(create|touch) [a|an] [new|empty]* {path:name}",
        ),
        _create,
        raw=True,
    ),
    Form(
        "list files [of D]",
        compiled(
            "(list|show|display|print|see|get|give|what are|find) [me] [a list of] [all|of|the|my|your|every]* "
            "(files?|entries|contents?|folders?|files and folders|directory|directories) [here|listing|names] "
            "[[that are] (of|in|inside|under|at|from) {rest}]",
            "(ls|dir|list) [{rest}]",
            "(what's|what is) (in|inside) {rest:folder}",
            "(what|which) files (are|do you see|do you have|do we have) [in] [{rest}]",
        ),
        _list,
    ),
    Form(
        "find files named P",
        compiled(
            "(find|search for|look for|list|show) [me] [all] [the] (files?|names) (named|called|like) {name:file}",
            "(find|search for|look for|list|show) [me] [all] [the] {name:glob} [files]",
            "(find|where is) [the] file {name:file}",
        ),
        _find,
    ),
    Form(
        "search W [in F or D]",
        compiled(
            "search [in] {place:file} for {words:rest}",
            "(search|grep|look|scan|find) [for] {words} (in|inside|within|under) {place:rest}",
            "(search|grep|scan|find|look for) [for] {words} [everywhere]",
            "where (is|are|do we use) {words:word} [used|defined|mentioned|called|set|declared]",
            "(which|what) files? (contains?|mentions?|uses?|has|have) {words}",
        ),
        _search,
    ),
    Form(
        "summarise F",
        compiled(
            "(summari.e|explain|describe|outline|sum up|analy.e|review) [to me] {rest}",
            "[give me] [a|an|the] [short|quick|brief] (summary|outline|overview|description) of {rest}",
            "[tell me] what (is|does) {rest:word} [do|does|for|about]",
            "tell me what {rest:word} (is|does)",
            "tell me about {rest}",
        ),
        _summary,
    ),
    Form("read F [and G]", compiled("(read|cat) [me] {rest}"), _read),
    Form(
        "show F",
        compiled(
            "(open|show|view|print|display|see|check|get|look at|look into|let me see) [me] {rest}",
            "(what's|what is) (in|inside) {rest}",
        ),
        _open,
    ),
    Form(
        "run C",
        compiled(
            "(run|execute|exec|launch|start) [the] [shell|bash] [command] {rest}",
            "{rest:shell}",
            "{rest:tick}",
            "{rest:program}",
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
        if len(tidy) > LONGEST and not form.raw:
            continue
        for pattern in form.patterns:
            match = fits(pattern, words if form.raw else tidy)
            start = form.make(slots(match)) if match else None
            if start is not None:
                return Wish(form.name, tidy, start)
    return None


LONGEST = 2_000
"""Characters of a sentence; only forms that hold a text may be longer."""


def usages() -> Sequence[str]:
    """Return how each form is written."""
    return [form.usage for form in FORMS]
