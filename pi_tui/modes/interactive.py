"""The interactive mode: the door through which Textual is loaded."""

from __future__ import annotations

from pi_tui import first_frame
from pi_tui.errors import StartError
from pi_tui.modes.headless import complain
from pi_tui.options import Options


def run(options: Options) -> int:
    """Run the app; returns the process's exit code."""
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
    return app.return_code or 0
