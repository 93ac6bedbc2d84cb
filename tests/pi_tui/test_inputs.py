"""What stands in front of the first prompt: piped text and files."""

import io
import os
from pathlib import Path

import pytest

from pi_tui import inputs
from pi_tui.flags import CommandLineError


class Stdin(io.TextIOWrapper):
    """A stdin that says whether it is a terminal."""

    def __init__(self, data: bytes, tty: bool = False) -> None:
        super().__init__(io.BytesIO(data))
        self.tty = tty

    def isatty(self) -> bool:
        return self.tty


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_piped_text_files_and_first_message_are_one_prompt_without_separator(folder: Path) -> None:
    (folder / "a.txt").write_bytes(b"one\r\ntwo\n")
    (folder / "b c.txt").write_text("three")
    first, second = inputs.gather(["first", "second"], ["a.txt", "b c.txt"], "piped")
    assert first == (
        f'piped<file name="{folder}/a.txt">\none\r\ntwo\n\n</file>\n'
        f'<file name="{folder}/b c.txt">\nthree\n</file>\nfirst'
    )
    assert second == "second"


@pytest.mark.parametrize(
    ("messages", "piped", "prompts"),
    [([], "", ()), (["a"], "", ("a",)), ([], "p", ("p",)), (["a", "b"], "p", ("pa", "b")), (["", "b"], "", ("b",))],
)
def test_prompts(messages: list[str], piped: str, prompts: tuple[str, ...]) -> None:
    assert inputs.gather(messages, [], piped) == prompts


def test_an_empty_file_is_skipped(folder: Path) -> None:
    (folder / "empty").touch()
    assert inputs.gather(["a"], ["empty"], "") == ("a",)


def test_a_file_in_the_home_directory(home: Path) -> None:
    (home / "note").write_text("x")
    assert inputs.wrap_file("~/note") == f'<file name="{home}/note">\nx\n</file>\n'


def test_a_missing_file_is_named(folder: Path) -> None:
    with pytest.raises(CommandLineError, match=f"^File not found: {folder}/nowhere$"):
        inputs.wrap_file("nowhere")


def test_a_folder_is_no_file(folder: Path) -> None:
    with pytest.raises(CommandLineError, match=f"^Cannot read {folder}: Is a directory$"):
        inputs.wrap_file(".")


@pytest.mark.parametrize("start", [*inputs.IMAGE_STARTS, b"RIFF\x00\x00\x00\x00WEBPVP8 "])
def test_images_are_refused(folder: Path, start: bytes) -> None:
    (folder / "picture").write_bytes(start + bytes(8))
    with pytest.raises(CommandLineError, match="is an image; images on the command line are not supported yet"):
        inputs.wrap_file("picture")


def test_text_in_another_encoding_is_refused_instead_of_damaged(folder: Path) -> None:
    (folder / "old").write_bytes("caf\xe9".encode("latin-1"))
    with pytest.raises(CommandLineError, match="is not UTF-8 text"):
        inputs.wrap_file("old")


@pytest.mark.parametrize(
    ("data", "text"),
    [(b"  hi \n", "hi"), ("\ufeffgr\u00fc\u00df\n".encode(), "gr\u00fc\u00df"), (b"a\xffb", "a\ufffdb"), (b"", "")],
)
def test_piped_text_is_trimmed(data: bytes, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Stdin(data))
    assert inputs.read_piped() == text


@pytest.mark.parametrize("stdin", [None, Stdin(b"typed", tty=True)])
def test_a_terminal_or_a_closed_stdin_is_not_read(stdin: Stdin | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", stdin)
    assert inputs.read_piped() == ""


def test_prompt_text_may_be_a_file(folder: Path) -> None:
    (folder / "prompt.md").write_bytes(b"\xef\xbb\xbfBe kind.\n")
    assert inputs.text_or_file("prompt.md") == "Be kind.\n"
    for text in ("Be kind.", "", ".", "x" * 5000, "a\0b"):
        assert inputs.text_or_file(text) == text


def test_a_prompt_file_that_cannot_be_read_is_an_error(folder: Path) -> None:
    (folder / "prompt.md").write_bytes(b"\xff")
    with pytest.raises(CommandLineError, match=r"^Cannot read the prompt file prompt\.md: "):
        inputs.text_or_file("prompt.md")


def test_a_pipe_as_file(folder: Path) -> None:
    read, write = os.pipe()
    os.write(write, b"from a pipe")
    os.close(write)
    assert "from a pipe" in inputs.wrap_file(f"/dev/fd/{read}")
    os.close(read)
