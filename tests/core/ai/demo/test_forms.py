"""What sentences mean: the call that each one starts with."""

from __future__ import annotations

import json

import pytest

from core.ai.demo.forms import FORMS, parse
from core.ai.demo.guide import wishes_of
from core.ai.demo.plan import Desk, Seen
from core.ai.demo.talk import help_text, small_talk, suggestions

DESK = Desk(frozenset({"read", "bash", "edit", "write"}))


def first_calls(text: str) -> list[str]:
    """The calls of the first step of each wish, as `form: tool arguments`."""
    out = []
    for wish in wishes_of(text):
        step = next(wish.start(DESK))
        calls = "; ".join(f"{ask.tool} {' '.join(json.dumps(v) for v in ask.arguments.values())}" for ask in step.asks)
        out.append(f"{wish.form}: {calls}")
    return out


LIST, LINES, SUMMARY = "list files", "show lines 3-9 of F", "summarise F"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("read hello.mjs", 'read F: read "hello.mjs"'),
        ("  READ hello.mjs !", 'read F: read "hello.mjs"'),
        ("Could you please read the file hello.mjs for me?", 'read F: read "hello.mjs"'),
        ('read "my notes.txt", please.', 'read F: read "my notes.txt"'),
        ("read @src/a.py", 'read F: read "src/a.py"'),
        ("read a.txt, b.txt and `c d.txt`", 'read F: read "a.txt"; read "b.txt"; read "c d.txt"'),
        ("open README.md", 'show F: read "README.md"'),
        ("what's in hello.mjs?", 'show F: read "hello.mjs"'),
        ("what’s in hello.mjs?", 'show F: read "hello.mjs"'),
        ("show lines 3-9 of a.py", f'{LINES}: read "a.py" 3 7'),
        ("Show me lines 9 to 3 in a.py.", f'{LINES}: read "a.py" 3 7'),
        ("line 7 of a.py", f'{LINES}: read "a.py" 7 1'),
        ("read a.py lines 3-5", f'{LINES}: read "a.py" 3 3'),
        ("show a.py:10-20", f'{LINES}: read "a.py" 10 11'),
        ("first 10 lines of a.py", f'{LINES}: read "a.py" 1 10'),
        ("the last 5 lines of log.txt", f'{LINES}: read "log.txt" -5'),
        ("list files", f'{LIST}: bash "ls -Ap"'),
        ("List the files in this folder", f'{LIST}: bash "ls -Ap"'),
        ("what files are here?", f'{LIST}: bash "ls -Ap"'),
        ("ls src", f'{LIST}: bash "ls -Ap -- src"'),
        ("show all files of 'my src'", f"{LIST}: bash \"ls -Ap -- 'my src'\""),
        ("what is in src/", f'{LIST}: bash "ls -Ap -- src/"'),
        ("list files of -rf", f'{LIST}: bash "ls -Ap -- ./-rf"'),
        ("overwrite x.txt with def", 'overwrite F with T: read "x.txt"'),
        ("replace foo with bar in a.py", 'replace A with B in F: read "a.py"'),
        ("change port 80 to 8080 in server.py", 'replace A with B in F: read "server.py"'),
        ("run ls -la", 'run C: bash "ls -la"'),
        ("Run `npm test`.", 'run C: bash "npm test"'),
        ("run npm test.", 'run C: bash "npm test"'),
        ("run echo ..", 'run C: bash "echo .."'),
        ("$ pwd", 'run C: bash "pwd"'),
        ("git log -3", 'run C: bash "git log -3"'),
        ("run hello.py", 'run C: bash "python3 hello.py"'),
        ("run ./hello.py", 'run C: bash "./hello.py"'),
        ("run the tests", 'run the tests: bash "ls -Ap"'),
        ("do the tests pass?", 'run the tests: bash "ls -Ap"'),
        ("show me the diff of a.py", 'show the diff: bash "git --no-pager diff -- a.py"'),
        ("show the last 3 commits", 'show the last 5 commits: bash "git --no-pager log --oneline -n 3"'),
        ("summarise README.md", f'{SUMMARY}: read "README.md"'),
        ("explain src/app.py", f'{SUMMARY}: read "src/app.py"'),
        ("What does hello.mjs do?", f'{SUMMARY}: read "hello.mjs"'),
        ("explain the project", 'explain the project: bash "ls -Ap"'),
        ("Please tell me what this project is.", 'explain the project: bash "ls -Ap"'),
        ("What does this code do?", 'explain the project: bash "ls -Ap"'),
        ("how do I run this?", 'explain the project: bash "ls -Ap"'),
        ("tell me about this repo", 'explain the project: bash "ls -Ap"'),
    ],
)
def test_a_sentence_starts_its_plan(text: str, expected: str) -> None:
    assert first_calls(text) == [expected]


@pytest.mark.parametrize(
    ("text", "path", "content"),
    [
        ("create notes.txt with hello world.", "notes.txt", "hello world.\n"),
        ('create a file called n.txt with "Hi. There!"', "n.txt", "Hi. There!\n"),
        ("Please create n.md with:\n```\n# A\n\nb\n```", "n.md", "# A\n\nb\n"),
        ("create n.md containing:\n- a\n- b\n", "n.md", "- a\n- b\n"),
        ("make an empty file x.txt.", "x.txt", ""),
        ("create x.txt", "x.txt", ""),
        ('write "abc" to the file x.txt.', "x.txt", "abc\n"),
    ],
)
def test_create_looks_first_and_keeps_the_text(text: str, path: str, content: str) -> None:
    (wish,) = wishes_of(text)
    plan = wish.start(DESK)
    assert f"[ -e {path} ]" in next(plan).asks[0].arguments["command"]
    assert plan.send([Seen("free")]).asks[0].arguments == {"path": path, "content": content}


@pytest.mark.parametrize(
    ("text", "flags", "place"),
    [
        ("search foo", "-rnIFi", "."),
        ("search Foo", "-rnIF", "."),
        ("where is foo used?", "-rnIFi", "."),
        ("which files mention foo?", "-rnIFi", "."),
        ("find foo in this project", "-rnIFi", "."),
        ("search src/ for foo", "-rnIFi", "src/"),
        ('look for the text "foo" in the file a.py', "-rnIFi", "a.py"),
    ],
)
def test_a_search_takes_its_words_literally(text: str, flags: str, place: str) -> None:
    (call,) = first_calls(text)
    assert call.startswith(f'search W: bash "grep {flags} ')
    assert f"-- {place} | sort" in call
    assert "-e 'foo'" in call.replace("Foo", "foo")


def test_a_search_for_anything_is_one_shell_word() -> None:
    (wish,) = wishes_of("search `it's; $(rm -rf x)`")
    (ask,) = next(wish.start(DESK)).asks
    assert """-e 'it'"'"'s; $(rm -rf x)' -- .""" in ask.arguments["command"]


@pytest.mark.parametrize("text", ["find all *.py files", "find files named *.py", "find the file *.py"])
def test_files_are_found_by_name(text: str) -> None:
    (call,) = first_calls(text)
    assert call.startswith('find files named P: bash "find . ')
    assert "-iname '*.py' -print" in call


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        (
            "List files in the current directory, then tell me what this project is.",
            [LIST, "explain the project"],
        ),
        ("First, list the files. Then read a.json and run the tests.", [LIST, "read F", "run the tests"]),
        ("read a.json then summarise b.js and finally run the tests", ["read F", SUMMARY, "run the tests"]),
        ("create a.txt with one; create b.txt with two", ["create F with T", "create F with T"]),
        ("1. list files\n2. read a.txt\n", [LIST, "read F"]),
        ("create a.txt with one, then two", ["create F with T"]),
        ('create a.txt with "one, then read b.txt"', ["create F with T"]),
        ("run cd src && ls", ["run C"]),
    ],
)
def test_several_wishes_are_told_apart_only_where_each_is_understood(text: str, forms: list[str]) -> None:
    assert [wish.form for wish in wishes_of(text)] == forms


@pytest.mark.parametrize(
    "text",
    [
        "show me the money",
        "explain quantum physics",
        "run away",
        "run it",
        "make me a sandwich",
        "refactor the code to use async",
        "fix the bug in main.py",
        "delete a.txt",
        "create a.txt with:",
        "Erkläre mir bitte dieses Projekt",
        "",
        "🙂",
    ],
)
def test_other_sentences_are_not_understood(text: str) -> None:
    assert parse(text) is None
    assert wishes_of(text) == []


def test_every_form_is_in_help_and_its_usage_is_understood() -> None:
    text = help_text()
    for form in FORMS:
        assert f"`{form.usage}`" in text
        example = form.usage.split(" [")[0].replace("find files named P", "find files named x*")
        found = parse(example.replace("named P", "named x").replace(" F", " f.txt").replace(" D", " d"))
        assert found is not None, form.usage
        assert found.form == form.name


@pytest.mark.parametrize("text", ["help", "Help!", "what can you do?", "hello", "Hi there!", "thanks!", "who are you?"])
def test_small_talk_needs_no_tool(text: str) -> None:
    assert small_talk(text)
    assert wishes_of(text) == []


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("fix the bug in main.py", "read main.py"),
        ("serach greet", "search W [in F or D]"),
        ("dance", "explain the project"),
    ],
)
def test_suggestions_are_near_to_what_was_said(text: str, first: str) -> None:
    assert suggestions(text)[0] == first


@pytest.mark.parametrize(
    "unit", ["read ", "a, ", "and then ", "the ", "in ", '"', "replace a with ", " ", "please ", "[", "("]
)
def test_long_sentences_cost_little(unit: str) -> None:
    """Each of these took minutes while separators or polite words could match blanks in many ways."""
    assert wishes_of((unit * 2_000)[:2_000] + "x") == []
    assert wishes_of(unit * 50_000) == []
