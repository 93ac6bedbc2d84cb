import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.shared.diff import Change, common_prefix, common_suffix, diff_changes, diff_texts

LINES = "".join(f"l{number}\n" for number in range(1, 31))


def test_the_display_has_four_lines_around_a_change_and_a_row_for_each_gap():
    # E54: the middle is not shown.
    new = LINES.replace("l4\n", "L4\nX\n").replace("l26\n", "")
    assert diff_texts("f", LINES, new).display.split("\n") == [
        *["  1 l1", "  2 l2", "  3 l3", "- 4 l4", "+ 4 L4", "+ 5 X", "  5 l5", "  6 l6", "  7 l7", "  8 l8"],
        *["    ...", " 22 l22", " 23 l23", " 24 l24", " 25 l25", "-26 l26", " 27 l27", " 28 l28", " 29 l29", " 30 l30"],
    ]


def test_gaps_at_both_ends_and_small_gaps_inside():
    new = LINES.replace("l10\n", "X\n").replace("l19\n", "Y\n")
    rows = diff_texts("f", LINES, new).display.split("\n")
    assert (rows[0], rows[-1]) == ("    ...", "    ...")
    assert rows.count("    ...") == 2
    assert " 14 l14" in rows


@pytest.mark.parametrize(
    ("old", "new", "first", "hunk"),
    [
        ("a\nb", "a\nb\nc\n", 2, "@@ -1,2 +1,3 @@\n a\n-b\n\\ No newline at end of file\n+b\n+c\n"),
        ("", "a\n", 1, "@@ -0,0 +1,1 @@\n+a\n"),
        ("a\n", "", 1, "@@ -1,1 +0,0 @@\n-a\n"),
        ("a\nb\nc\n", "a\nc\n", 2, "@@ -1,3 +1,2 @@\n a\n-b\n c\n"),
        ("a\n", "a\nb", 2, "@@ -1,1 +1,2 @@\n a\n+b\n\\ No newline at end of file\n"),
    ],
)
def test_patches(old: str, new: str, first: int, hunk: str):
    diff = diff_texts("dir/f", old, new)
    assert diff.patch == f"--- dir/f\n+++ dir/f\n{hunk}"
    assert diff.first_changed_line == first


def test_nothing_changed():
    diff = diff_texts("f", LINES, LINES)
    assert (diff.display, diff.first_changed_line) == ("", None)


def test_a_change_in_the_middle_of_a_line_shows_the_whole_line():
    diff = diff_changes("f", "one two\nthree\n", [Change(4, 7, "TWO"), Change(8, 9, "T")])
    assert diff.display == "-1 one two\n-2 three\n+1 one TWO\n+2 Three"


def test_a_small_change_in_a_large_text_is_shown_as_one():
    text = "same\n" * 100_000
    diff = diff_changes("f", text, [Change(250_000, 250_004, "new"), Change(400_000, 400_004, "new")])
    assert diff.display.count("\n") == 2 * 10 + 2
    assert "- 50001 same\n+ 50001 new" in diff.display


def test_hard_blocks_are_not_aligned():
    old, new = "x\n" * 5000, "x\ny\n" * 5000
    assert diff_texts("f", old, new).display.count("\n-") >= 4000


@given(st.text("ab", max_size=12), st.text("ab", max_size=12))
def test_common_ends(one: str, two: str):
    prefix, suffix = common_prefix(one, two), common_suffix(one, two)
    assert one[:prefix] == two[:prefix]
    assert one[prefix : prefix + 1] != two[prefix : prefix + 1] or prefix == min(len(one), len(two))
    assert one[len(one) - suffix :] == two[len(two) - suffix :]


TEXT = st.lists(st.sampled_from(["a", "b", "", "long line"]), max_size=30).map("\n".join)


def applied(old: str, patch: str) -> str:
    """Apply a unified diff strictly: every line of context must be where it says."""
    lines = old.split("\n")
    lines = [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    out: list[str] = []
    at = 0
    rows = patch.split("\n")[2:-1]
    for number, row in enumerate(rows):
        if row.startswith("@@"):
            first, count = row.split(" ")[1].lstrip("-").split(",")
            target = int(first) - (1 if count != "0" else 0)
            out += lines[at:target]
            at = target
        elif not row.startswith("\\"):
            line = row[1:] if rows[number + 1 : number + 2] == ["\\ No newline at end of file"] else row[1:] + "\n"
            if row[0] in " -":
                assert lines[at] == line
                at += 1
            if row[0] in " +":
                out.append(line)
    return "".join(out + lines[at:])


@given(TEXT, TEXT)
def test_a_patch_leads_from_the_old_text_to_the_new(old: str, new: str):
    assert applied(old, diff_texts("f", old, new).patch) == new


@pytest.mark.skipif(shutil.which("patch") is None, reason="needs the program patch, which is not on PATH")
def test_the_program_patch_takes_it(tmp_path: Path):
    new = LINES.replace("l4\n", "L4\nX\n").replace("l26\n", "") + "end"
    (tmp_path / "f").write_text(LINES)
    subprocess.run(["patch", "-p0"], input=diff_texts("f", LINES, new).patch, text=True, cwd=tmp_path, check=True)
    assert (tmp_path / "f").read_text() == new
