"""What a file says of itself: language, opening comment or heading, and the names it defines. Nothing is run."""

from __future__ import annotations

import ast
import json
import re
import warnings
from dataclasses import dataclass, field
from pathlib import PurePosixPath

LANGUAGES = {
    ".py": ("Python", "python"),
    ".pyi": ("Python", "python"),
    ".js": ("JavaScript", "js"),
    ".mjs": ("JavaScript", "js"),
    ".cjs": ("JavaScript", "js"),
    ".jsx": ("JavaScript", "jsx"),
    ".ts": ("TypeScript", "ts"),
    ".mts": ("TypeScript", "ts"),
    ".tsx": ("TypeScript", "tsx"),
    ".rs": ("Rust", "rust"),
    ".go": ("Go", "go"),
    ".c": ("C", "c"),
    ".h": ("C", "c"),
    ".cc": ("C++", "cpp"),
    ".cpp": ("C++", "cpp"),
    ".hpp": ("C++", "cpp"),
    ".java": ("Java", "java"),
    ".kt": ("Kotlin", "kotlin"),
    ".swift": ("Swift", "swift"),
    ".rb": ("Ruby", "ruby"),
    ".php": ("PHP", "php"),
    ".lua": ("Lua", "lua"),
    ".sh": ("Shell", "sh"),
    ".bash": ("Shell", "sh"),
    ".md": ("Markdown", "markdown"),
    ".markdown": ("Markdown", "markdown"),
    ".rst": ("reStructuredText", "rst"),
    ".toml": ("TOML", "toml"),
    ".json": ("JSON", "json"),
    ".yml": ("YAML", "yaml"),
    ".yaml": ("YAML", "yaml"),
    ".html": ("HTML", "html"),
    ".css": ("CSS", "css"),
    ".sql": ("SQL", "sql"),
    ".csv": ("CSV", "csv"),
    ".txt": ("text", ""),
}
_BY_NAME = {"Makefile": ("Make", "make"), "GNUmakefile": ("Make", "make"), "Dockerfile": ("Docker", "docker")}

_TEXTS = {"Markdown", "reStructuredText", "text"}
_SLASHES = {"JavaScript", "TypeScript", "Rust", "Go", "C", "C++", "Java", "Kotlin", "Swift", "PHP"}
_HASHES = {"Python", "Shell", "Ruby", "Make", "Docker", "TOML", "YAML"}
_LEGAL = re.compile(
    r"(?:.{0,80}\b)?(?:copyright|(?:dual-)?licen[cs]ed?\b|spdx-|all rights reserved|\(c\) \d)", re.IGNORECASE
)
_NOISE = re.compile(r"^(?:eslint|@ts-|prettier|istanbul|go:build|\+build|-\*-|vim?:|!|type:|noqa|pragma|region)", re.I)

_PYTHON = re.compile(r"^(?:async\s+)?(?:def|class)\s+([A-Za-z_]\w*)", re.MULTILINE)
_DEFINITIONS = {
    "Python": _PYTHON,
    "JavaScript": re.compile(
        r"^(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function\s*\*?|class)\s+([A-Za-z_$][\w$]*)"
        r"|^(?:export\s+)?(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=\s*(?:async\s*)?(?:function|\([^)\n]*\)\s*=>|\w+\s*=>)",
        re.MULTILINE,
    ),
    "TypeScript": re.compile(
        r"^(?:export\s+)?(?:declare\s+)?(?:default\s+)?(?:abstract\s+)?(?:async\s+)?"
        r"(?:function\s*\*?|class|interface|enum|type|namespace)\s+([A-Za-z_$][\w$]*)"
        r"|^(?:export\s+)?(?:const|let)\s+([A-Za-z_$][\w$]*)(?::[^=\n]+)?\s*=\s*(?:async\s*)?\([^)\n]*\)[^=\n]*=>",
        re.MULTILINE,
    ),
    "Rust": re.compile(
        r"^(?:pub(?:\([^)]*\))?\s+)?(?:(?:async|const|unsafe|extern(?:\s+\"[^\"]*\")?)\s+)*"
        r"(?:fn|struct|enum|trait|type|macro_rules!|union)\s+([A-Za-z_]\w*)",
        re.MULTILINE,
    ),
    "Go": re.compile(r"^(?:func(?:\s+\([^)]*\))?|type)\s+([A-Za-z_]\w*)", re.MULTILINE),
    "Ruby": re.compile(r"^\s{0,2}(?:def|class|module)\s+([A-Za-z_][\w.?!]*)", re.MULTILINE),
    "Shell": re.compile(r"^(?:function\s+)?([A-Za-z_][\w-]*)\s*\(\)", re.MULTILINE),
    "Make": re.compile(r"^([A-Za-z0-9][\w.-]*)\s*:(?![=:])", re.MULTILINE),
    "C": re.compile(r"^(?:static\s+|inline\s+|const\s+|unsigned\s+)*\w+[\s*]+([A-Za-z_]\w*)\s*\([^;]*$", re.MULTILINE),
    "Java": re.compile(
        r"^\s*(?:public|private|protected|abstract|final|static|\s)*(?:class|interface|enum|record)\s+(\w+)", re.M
    ),
}
_DEFINITIONS["C++"] = _DEFINITIONS["C"]

_PRINTED = re.compile(
    r"(?:console\.(?:log|info)|\bprint|\bputs|\becho|println!|print!|fmt\.Print(?:ln|f)?|System\.out\.println)"
    r"[ (]\s*f?([\"'`])((?:(?!\1)[^\\\n]|\\.)+)\1"
)
SMALL = 60
"""Lines up to which a file's printed texts are quoted."""


@dataclass(frozen=True, slots=True)
class Outline:
    """`opening` is the file's own first words about itself; `names` are its top-level definitions in order."""

    language: str
    lines: int
    opening: str = ""
    names: tuple[str, ...] = ()
    printed: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    headings: tuple[str, ...] = field(default=())


def language_of(path: str) -> tuple[str, str]:
    """Return the language of a file name and the tag of its fenced block; both empty when unknown."""
    name = PurePosixPath(path).name
    suffix = PurePosixPath(path).suffix.lower()
    if not suffix and name.upper().startswith("README"):
        return "text", ""
    return _BY_NAME.get(name) or LANGUAGES.get(suffix, ("", ""))


def line_count(text: str) -> int:
    """Return the number of lines; a final newline opens no further line."""
    return len(text.removesuffix("\n").split("\n")) if text else 0


def outline(path: str, text: str) -> Outline:
    """Return what `text`, the content of the file `path`, says of itself."""
    language, _ = language_of(path)
    if not language and text.startswith("#!"):
        language = _shebang(text)
    lines = line_count(text)
    if language in _TEXTS:
        return Outline(language, lines, first_paragraph(text), headings=_headings(text))
    if language in ("JSON", "CSV", "TOML", "YAML"):
        return Outline(language, lines, _leading_comment(text, language), keys=_keys(language, text))
    names = _names(language, text)
    printed: tuple[str, ...] = ()
    if lines <= SMALL:
        printed = tuple(dict.fromkeys(match.group(2) for match in _PRINTED.finditer(text)))[:3]
    return Outline(language, lines, _opening(language, text), names, printed)


def first_paragraph(text: str) -> str:
    """Return the first paragraph of prose in Markdown, reStructuredText or plain text, without headings and badges."""
    text = re.sub(r"(?ms)^[ \t]*(```|~~~).*?^[ \t]*\1[^\n]*$|<!--.*?-->|<[/a-zA-Z][^<>]*>|\A---\n.*?^---$", "", text)
    return _first_prose(text, words=3)


def _first_prose(text: str, *, words: int) -> str:
    """The first paragraph of at least so many words that is no title, badge, link list or licence."""
    short = ""
    for block in re.split(r"\n\s*\n", text):
        lines = [re.sub(r"^>\s*", "", line.strip()) for line in block.strip("\n").split("\n")]
        underlines = [index for index, line in enumerate(lines) if _UNDERLINE.fullmatch(line)]
        titles = {*underlines, *(index - 1 for index in underlines)}
        kept = [line for index, line in enumerate(lines) if index not in titles and not _NO_PROSE.match(line)]
        prose = " ".join(without_markup(" ".join(kept)).split())
        if not re.search(r"[^\W\d_]{2}", prose) or prose.count(" | ") > 1 or _LEGAL.match(prose):
            continue
        if len(prose.split()) >= words:
            return prose
        short = short or prose
    return short


_UNDERLINE = re.compile(r"([=\-~^*#\"'])\1{2,}")
_NO_PROSE = re.compile(r"#|\||\.\.(?:\s|$)|\[!|:\w|\[[^\]]+\]:|[-*]\s+\[[^\]]+\]\(#|-\*-")


def without_markup(text: str) -> str:
    """Return a paragraph without badges, images, link targets and emphasis."""
    text = re.sub(r"!\[[^\[\]]*\](?:\([^)]*\)|\[[^\]]*\])?", "", text)
    text = re.sub(r"\[\s*\](?:\([^)]*\)|\[[^\]]*\])?", "", text)
    text = re.sub(r"\[([^\[\]]+)\](?:\([^)]*\)|\[[^\]]*\])?", r"\1", text)
    text = re.sub(r"`([^`<]+?)\s*(?:<[^>]*>)?`_{0,2}|:\w+:`([^`<]+)[^`]*`", r"\1\2", text)
    return re.sub(r"<br\s*/?>|&\w+;|\*\*|__(?=\w)|(?<=\w)__", " ", text).strip()


def _headings(text: str) -> tuple[str, ...]:
    found = re.findall(r"^#{1,3}[ \t]+(.+?)[ \t#]*$", re.sub(r"(?ms)^```.*?^```", "", text), re.MULTILINE)
    underlined = re.findall(r"^([^\s=\-~#].*)\n[=\-~]{3,}[ \t]*$", text, re.MULTILINE)
    return tuple(dict.fromkeys(without_markup(heading.strip()) for heading in [*found, *underlined]))[:12]


def _keys(language: str, text: str) -> tuple[str, ...]:
    if language == "JSON":
        try:
            value = json.loads(text)
        except ValueError:
            return ()
        return tuple(value)[:20] if isinstance(value, dict) else ()
    if language == "CSV":
        return tuple(cell.strip().strip('"') for cell in text.split("\n", 1)[0].split(","))[:20]
    pattern = r"^\[{1,2}([^\[\]\n]+)\]" if language == "TOML" else r"^([A-Za-z_][\w.-]*):"
    return tuple(dict.fromkeys(re.findall(pattern, text, re.MULTILINE)))[:20]


def _names(language: str, text: str) -> tuple[str, ...]:
    pattern = _DEFINITIONS.get(language)
    if pattern is None:
        return ()
    found = ("".join(part or "" for part in match.groups()) for match in pattern.finditer(text))
    return tuple(dict.fromkeys(name for name in found if name))


def _opening(language: str, text: str) -> str:
    if language == "Python":
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                docstring = ast.get_docstring(ast.parse(text))
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # cut in the middle, or no Python at all
            quoted = re.match(r"(?:\s*#[^\n]*\n|\s*\n)*[rRuU]?(\"\"\"|''')(.*?)(?:\1|\n\s*\n)", text, re.DOTALL)
            docstring = quoted.group(2) if quoted else None
        if docstring:
            return _first_prose(docstring, words=1)
    return _leading_comment(text, language)


def _leading_comment(text: str, language: str) -> str:
    """The first comment at the top of the file that is no licence and no tool's directive."""
    text = re.sub(r"\A\ufeff?(?:#![^\n]*\n)?", "", text)
    text = re.sub(r"\A\s*(?:<\?php|['\"]use \w+['\"];?|#!\[[^\]]*\])\s*", "", text)
    blocks: list[str] = []
    pattern = _COMMENT_BLOCKS["slash" if language in _SLASHES else "hash" if language in _HASHES else "none"]
    position = 0
    while match := pattern.match(text, position):
        block = "\n".join(
            re.sub(r"^\s*(?:/\*+!?|\*+/|\*|//[/!]?|#+)\s?|\s*\*+/\s*$", "", line) for line in match.group().split("\n")
        )
        lines = [line for line in block.split("\n") if not _NOISE.match(line.strip())]
        blocks.append("\n".join(lines))
        position = match.end()
    for block in blocks:
        if block.strip() and not _LEGAL.match(" ".join(block.split())):
            return _first_prose(block, words=1)
    return ""


_COMMENT_BLOCKS = {
    "slash": re.compile(r"\s*(?:/\*.*?\*/|//[^\n]*(?:\n[ \t]*//[^\n]*)*)", re.DOTALL),
    "hash": re.compile(r"\s*#[^\n]*(?:\n[ \t]*#[^\n]*)*"),
    "none": re.compile(r"(?!)"),
}


def _shebang(text: str) -> str:
    first = text.split("\n", 1)[0]
    for word, language in (("python", "Python"), ("node", "JavaScript"), ("ruby", "Ruby"), ("sh", "Shell")):
        if word in first:
            return language
    return ""
