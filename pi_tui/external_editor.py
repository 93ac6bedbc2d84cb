"""Writing a prompt in the person's own editor."""

from __future__ import annotations

import asyncio
import os
import shlex
import tempfile
from pathlib import Path


async def edited(text: str, setting: str | None) -> str:
    """Return `text` as the editor left it; unchanged when the editor failed. The terminal must be free for it.

    The editor is the setting `externalEditor`, else $VISUAL, $EDITOR, nano. Raises OSError when it cannot be
    started and ValueError for a setting with an unclosed quote.
    """
    words = shlex.split(setting or os.environ.get("VISUAL") or os.environ.get("EDITOR") or "nano")
    with tempfile.TemporaryDirectory(prefix="pi-prompt-") as folder:
        file = Path(folder, "prompt.md")
        await asyncio.to_thread(file.write_text, text, "utf-8")
        process = await asyncio.create_subprocess_exec(*words, file)
        if await process.wait() != 0:
            return text
        return (await asyncio.to_thread(file.read_text, "utf-8", "replace")).rstrip("\n")
