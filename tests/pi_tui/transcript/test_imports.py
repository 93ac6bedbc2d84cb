"""What the first frame of a new session loads: no Markdown, no syntax colours, no SDK."""

import subprocess
import sys

PROGRAM = """
import sys
from pi_tui.model import NoticeBlock, State, UserBlock
from pi_tui.render import Context
from pi_tui.theme import built_in
from pi_tui.transcript.view import TranscriptView
from pi_tui.transcript.viewport import Viewport

state = State.with_header(("accent", "pi"))
state.blocks += [UserBlock("hello"), NoticeBlock("info", "ready")]
TranscriptView(state, built_in(dark=True))
viewport = Viewport(state, Context(80, built_in(dark=True)))
viewport.resize(viewport.flow.context, 24)
assert len(viewport.rows) == 7, viewport.rows
heavy = ("markdown_it", "pygments", "rich.markdown", "rich.syntax", "anthropic", "openai")
print([name for name in heavy if name in sys.modules])
"""


def test_a_new_session_shows_itself_without_loading_markdown() -> None:
    assert subprocess.check_output([sys.executable, "-c", PROGRAM], text=True).strip() == "[]"
