"""`pi -p`: run the prompts, write the text of the last reply."""

from __future__ import annotations

from typing import BinaryIO

from core.ai.messages import TextContent
from pi_tui.conductor import Conductor
from pi_tui.modes.headless import complain, failure_of, run_headless
from pi_tui.options import Options
from pi_tui.term.safe import safe_text


def run(options: Options) -> int:
    """Exit code 0 with the reply on standard output; 1 with the reason on standard error when the last run failed."""

    async def prompts(conductor: Conductor, stdout: BinaryIO) -> int:
        for text in options.messages:
            await conductor.prompt(text)
        reply = conductor.last_reply()
        if not options.messages or reply is None:
            return 0
        failure = failure_of(conductor)
        if failure is not None:
            return complain(failure)
        for block in reply.content:
            if isinstance(block, TextContent):
                # A pipe gets the text as it is; a terminal gets none of its control characters.
                text = safe_text(block.text) if stdout.isatty() else block.text
                stdout.write(text.encode("utf-8", "replace") + b"\n")
        stdout.flush()
        if reply.stop_reason == "length":
            return complain("Warning: the reply was cut by its length limit")
        if not reply.text.strip():
            complain("Warning: the model ended without an answer")
        return 0

    return run_headless(options, prompts)
