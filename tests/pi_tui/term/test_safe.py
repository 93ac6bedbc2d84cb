"""Foreign text cannot drive the terminal."""

import subprocess
import sys
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_tui.term.safe import safe_line, safe_text


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[38;2;1;2;3mx\x1b[?25l\x1b[2J\x1b[H", "x"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;https://a.b\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;cm0gLXJm\x07", ""),
        ("\x1bPq#0;2;0;0;0\x1b\\x", "x"),
        ("\x1b(B\x1b)0\x1bcx\x1b7\x1b8", "x"),
        ("\x9b31mred\x9d0;t\x9cx", "redx"),
        ("\x1b]0;no end\nnext line stays", "0;no end\nnext line stays"),
        ("cut\x1b[3", "cut"),
        ("cut\x1b", "cut"),
        ("\x1b\x1b[31mx", "x"),
        ("bell\x07 null\x00 del\x7f", "bell null del"),
        ("a\r\nb\rc", "a\nbc"),
        ("tab\tstays\n", "tab\tstays\n"),
        ("N\x08NA\x08AM\x08ME\x08E", "NAME"),
        ("abc\x08\x08\x08\x08x\n\x08y", "x\ny"),
        ("user\u202etxt.exe", "user<U+202E>txt.exe"),
        ("\u2066a\u2069", "<U+2066>a<U+2069>"),
        ("one\u2028two\u2029three", "one\ntwo\nthree"),
        ("half \ud83d of a pair", "half \ufffd of a pair"),
        ("hid\U000e0041\U000e007fden", "hidden"),
    ],
)
def test_what_could_do_harm_is_gone(text: str, safe: str) -> None:
    assert safe_text(text) == safe


@pytest.mark.parametrize("text", ["", "plain\n\ttext", "你好 👩‍💻 ⚠️ é", "שלום عربي", "\xa0nbsp\xad"])
def test_harmless_text_is_the_same_object(text: str) -> None:
    assert safe_text(text) is text


@given(st.text(st.characters() | st.sampled_from("\x1b[]P\\\x07\x9b\x9c\x08m;0\u202e\ud800\n")))
def test_no_control_character_survives(text: str) -> None:
    safe = safe_text(text)
    bad = {char for char in safe if unicodedata.category(char) in ("Cc", "Cs") and char not in "\n\t"}
    assert not bad
    assert not {"\u202e", "\u2066", "\u2028"} & set(safe)
    safe.encode()


@pytest.mark.parametrize(
    "text",
    ["\x1b]" * 50_000, "\x1b[" * 50_000, "a" * 50_000 + "\x08" * 50_000, "\x1bP" + "x" * 100_000, "\x9d;" * 50_000],
)
def test_hostile_text_takes_time_in_proportion_to_its_length(text: str) -> None:
    start = time.process_time()
    safe_text(text)
    assert time.process_time() - start < 0.5


@pytest.mark.parametrize(
    ("text", "limit", "line"),
    [
        ("fix\nthe \t bug\x1b[0m ", None, "fix the bug"),
        ("\x1b]0;pwned\x07name", None, "name"),
        ("abcdef", 4, "abc…"),
        ("abcd", 4, "abcd"),
    ],
)
def test_safe_line(text: str, limit: int | None, line: str) -> None:
    assert safe_line(text, limit) == line


def test_it_loads_without_textual_and_rich() -> None:
    code = "import sys, pi_tui.term.safe, pi_tui.term.modes; print(sorted({'textual', 'rich'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout.strip() == "[]"
