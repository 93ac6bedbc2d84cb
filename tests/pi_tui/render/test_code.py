"""Syntax colours and which language a file is in."""

import pytest

from pi_tui.render.code import LIMIT, highlight, language_of
from pi_tui.theme import built_in

THEME = built_in(dark=True)


def test_tokens_get_the_theme_s_colours() -> None:
    lines = highlight("def f():\n    return 'x'  # y", "python", THEME)
    assert lines is not None
    styles = {text.strip(): style for line in lines for text, style in line}
    assert styles["def"] == THEME["syntaxKeyword"]
    assert styles["f"] == THEME["syntaxFunction"]
    assert styles["'x'"] == THEME["syntaxString"]
    assert styles["# y"] == THEME["syntaxComment"]


@pytest.mark.parametrize("code", ["", "\n", "a\n", "a\n\n\nb", "if x:\n  '''\n\n  '''\n"])
def test_lines_stay_lines(code: str) -> None:
    lines = highlight(code, "py", THEME)
    assert lines is not None
    assert ["".join(text for text, _ in line) for line in lines] == code.split("\n")


def test_what_cannot_be_coloured_stays_plain() -> None:
    assert highlight("x", "", THEME) is None
    assert highlight("x", "no-such-language", THEME) is None
    assert highlight("x = 1\n" * LIMIT, "python", THEME) is None
    assert highlight("x" * 3_000, "python", THEME) is None


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("src/a.py", "python"),
        ("a/b.TS", "typescript"),
        ("types.d.ts", "typescript"),
        ("Makefile", "make"),
        ("README.md", "markdown"),
        ("x.json", "json"),
        ("C:\\dir\\main.rs", "rust"),
        ("script", ""),
        ("a.unknown", ""),
        ("dir.py/file", ""),
    ],
)
def test_the_language_of_a_file(path: str, language: str) -> None:
    assert language_of(path) == language
