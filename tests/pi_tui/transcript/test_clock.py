"""The pace of frames, on a clock that stands still."""

from __future__ import annotations

from pi_tui.transcript.clock import DEAR, FAST, SLOW, FrameClock
from tests.pi_tui.transcript.stage import ManualClock


class Painter:
    """Notes when it was asked to paint; each paint takes `cost` seconds and leaves `backlog` frames waiting."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.cost = 0.0
        self.backlog = 0
        self.painted: list[float] = []
        self.frames = FrameClock(self.paint, self.clock, lambda: self.backlog)

    def paint(self) -> None:
        self.painted.append(self.clock.time)
        self.frames.spent(self.cost)

    def stream(self, seconds: float) -> int:
        """Ask for a frame every 5 ms; return how many were painted."""
        before = len(self.painted)
        for _ in range(round(seconds / 0.005)):
            self.frames.request()
            self.clock.advance(0.005)
        return len(self.painted) - before


def test_the_first_request_after_a_rest_is_served_at_once() -> None:
    painter = Painter()
    painter.frames.request()
    painter.clock.advance(0)
    assert painter.painted == [painter.clock.time]
    assert painter.frames.resting


def test_a_stream_is_painted_thirty_times_a_second() -> None:
    assert 25 <= Painter().stream(1.0) <= 31


def test_dear_paints_a_hurry_or_a_backlog_slow_it_down_and_it_recovers() -> None:
    painter = Painter()
    painter.stream(0.5)
    painter.cost = DEAR * 2
    painter.stream(0.2)
    assert 9 <= painter.stream(1.0) <= 11
    painter.cost = 0.0
    painter.stream(0.2)
    assert painter.stream(1.0) >= 25
    painter.backlog = 3
    painter.stream(0.2)
    assert 9 <= painter.stream(1.0) <= 11
    painter.backlog = 0
    painter.stream(0.2)
    painter.frames.hurried = True
    painter.stream(0.2)
    assert 9 <= painter.stream(1.0) <= 11


def test_a_later_wish_does_not_put_off_an_earlier_one_nor_the_other_way_round() -> None:
    painter = Painter()
    painter.frames.request(1.0)
    painter.frames.request()
    painter.clock.advance(FAST)
    assert len(painter.painted) == 1
    painter.frames.request(0.05)
    painter.frames.request(1.0)
    painter.clock.advance(SLOW)
    assert len(painter.painted) == 2
    assert painter.frames.resting


def test_stopped_it_holds_no_timer() -> None:
    painter = Painter()
    painter.frames.request(1.0)
    painter.frames.stop()
    assert painter.clock.due == []
    assert painter.frames.resting
