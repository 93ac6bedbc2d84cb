import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.shared.edit_plan import EditPlan, Replacement, plan_edit
from tools.shared.errors import ToolError
from tools.shared.text_file import to_lf


def plan(data: bytes, *pairs: tuple[str, str]) -> EditPlan:
    return plan_edit("f", data, [Replacement(old, new) for old, new in pairs])


def refused(data: bytes, *pairs: tuple[str, str]) -> str:
    with pytest.raises(ToolError) as caught:
        plan(data, *pairs)
    return str(caught.value)


@pytest.mark.parametrize(
    ("data", "old", "new", "result"),
    [
        # E05, E07, E35: every new line gets the ending of the lines around it
        (b"a\r\nb\r\n", "a\nb", "a\nx\nb", b"a\r\nx\r\nb\r\n"),
        (b"a\nb\n", "a\r\nb", "a\r\nx\r\nb", b"a\nx\nb\n"),
        (b"a\r\nb", "b", "b\nc\n", b"a\r\nb\r\nc\r\n"),
        # E36: mixed endings, and files of lone CR
        (b"a\r\nb\nc\r\nd\n", "b\nc", "b\nX\nc", b"a\r\nb\nX\nc\r\nd\n"),
        (b"a\r\nb\nc\r\nd\n", "a\nb\nc\nd", "a\nb\nC\nd", b"a\r\nb\nC\r\nd\n"),
        (b"a\rb\rc", "b\nc", "b\nX\nc", b"a\rb\rX\rc"),
        (b"a\rb\nc", "a", "x\ny", b"x\ny\rb\nc"),
        # E52, E53
        (b"all of it\n", "all of it\n", "", b""),
        (b"a\nlast", "last", "LAST", b"a\nLAST"),
        # E03, E10
        (codecs.BOM_UTF8 + b"a\n", "\ufeffa", "b", codecs.BOM_UTF8 + b"b\n"),
        (codecs.BOM_UTF8 + b"a\n", "a", "b", codecs.BOM_UTF8 + b"b\n"),
        (codecs.BOM_UTF8 + b"a\n", "\ufeffa", "\ufeffb", codecs.BOM_UTF8 + b"b\n"),
        # E11
        (
            codecs.BOM_UTF16_BE + "é\r\n".encode("utf-16-be"),
            "é",
            "è\ne",
            codecs.BOM_UTF16_BE + "è\r\ne\r\n".encode("utf-16-be"),
        ),
        # E01, E12
        (b"x = 1\n# caf\xe9\n", "x = 1", "x = 2", b"x = 2\n# caf\xe9\n"),
        # E68
        (b"a\n", "a", "b\ud800", "b\ufffd\n".encode()),
    ],
)
def test_only_the_match_changes(data: bytes, old: str, new: str, result: bytes):
    assert plan(data, (old, new)).data == result


def test_one_line_of_a_crlf_file():
    # E09
    data = b"".join(b"line %d\r\n" % number for number in range(200))
    result = plan(data, ("line 100\n", "LINE 100\n"))
    assert result.data == data.replace(b"line 100\r", b"LINE 100\r")
    assert (result.diff.patch.count("\n-"), result.diff.patch.count("\n+")) == (1, 2)


def test_the_same_text_with_both_endings_is_two_places():
    # E37
    assert "2 occurrences" in refused(b"a\r\nb\r\na\nb\n", ("a\nb\n", "x"))


def test_all_edits_are_looked_for_in_the_file_as_it_is():
    # E47, E48, E49, E50
    data = b"one\ntwo\nthree\n"
    assert plan(data, ("three", "3"), ("one\n", "1\n"), ("two\n", "2\n")).data == b"1\n2\n3\n"
    assert refused(data, ("one", "1"), ("missing", "x"), ("two", "2")).startswith("Edit 2: oldText was not found")
    assert refused(data, ("one", "four"), ("four", "5")).startswith("Edit 2: oldText was not found")
    assert "Edit 1 and edit 2 overlap" in refused(data, ("one\ntwo", "x"), ("two\nthree", "y"))
    assert "Edit 1 and edit 3 overlap" in refused(data, ("one", "x"), ("two", "2"), ("one", "x"))
    assert "changes nothing" in refused(data, ("one", "one"))
    assert plan(data, ("one", "one"), ("two", "2")).data == b"one\n2\nthree\n"
    assert "edits is empty" in refused(data)


def test_an_empty_file_has_nothing_to_replace():
    # E52
    assert "The file is empty" in refused(b"", ("x", "y"))


def test_a_lenient_match_is_named_with_the_real_text():
    note = plan("say “hi”\n".encode(), ('say "hi"', 'say "ho"')).notes[0]
    assert note == (
        "The edit matched at line 1 only ignoring the form of quotes, dashes, spaces and similar characters. "
        "The text there was:\nsay “hi”"
    )


def test_legacy_files_take_ascii_only():
    # E72
    data = b"# caf\xe9\nx = 1\n"
    assert "only ASCII" in refused(data, ("x = 1", "x = ü"))
    assert "NUL" in refused(b"a\0b", ("a", "x"))


def test_a_line_break_is_never_swallowed_by_a_lone_carriage_return():
    # E36
    assert "lone carriage returns" in refused(b"a\rX\nb\n", ("X", ""))


ENDINGS = st.sampled_from(["\n", "\r\n", "\r"])
LINE = st.text(st.sampled_from("ab \t“é中😀\u2028\x0c"), max_size=6)


@st.composite
def files_and_edits(draw: st.DrawFn) -> tuple[bytes, list[tuple[str, str]]]:
    """A file with unique marks in it, and replacements of texts that contain a mark."""
    mixed = draw(st.booleans())
    ending = draw(ENDINGS)
    lines = draw(st.lists(LINE, min_size=1, max_size=12))
    text = "".join(f"{line}<{n}>{line}{draw(ENDINGS) if mixed else ending}" for n, line in enumerate(lines))
    text = text if draw(st.booleans()) else text.rstrip("\r\n")
    edits: list[tuple[str, str]] = []
    for number in draw(st.lists(st.integers(0, len(lines) - 1), unique=True, min_size=1, max_size=4)):
        start = text.index(f"<{number}>")
        stop = min(
            start + len(f"<{number}>") + draw(st.integers(0, 5)), (text + f"<{number + 1}>").index(f"<{number + 1}>")
        )
        edits.append((text[start:stop], draw(LINE) + draw(st.sampled_from(["", "\n", "\r\nnew"])) + draw(LINE)))
    encoding, mark = draw(
        st.sampled_from([("utf-8", b""), ("utf-8", codecs.BOM_UTF8), ("utf-16-le", codecs.BOM_UTF16_LE)])
    )
    return mark + text.encode(encoding), edits


@settings(max_examples=250)
@given(files_and_edits())
def test_bytes_outside_the_matches_are_untouched(case: tuple[bytes, list[tuple[str, str]]]):
    data, edits = case
    try:
        result = plan_edit("f", data, [Replacement(old, new) for old, new in edits])
    except ToolError as error:
        if not any(words in str(error) for words in ("changes nothing", "lone carriage", "overlap")):
            raise
        return
    encoding = "utf-16-le" if data.startswith(codecs.BOM_UTF16_LE) else "utf-8"
    text, new_text = data.decode(encoding), result.data.decode(encoding)
    # A model that knows nothing of bytes: cut the file at the matches; all pieces are still there, in order, untouched.
    spans = sorted((to_lf_span(text, old), new) for old, new in edits)
    rest, at = new_text, 0
    for index, ((start, stop), new) in enumerate(spans):
        piece = text[at:start]
        assert rest.startswith(piece)
        rest = rest[len(piece) :]
        following = text[stop : spans[index + 1][0][0] if index + 1 < len(spans) else len(text)]
        size = next(
            n for n in range(len(rest), -1, -1) if to_lf(rest[:n]) == to_lf(new) and rest[n:].startswith(following)
        )
        rest, at = rest[size:], stop
    assert rest == text[at:]


def to_lf_span(text: str, old: str) -> tuple[int, int]:
    """Where `old` is in `text`; a match that ends between CR and LF takes the LF in."""
    start = text.index(old)
    stop = start + len(old)
    return start, stop + (text[stop - 1 : stop + 1] == "\r\n")
