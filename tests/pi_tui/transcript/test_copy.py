"""Selecting with the mouse and what is copied then."""

from __future__ import annotations

from textual.pilot import Pilot

from core.ai.messages import AssistantMessage, TextContent, UserMessage
from pi_tui.model import fold_messages
from tests.pi_tui.transcript.stage import Stage, frame
from tests.pi_tui.transcript.test_view import delta, opening

TEXT = """A paragraph that is too long for the narrow screen and has to be wrapped twice or so.

- an item that is wrapped as well, with its rows hanging under the first
- second

```python
def f():
    return 1
```

> quoted words that go over more than one row of this screen
"""


def stage() -> Stage:
    return Stage(fold_messages([UserMessage.of("Please explain"), AssistantMessage(content=(TextContent(text=TEXT),))]))


async def drag(pilot: Pilot[None], start: tuple[int, int], end: tuple[int, int]) -> str:
    """Select from one cell to another and return what would be copied."""
    await pilot.mouse_down(offset=start)
    await pilot.hover(offset=end)
    await pilot.mouse_up(offset=end)
    await frame(pilot)
    return pilot.app.screen.get_selected_text() or ""


async def test_wrapped_rows_are_joined_and_margins_dropped() -> None:
    async with stage().run_test(size=(40, 40)) as pilot:
        await frame(pilot)
        assert await drag(pilot, (1, 4), (39, 6)) == (
            "A paragraph that is too long for the narrow screen and has to be wrapped twice or so."
        )


async def test_a_selection_across_blocks_reads_as_it_was_written() -> None:
    app = stage()
    async with app.run_test(size=(40, 40)) as pilot:
        await frame(pilot)
        rows = app.screen_text()
        last = max(y for y, row in enumerate(rows) if row)
        assert await drag(pilot, (0, 1), (39, last)) == (
            "Please explain\n\n\n"
            "A paragraph that is too long for the narrow screen and has to be wrapped twice or so.\n\n"
            "• an item that is wrapped as well, with its rows hanging under the first\n"
            "• second\n\n"
            "```python\ndef f():\n    return 1\n```\n\n"
            "quoted words that go over more than one row of this screen"
        )


async def test_going_up_and_over_the_edge_selects_no_more_than_was_passed() -> None:
    app = stage()
    async with app.run_test(size=(40, 16)) as pilot:
        await frame(pilot)
        rows = app.screen_text()
        y = rows.index(" ```python")
        assert await drag(pilot, (12, y + 1), (39, y - 2)) == "• second\n\n```python\ndef f():"


async def test_part_of_a_row() -> None:
    async with stage().run_test(size=(40, 40)) as pilot:
        await frame(pilot)
        assert await drag(pilot, (3, 4), (11, 4)) == "paragraph"


async def test_a_selection_is_shown() -> None:
    app = stage()
    async with app.run_test(size=(40, 40)) as pilot:
        await frame(pilot)
        await drag(pilot, (3, 4), (11, 4))
        colour = app.screen.get_component_rich_style("screen--selection").bgcolor
        strip = app.screen._compositor.render_strips()[4]
        marked = [segment.text for segment in strip if segment.style and segment.style.bgcolor == colour]
        assert marked == ["paragraph"]


async def test_the_view_holds_still_while_text_is_selected_and_follows_again_then() -> None:
    app = stage()
    async with app.run_test(size=(40, 12)) as pilot:
        await frame(pilot)
        before = app.screen_text()
        await drag(pilot, (1, 2), (9, 3))
        app.feed(*opening(), *[delta("more\n\n") for _ in range(20)])
        await frame(pilot)
        assert app.screen_text() == before
        assert not app.view.following
        app.screen.clear_selection()
        await frame(pilot)
        assert app.view.following
        assert app.screen_text()[-1] == " more"
