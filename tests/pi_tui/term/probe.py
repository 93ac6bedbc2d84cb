"""A small app on our driver, run in a pty by the tests: shows what it is told and can be made to fail.

    python -m tests.pi_tui.term.probe [REPORT]

f1 raises, f2 raises MemoryError, f3 blocks the loop for good, f4 sets a hostile title, f5 paints 100 frames in a row
and writes the longest delay of the loop (seconds) into the file REPORT, f6 leaves past Textual, ctrl+z suspends,
ctrl+q ends.
"""

import asyncio
import sys
import time
from pathlib import Path

from textual import events
from textual.app import ComposeResult
from textual.widgets import Static

from pi_tui.term.app import TerminalApp
from pi_tui.term.messages import TerminalBackground


class Probe(TerminalApp[None]):
    told: list[str]

    def compose(self) -> ComposeResult:
        self.told = []
        yield Static("ready", id="told", markup=False)

    def show(self, text: str) -> None:
        self.told.append(text)
        self.query_one("#told", Static).update("\n".join(["ready", *self.told]))

    def on_terminal_background(self, message: TerminalBackground) -> None:
        self.show(f"background dark={message.dark}")

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Paste) and not event.is_forwarded:
            self.show(f"paste {len(event.text)} {event.text[:20]!r}")
        if isinstance(event, events.Key) and not event.is_forwarded:
            await self.act(event.key)
        await super().on_event(event)

    async def act(self, key: str) -> None:
        self.show(f"key {key}")
        match key:
            case "f1":
                raise RuntimeError("broken on purpose")
            case "f2":
                raise MemoryError
            case "f3":
                report("blocked")
                while True:
                    busy()
            case "f4":
                self.set_window_title("work\x1b]0;pwned\x07\x07 here")
            case "f5":
                self.run_worker(self.paint_much())
            case "f6":
                sys.exit(7)
            case "ctrl+z":
                self.action_suspend_process()
            case "ctrl+q":
                self.exit(message="goodbye")

    async def paint_much(self) -> None:
        longest = 0.0
        for number in range(100):
            start = time.monotonic()
            self.query_one("#told", Static).update(f"{number} " * 800)
            await asyncio.sleep(0.01)
            longest = max(longest, time.monotonic() - start - 0.01)
        self.query_one("#told", Static).update("painted all")
        report(str(longest))


def report(text: str) -> None:
    Path(sys.argv[1]).write_text(text)


def busy() -> None:
    """Keep the loop from running, as a bug would."""
    time.sleep(0.1)


if __name__ == "__main__":
    app = Probe()
    app.run()
    sys.exit(app.return_code)
