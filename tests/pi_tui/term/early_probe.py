"""The real way in with something else in place of the command line's work, run in a pty by the tests.

    python -m tests.pi_tui.term.early_probe ACT [REPORT]

ACT is `hold` (compute until the file REPORT.go is there, then take over and write text and pending input into REPORT
as JSON), `raise`, `exit` or `stuck` (block without an end).
"""

import json
import sys
import time
from pathlib import Path

import pi_tui.cli
from pi_tui import boot
from pi_tui.flags import CommandLine
from pi_tui.term import early


def hold(report: Path) -> int:
    """Keep the interpreter busy, as imports do, until told to go on."""
    go = report.with_suffix(".go")
    while not go.exists():
        sum(range(20_000))
    screen = early.current()
    assert screen is not None
    given = screen.hand_over()
    assert given is not None
    report.write_text(json.dumps({"text": given.text, "pending": given.pending.decode("latin-1")}))
    return 0


def act(line: CommandLine) -> int:
    """What takes the place of `pi_tui.cli.start`."""
    assert not line.values
    match sys.argv[1]:
        case "hold":
            return hold(Path(sys.argv[2]))
        case "raise":
            raise RuntimeError("broken on purpose")
        case "exit":
            sys.exit(7)
        case "stuck":
            while True:
                time.sleep(1)
    raise AssertionError(sys.argv)


if __name__ == "__main__":
    pi_tui.cli.start = act
    sys.exit(boot.run([]))
