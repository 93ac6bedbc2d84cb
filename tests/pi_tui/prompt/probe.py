"""A prompt box on our driver, run in a pty by the tests: appends each sent text as a JSON string to the file SENT.

python -m tests.pi_tui.prompt.probe SENT
"""

import json
import sys
from pathlib import Path

from textual.app import ComposeResult
from textual.widgets import Static

from pi_tui.prompt.box import PromptBox
from pi_tui.term.app import TerminalApp


class Probe(TerminalApp[None]):
    CSS = "#room { height: 1fr; }"
    count = 0

    def compose(self) -> ComposeResult:
        yield Static("ready", id="room")
        yield PromptBox(placeholder="Ask")

    def on_mount(self) -> None:
        self.query_one(PromptBox).focus()

    def on_prompt_box_submitted(self, message: PromptBox.Submitted) -> None:
        self.count += 1
        with Path(sys.argv[1]).open("a") as file:
            file.write(json.dumps(message.text) + "\n")
        self.query_one("#room", Static).update(f"sent {self.count}")

    def on_prompt_box_quit_requested(self) -> None:
        self.exit()


if __name__ == "__main__":
    Probe().run()
