"""The small words."""

import pytest

from pi_tui.render import Context
from pi_tui.render.hints import more, seconds
from pi_tui.theme import built_in


@pytest.mark.parametrize(
    ("duration", "text"),
    [(0.04, "0.0s"), (9.94, "9.9s"), (12.3, "12s"), (65, "1m 05s"), (3_600, "1h 00m"), (3_720, "1h 02m")],
)
def test_durations(duration: float, text: str) -> None:
    assert seconds(duration) == text


def test_what_is_not_shown_is_counted() -> None:
    context = Context(80, built_in(dark=True), expand_key="f4")
    assert [line.text for line in more(1, "more", context)] == ["… 1 more line, f4 to expand"]
    assert [line.text for line in more(1_200, "earlier", context)] == ["… 1,200 earlier lines, f4 to expand"]
    assert more(0, "more", context) == []
