import pytest

from tools.shared.errors import ToolError
from tools.shared.matching import Match, find


def edited(text: str, old: str, new: str) -> str:
    match = find(text, old, new, "The edit")
    return text[: match.changed_start] + match.changed_new + text[match.changed_end :]


def refused(text: str, old: str, new: str = "X") -> str:
    with pytest.raises(ToolError) as caught:
        find(text, old, new, "The edit")
    return str(caught.value)


def test_an_exact_match_changes_only_what_differs():
    assert find("a = 1\nb = 2\n", "a = 1\nb = 2", "a = 1\nb = 3", "The edit") == Match(0, 11, 10, 11, "3")


@pytest.mark.parametrize(
    ("text", "old", "lines"),
    [
        ("foo foo foo", "foo", "3 occurrences, at lines 1, 1, 1"),
        ("aaa", "aa", "2 occurrences"),
        ("x\n" * 12, "x", "12 occurrences, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ..."),
        ("x" * 20_000, "x", "at least 10000 occurrences"),
    ],
)
def test_several_places_are_never_chosen_between(text: str, old: str, lines: str):
    # E38, E39
    assert lines in refused(text, old)


def test_a_twin_that_only_looks_like_it_does_not_make_it_ambiguous():
    # E40
    assert edited('x = "a"\nx = “a”\n', 'x = "a"', 'x = "b"') == 'x = "b"\nx = “a”\n'


def test_blanks_alone_can_be_replaced_when_they_occur_once():
    # E41
    assert edited("a\tb", "\t", " ") == "a b"
    assert "2 occurrences" in refused("a \n b", " ")


def test_an_empty_old_text_is_refused():
    # E42
    assert "oldText is empty" in refused("abc", "")
    assert "oldText is empty" in refused("", "")


@pytest.mark.parametrize("new", ["$& $1", r"\1 \g<0>", "%s {x}", "\\n"])
def test_text_is_literal_on_both_sides(new: str):
    # E51, E23
    assert edited("a.b*c\n", "a.b*c", new) == f"{new}\n"
    assert edited('x = "\\\\n" + r"(a|b)"\n', '"\\\\n" + r"(a|b)"', "y") == "x = y\n"


@pytest.mark.parametrize(
    ("text", "old", "new", "result", "how"),
    [
        # line numbers copied from a listing
        ("foo\nbar\n", "1→foo\n2→bar", "1→foo\n2→baz", "foo\nbaz\n", "line numbers"),
        ("foo\nbar\n", "   1\tfoo\n   2\tbar\n", "foo\nbaz\n", "foo\nbaz\n", "line numbers"),
        # blanks at line ends, and the newline the last line does not have
        ("a\nfoo  \nbar \nz", "foo\nbar\n", "foo\nBAR\n", "a\nfoo  \nBAR \nz", "line ends"),
        ("foo\nbar\n", "foo \t\nbar", "foo\nBAR", "foo\nBAR\n", "line ends"),
        ("foo  \t\nX\n", "foo \nX", "Y\nX", "Y\nX\n", "line ends"),
        ("foo  \t\nX\n", "foo\nX", "fooY\nX", "fooY  \t\nX\n", "line ends"),
        ("foo  \t\nX\n", "foo \nX", "foo Y\nX", "foo  \tY\nX\n", "line ends"),
        ("foo   \nx\n", "foo \t", "bar", "bar\nx\n", "line ends"),
        ("a\nlast", "last\n", "LAST\n", "a\nLAST", "line ends"),
        ("a\nlast", "last\n", "", "a\n", "line ends"),
        # typography; what stays of the line keeps its bytes
        ("say(“a”); x = “b”\n", 'x = "b"', 'x = "c"', "say(“a”); x = “c”\n", "quotes"),
        ("say(“a”); x = “b”\n", 'say("a"); x = "b"', 'say("a"); x = "c"', "say(“a”); x = “c”\n", "quotes"),
        ("a – b—c\n", "a - b-c", "a - b-d", "a – b—d\n", "dashes"),
        ("a\u00a0b \u3000\nc", "a b\nc", "a b\nd", "a\u00a0b \u3000\nd", "spaces"),
        ("（x）= 1\n", "(x)= 1", "(y)= 1", "（y）= 1\n", "similar"),
        ("ｆｏｏ bar", "foo bar", "foo baz", "ｆｏｏ baz", "similar"),
        ("a…b\n", "a...b", "a...c", "a…c\n", "similar"),
        ("cafe\u0301 x\n", "caf\u00e9 x", "caf\u00e9 y", "cafe\u0301 y\n", "similar"),
        ("中文（甲）\n", "中文(甲)", "中文(乙)", "中文（乙）\n", "similar"),
        # one and the same shift of the indentation
        (
            "def f():\n    if x:\n        y\n",
            "if x:\n    y\n",
            "if z:\n    y\n",
            "def f():\n    if z:\n        y\n",
            "",
        ),
        ("  if x:\n    y\n", "      if x:\n        y", "      if x:\n        z", "  if x:\n    z\n", "indentation"),
        ("\tif x:\n\n\t\ty", "if x:\n\n\ty\n", "if x:\n\n\n\tz\n", "\tif x:\n\n\n\t\tz", "indentation"),
    ],
)
def test_lenient_levels(text: str, old: str, new: str, result: str, how: str):
    # E11, E13, E17, E43, E44, E45, E53
    match = find(text, old, new, "The edit")
    assert how in match.how
    assert edited(text, old, new) == result


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("foobar\n", "foo "),
        ("a…b\n", "a.."),
        ("a…b\n", "..b"),
        ("\tif x:\n\t\ty\n", "    if x:\n        y\n"),
        ("    a\n      b\n", "a\n    b\n"),
    ],
)
def test_what_only_nearly_fits_is_not_matched(text: str, old: str):
    # E11, E15
    assert "was not found" in refused(text, old)


def test_lenient_levels_refuse_two_places_too():
    # E43
    assert "2 occurrences (ignoring blanks at line ends), at lines 1, 3" in refused("a \nb\na  \nb\n", "a\nb\n")
    assert "2 occurrences (with another indentation), at lines 1, 3" in refused(" a\n b\n  a\n  b\n", "a\nb\n")
    assert "at lines 1, 2" in refused("“a”\n‘a’ “a”", '"a"')


def test_a_shift_that_would_mix_tabs_and_spaces_is_refused():
    assert "mixing tabs and spaces" in refused("\tif x:\n\t\ty\n", "if x:\n\ty\n", "if x:\n    y\n    z\n")
    assert "mixing tabs and spaces" in refused("  if x:\n    y\n", "    if x:\n      y\n", "if z:\n  y\n")


@pytest.mark.parametrize(
    ("text", "old", "parts"),
    [
        ("if x:\n\ty  \n", "if x:\n    y", ["blanks only: the file uses tabs here", "     2  →y··"]),
        ("if x:\n    y\n", "if x:\n\ty", ["blanks only: the file uses spaces here"]),
        ("a    b\n", "a b", ["differs in blanks only", "     1  a    b"]),
        ("x = ABC\n", "x = abc", ["upper and lower case only"]),
        ("one\ntwo\nthree four five\nsix\n", "three four fife", ["from line 3:", "three four five"]),
        ("a b\u200bc d e f g\n", "a bc d e f g h", ["b\u200b<U+200B>c"]),
        ("zzz\n", "completely different", ["Nothing similar was found"]),
        ("", "abc", ["The file is empty"]),
    ],
)
def test_a_failure_shows_the_nearest_region_and_what_differs(text: str, old: str, parts: list[str]):
    # E11, E15, E52
    message = refused(text, old)
    assert all(part in message for part in parts), message


def test_an_edit_that_was_applied_before_is_recognised():
    # E25
    assert "in the file already, at line 2" in refused("a\nnew text\n", "old text that is gone", "new text")


def test_long_regions_are_shown_in_part_and_in_bounded_time():
    text = "".join(f"line number {number}\n" for number in range(20_000))
    old = text[:2000] + "different\n" + text[2000:4000]
    message = refused(text, old)
    assert "more lines" in message
    assert len(message) < 2000
    repetitive = "x = x + 1\n" * 20_000
    assert "was not found" in refused(repetitive, "x = x + 1\ny\n" * 100)
