"""What reaches the first prompt from outside the command line: piped text and `@file` words."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from pi_tui.flags import CommandLineError

IMAGE_STARTS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"BM")


def gather(messages: Sequence[str], files: Sequence[str], piped: str) -> tuple[str, ...]:
    """The prompts to send, in order: piped text, file contents and the first message are one prompt.

    They are joined with nothing between them, as pi does it. Raises `CommandLineError` for a file that cannot be read.
    """
    first = piped + "".join(wrap_file(name) for name in files) + "".join(messages[:1])
    return tuple(text for text in (first, *messages[1:]) if text)


def read_piped() -> str:
    """All of stdin, trimmed, when it is a pipe or a file; "" when it is a terminal or closed. Waits for its end."""
    if sys.stdin is None or sys.stdin.isatty():
        return ""
    return sys.stdin.buffer.read().decode("utf-8-sig", errors="replace").strip()


def wrap_file(name: str) -> str:
    """The contents of the text file `name` inside a `<file>` tag that gives its absolute path; "" for an empty file."""
    path = Path(os.path.abspath(Path(name).expanduser()))
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise CommandLineError(f"File not found: {path}") from None
    except OSError as error:
        raise CommandLineError(f"Cannot read {path}: {error.strerror}") from None
    if data.startswith(IMAGE_STARTS) or (data[:4] == b"RIFF" and data[8:12] == b"WEBP"):
        raise CommandLineError(f"{path} is an image; images on the command line are not supported yet")
    try:
        content = data.decode("utf-8")
    except UnicodeDecodeError:
        raise CommandLineError(
            f"{path} is not UTF-8 text: convert it, or let the model look at it with a tool"
        ) from None
    return f'<file name="{path}">\n{content}\n</file>\n' if content else ""


def text_or_file(value: str) -> str:
    """The contents of the file that `value` names, else `value` itself (a prompt may be given either way)."""
    path = os.path.expanduser(value)
    if not os.path.isfile(path):
        return value
    try:
        return Path(path).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandLineError(f"Cannot read the prompt file {path}: {error}") from None
