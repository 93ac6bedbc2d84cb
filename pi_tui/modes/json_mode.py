"""`pi --mode json`: run the prompts, write the session header and every event as one JSON record per line."""

from __future__ import annotations

from typing import BinaryIO

from core.agent.events import Fault
from core.ai.wire import Json, json_line
from core.session.events import SessionEvent, SessionNotice
from pi_tui.conductor import Conductor
from pi_tui.modes.headless import READER_GONE, complain, failure_of, run_headless
from pi_tui.options import Options


def run(options: Options) -> int:
    """Exit code 1, with the reason on standard error too, when the last run failed."""

    async def prompts(conductor: Conductor, stdout: BinaryIO) -> int:
        gone = False

        def put(record: Json) -> None:
            """Write one record. When the reader has gone away, stop: nobody would see the rest."""
            nonlocal gone
            if gone:
                return
            try:
                stdout.write(json_line(record))
                stdout.flush()
            except BrokenPipeError:
                gone = True
                conductor.abort("The reader of the output went away")

        def write(event: SessionEvent) -> None:
            if isinstance(event, Fault):
                complain(f"{event.source}: {event.error}")
            elif isinstance(event, SessionNotice):
                complain(event.text)
            else:
                put(conductor.to_wire(event))

        put(conductor.header())
        conductor.subscribe(write)
        for text in options.messages:
            if not gone:
                await conductor.prompt(text)
        if gone:
            return READER_GONE
        failure = failure_of(conductor)
        return 0 if failure is None else complain(failure)

    return run_headless(options, prompts)
