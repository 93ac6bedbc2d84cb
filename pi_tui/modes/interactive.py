"""The interactive mode: the door through which Textual is loaded."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from contextlib import contextmanager

from pi_tui import first_frame
from pi_tui.errors import StartError
from pi_tui.modes.headless import complain
from pi_tui.options import Options


@contextmanager
def _painted_at_once() -> Generator[None]:
    """Textual reads TEXTUAL_FPS when it is imported: a key then shows within 4 ms instead of 17.

    Taken back afterwards, so that commands started from here do not inherit it.
    """
    if "TEXTUAL_FPS" in os.environ:
        yield
        return
    os.environ["TEXTUAL_FPS"] = "240"
    try:
        yield
    finally:
        del os.environ["TEXTUAL_FPS"]


def run(options: Options) -> int:
    """Run the app; returns the process's exit code."""
    with _painted_at_once():
        from pi_tui.app import PiApp
    from pi_tui.history_file import HistoryFile
    from pi_tui.keys import load_keymap
    from pi_tui.wiring import wire

    try:
        wired = wire(options, demo_without_model=True)
    except StartError as error:
        first_frame.hide()
        return complain(str(error))
    path = wired.paths.keybindings
    keymap = load_keymap(path.read_text("utf-8", "replace") if path.is_file() else "", str(path))
    history = HistoryFile(wired.paths.agent_dir, wired.options.cwd)
    app = PiApp(wired, keymap=keymap, history=history)
    app.run(mouse=not options.no_mouse)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # one Ctrl+C too many must not change how we end
    return app.return_code or 0
