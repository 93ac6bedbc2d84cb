"""A small app around the view, with a clock that tests move by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.pilot import Pilot
from textual.widgets import TextArea

from core.session.events import SessionEvent
from pi_tui.model import State, reduce
from pi_tui.term.app import TerminalApp
from pi_tui.theme import built_in
from pi_tui.transcript import TranscriptView


@dataclass
class ManualClock:
    """Time stands still until `advance`."""

    time: float = 100.0
    due: list[tuple[float, Callable[[], None]]] = field(default_factory=list)

    def now(self) -> float:
        return self.time

    def call_later(self, delay: float, callback: Callable[[], None]) -> Call:
        entry = (self.time + delay, callback)
        self.due.append(entry)
        return Call(self, entry)

    def advance(self, seconds: float) -> None:
        """Let time pass and call what falls due, in order."""
        end = self.time + seconds
        while ready := sorted((entry for entry in self.due if entry[0] <= end), key=lambda entry: entry[0]):
            entry = ready[0]
            self.due.remove(entry)
            self.time = max(self.time, entry[0])
            entry[1]()
        self.time = end


@dataclass
class Call:
    """A call that was put off."""

    clock: ManualClock
    entry: tuple[float, Callable[[], None]]

    def cancel(self) -> None:
        if self.entry in self.clock.due:
            self.clock.due.remove(self.entry)


class Stage(TerminalApp[None]):
    """The view over a prompt, each in its own container, as in the real app."""

    CSS = """
    #top { height: 1fr; }
    #bottom { height: 3; }
    TextArea { height: 3; border: none; }
    """

    def __init__(self, state: State | None = None, backlog: Callable[[], int] = lambda: 0) -> None:
        super().__init__()
        self.clock = ManualClock()
        state = state or State()
        state.clock = self.clock.now
        self.view = TranscriptView(state, built_in(dark=True), clock=self.clock, backlog=backlog)
        self.followed: list[bool] = []

    def compose(self) -> ComposeResult:
        with Vertical(id="top"):
            yield self.view
        with Vertical(id="bottom"):
            yield TextArea()

    def on_mount(self) -> None:
        theme = built_in(dark=True).textual()
        self.register_theme(theme)
        self.theme = theme.name
        self.query_one(TextArea).cursor_blink = False

    def on_transcript_view_follow_changed(self, message: TranscriptView.FollowChanged) -> None:
        self.followed.append(message.following)

    def feed(self, *events: SessionEvent) -> None:
        """Fold events and hand the changes on, as the conductor's listener does."""
        for event in events:
            self.view.apply(reduce(self.view.state, event))

    def screen_text(self) -> list[str]:
        """The rows of the terminal over the prompt, without the scroll bar and trailing blanks."""
        strips = self.screen._compositor.render_strips()
        return [strip.text[: self.view.region.width - 1].rstrip() for strip in strips[: self.view.region.height]]


async def frame(pilot: Pilot[None], seconds: float = 0.5) -> None:
    """Let so much time pass, and let everything be painted."""
    app = pilot.app
    assert isinstance(app, Stage)
    app.clock.advance(seconds)
    await pilot.pause()
