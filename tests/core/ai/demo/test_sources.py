"""What files say of themselves, in several languages, and that no text takes long to look at."""

from __future__ import annotations

import pytest

from core.ai.demo.plan import Seen, clip, code, fence
from core.ai.demo.sources import first_paragraph, line_count, outline


@pytest.mark.parametrize(
    ("path", "text", "opening", "names"),
    [
        (
            "a.py",
            '#!/usr/bin/env python\n"""First.\n\nSecond."""\nclass A: ...\nasync def b(): ...\n',
            "First.",
            ("A", "b"),
        ),
        (
            "a.py",
            "# Copyright 2024 X\n# Licensed so\n\n# What it does\n# in two lines.\nx = 1\n",
            "What it does in two lines.",
            (),
        ),
        ("a.py", '"""Title\n=====\n\nThe prose."""\n', "The prose.", ()),
        ("a.py", '"""Cut off in the middle.\n\ndef x(', "Cut off in the middle.", ("x",)),
        (
            "a.js",
            "#!/usr/bin/env node\n'use strict'\n/**\n * Does it.\n * @param x\n */\nconst f = (a) => a\nclass B {}\n",
            "Does it. @param x",
            ("f", "B"),
        ),
        (
            "a.ts",
            "// eslint-disable\n// Types.\nexport interface A {}\nexport type B = 1\nexport const c = (x: T): U => x\n",
            "Types.",
            ("A", "B", "c"),
        ),
        (
            "a.rs",
            "//! Crate.\n#![warn(x)]\npub(crate) async fn a() {}\nmacro_rules! m {}\nstruct S;\n",
            "Crate.",
            ("a", "m", "S"),
        ),
        (
            "a.go",
            "// Copyright X\n\n// Package a does it.\npackage a\nfunc (r *T) M() {}\nfunc F() {}\ntype T int\n",
            "Package a does it.",
            ("M", "F", "T"),
        ),
        ("a.sh", "#!/bin/sh\n# Builds.\nbuild() {\n}\n", "Builds.", ("build",)),
        ("Makefile", "# Targets.\nall: x\nx := 1\n.PHONY: all\ntest:\n", "Targets.", ("all", "test")),
        ("a.c", "/* Main. */\nint main(void)\n{\n}\n", "Main.", ("main",)),
        ("script", "#!/usr/bin/env python3\n# Tool.\n", "Tool.", ()),
    ],
)
def test_opening_and_names(path: str, text: str, opening: str, names: tuple[str, ...]) -> None:
    found = outline(path, text)
    assert (found.opening, found.names) == (opening, names)


@pytest.mark.parametrize(
    ("text", "paragraph"),
    [
        ("# T\n[![b](c)](d) ![e](f)\n\nIt does things\nwell.\n\nMore.", "It does things well."),
        ("T\n=\n\n.. image:: x\n\nIt *does* `things <u>`_ well.\n", "It *does* things well."),
        ("<h1 align=center>\n  <img src=x\n   alt=y>\n</h1>\n\n> It does things well.\n", "It does things well."),
        ("---\ntitle: x\n---\n# T\n```\ncode is here\n```\nIt [does] [things](u) well.", "It does things well."),
        ("[![Build\nStatus](u)][Build\nStatus]\n\n[Build Status]: u\n\nIt does things well.", "It does things well."),
        (
            "English | Deutsch | Nederlands | x\n\nLicensed under MIT, all of it.\n\nIt does things well.",
            "It does things well.",
        ),
        ("Short.\n", "Short."),
        ("", ""),
    ],
)
def test_the_first_paragraph_of_prose(text: str, paragraph: str) -> None:
    assert first_paragraph(text) == paragraph


def test_printed_texts_of_a_small_program() -> None:
    assert outline("a.mjs", "console.log(`Hi ${name}`)\nconsole.log('b')\n").printed == ("Hi ${name}", "b")
    assert outline("a.py", "print('x')\n" * 100).printed == ()


@pytest.mark.parametrize(("text", "lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\n\n", 2), ("\n", 1), ("a\r\nb\x0c", 2)])
def test_lines_are_counted_at_newlines(text: str, lines: int) -> None:
    assert line_count(text) == lines


UNITS = [
    "[",
    "<a",
    "```\n",
    "---\n",
    ":a",
    "//\n",
    "/* ",
    "#\n",
    "![[",
    "`a",
    " ",
    "\n",
    "fn ",
    "print('",
    "\n\n[Aa b c",
]


@pytest.mark.parametrize(
    "path", ["a.md", "a.py", "a.js", "a.rs", "a.go", "a.c", "a.ts", "Makefile", "a.toml", "a.sh", "a.csv"]
)
def test_no_text_takes_long(path: str) -> None:
    """Several of these took from seconds to minutes while a pattern could match blanks or brackets in many ways."""
    for unit in UNITS:
        text = (unit * 50_000)[:50_000]
        assert outline(path, text).lines >= 1
        assert Seen.of(text).text is not None


@pytest.mark.parametrize(
    ("raw", "failed", "seen"),
    [
        ("a\n\n[Lines 1-2 of 9. Go on.]", False, Seen("a", notice="Lines 1-2 of 9. Go on.")),
        ("a\n\n[One two three.]\n[Four five six.]", False, Seen("a", notice="One two three. Four five six.")),
        ("[The file is empty.]", False, Seen("", notice="The file is empty.")),
        ("[tool.pytest.ini_options]\n", False, Seen("[tool.pytest.ini_options]\n")),
        ("x = 1\n\n[tool.a]\n", False, Seen("x = 1\n\n[tool.a]\n")),
        ("a\n\nIt ended with exit status 2.", True, Seen("a", True, status="It ended with exit status 2.")),
        ("a\n\nIt ended with exit status 2.", False, Seen("a\n\nIt ended with exit status 2.")),
        ("a\n\n[Ten of 20 lines.]\n\nIt was aborted.", True, Seen("a", True, "Ten of 20 lines.", "It was aborted.")),
        (
            "[x.bin is data, 2KB, not text; so. First bytes:]\n00 01",
            False,
            Seen("", notice="x.bin is data, 2KB, not text; so."),
        ),
    ],
)
def test_a_result_is_taken_apart(raw: str, failed: bool, seen: Seen) -> None:
    assert Seen.of(raw, failed=failed) == seen


def test_quoting_holds_whatever_it_quotes() -> None:
    assert code("a`b") == "``a`b``"
    assert code("`") == "`` ` ``"
    assert code("a\nb") == "`a b`"
    assert fence("x\n````\ny") == "`````\nx\n````\ny\n`````"
    assert clip("one two three", 9) == "one two …"
