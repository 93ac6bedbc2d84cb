"""`pi --mode json`: run the prompts, write the session header and every event as one JSON record per line."""

from __future__ import annotations

from typing import BinaryIO

from core.agent.events import Fault
from core.ai.wire import Json, json_line
from core.session.events import SessionEvent, SessionNotice
from pi_tui.conductor import Conductor
from pi_tui.modes.headless import complain, failure_of, run_headless
from pi_tui.options import Options


def run(options: Options) -> int:
    """Exit code 1, with the reason on standard error too, when the last run failed."""

    async def prompts(conductor: Conductor, stdout: BinaryIO) -> int:
        broken: OSError | None = None

        def put(record: Json) -> None:
            """Write one record. When the reader has gone away or the disk is full, stop: nobody would see the rest."""
            nonlocal broken
            if broken is not None:
                return
            try:
                stdout.write(json_line(record))
                stdout.flush()
            except OSError as error:
                broken = error
                gone = isinstance(error, BrokenPipeError)
                conductor.abort("The reader of the output went away" if gone else "The output cannot be written")

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
            if broken is None:
                await conductor.prompt(text)
        if broken is not None:
            raise broken
        failure = failure_of(conductor)
        return 0 if failure is None else complain(failure)

    return run_headless(options, prompts)
