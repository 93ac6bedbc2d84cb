import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.shared.errors import ToolError
from tools.shared.text_file import decode, dominant_ending, to_lf, without_surrogates


@pytest.mark.parametrize(
    ("data", "text", "encoding", "legacy"),
    [
        (b"a\r\nb", "a\r\nb", "utf-8", False),
        (codecs.BOM_UTF8 + "é".encode(), "é", "utf-8", False),
        (b"caf\xe9", "caf\udce9", "utf-8", True),
        (codecs.BOM_UTF16_LE + "aé".encode("utf-16-le"), "aé", "utf-16-le", False),
        (codecs.BOM_UTF16_BE + "aé".encode("utf-16-be"), "aé", "utf-16-be", False),
        (codecs.BOM_UTF32_LE + "a".encode("utf-32-le"), "a", "utf-32-le", False),
        (b"", "", "utf-8", False),
    ],
)
def test_encodings_come_back_as_they_were(data: bytes, text: str, encoding: str, legacy: bool):
    # E10, E11, E12
    file = decode(data)
    assert (file.text, file.encoding, file.legacy) == (text, encoding, legacy)
    assert file.encode(file.text) == data


@pytest.mark.parametrize("data", [b"a\0b", codecs.BOM_UTF16_LE + b"a", codecs.BOM_UTF16_LE + b"\x00\xd8"])
def test_what_cannot_be_written_back_is_refused(data: bytes):
    with pytest.raises(ToolError):
        decode(data)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_or_come_back(data: bytes):
    try:
        file = decode(data)
    except ToolError:
        return
    assert file.encode(file.text) == data


def test_only_ascii_goes_into_a_legacy_file_and_not_behind_an_unknown_byte():
    # E72; the second byte of the Shift-JIS character 表 is a backslash.
    latin = decode(b"# caf\xe9\nx = 1\n")
    latin.check_replacement(7, "y")
    with pytest.raises(ToolError, match="only ASCII"):
        latin.check_replacement(7, "ü")
    sjis = decode("表\\n".encode("shift_jis"))
    assert sjis.text[1] == "\\"
    with pytest.raises(ToolError, match="one character later"):
        sjis.check_replacement(1, "/")
    decode("é".encode()).check_replacement(1, "ü")


def test_lone_surrogates():
    # E68
    assert without_surrogates("a\ud800b\udfff") == ("a\ufffdb\ufffd", 2)
    assert without_surrogates("a😀") == ("a😀", 0)


def test_line_endings():
    assert to_lf("a\r\nb\rc\n") == "a\nb\nc\n"
    assert dominant_ending("a\r\nb\r\nc\n") == "\r\n"
    assert dominant_ending("a\r\nb\n") == "\n"
    assert dominant_ending("") == "\n"
