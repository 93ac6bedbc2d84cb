"""The widget in an app: frames, painting, scrolling, clicking."""

from __future__ import annotations

import pytest
from textual import events
from textual.geometry import Region, Size
from textual.screen import Screen

from core.agent.events import MessageEnd, MessageStart, MessageUpdate, ToolExecutionStart, ToolExecutionUpdate
from core.agent.tools import ToolResult
from core.ai.messages import AssistantMessage, TextContent, ThinkingContent, Usage
from core.ai.stream import TextDelta, TextStart
from core.session.events import SessionEvent
from pi_tui.model import State, fold_messages
from pi_tui.theme import built_in
from tests.pi_tui.model.session import Tape, call
from tests.pi_tui.transcript.sessions import long_session
from tests.pi_tui.transcript.stage import Stage, frame

USAGE = Usage()


def opening() -> list[SessionEvent]:
    return [
        MessageStart(message=AssistantMessage(stop_reason="pending")),
        MessageUpdate(usage=USAGE, assistant_message_event=TextStart(content_index=0)),
    ]


def delta(text: str) -> MessageUpdate:
    return MessageUpdate(usage=USAGE, assistant_message_event=TextDelta(content_index=0, delta=text))


def bash_events(*, settled: bool) -> list[SessionEvent]:
    tape = Tape().start().reply([call("bash", command="make")], "toolUse")
    output = "\n".join(f"line {number}" for number in range(12))
    if settled:
        return tape.tools((call("bash", command="make"), output, False)).events
    common = {"tool_call_id": "call_1", "tool_name": "bash", "args": {"command": "make"}}
    update = ToolExecutionUpdate(partial_result=ToolResult.text(output), **common)
    return [*tape.events, ToolExecutionStart(**common), update]


@pytest.fixture
def painted(monkeypatch: pytest.MonkeyPatch) -> list[Region]:
    """The regions that views asked to have painted, and what Textual laid out as an empty region."""
    regions: list[Region] = []
    from pi_tui.transcript import TranscriptView

    refresh, layout = TranscriptView.refresh, Screen._refresh_layout

    def spy(self: TranscriptView, *areas: Region, **options: bool) -> TranscriptView:
        regions.extend(areas)
        return refresh(self, *areas, **options)

    def spy_layout(self: Screen[None], size: Size | None = None, scroll: bool = False) -> None:
        regions.append(Region())
        layout(self, size, scroll)

    monkeypatch.setattr(TranscriptView, "refresh", spy)
    monkeypatch.setattr(Screen, "_refresh_layout", spy_layout)
    return regions


async def test_deltas_wait_for_the_frame_and_come_together() -> None:
    app = Stage()
    async with app.run_test(size=(60, 20)) as pilot:
        await frame(pilot)
        app.feed(*opening(), delta("first"))
        await frame(pilot, 0.001)
        assert app.screen_text()[0] == " first"
        app.feed(delta(" second"), delta(" third"))
        await frame(pilot, 0.020)
        assert app.screen_text()[0] == " first"
        await frame(pilot, 0.020)
        assert app.screen_text()[0] == " first second third"


async def test_a_delta_paints_the_rows_that_differ_and_lays_nothing_out(painted: list[Region]) -> None:
    app = Stage()
    async with app.run_test(size=(60, 20)) as pilot:
        app.feed(*opening(), *[delta(f"Paragraph {number}.\n\n") for number in range(30)], delta("The last one"))
        await frame(pilot)
        painted.clear()
        app.feed(delta(" grows"))
        await frame(pilot)
        assert [(region.y, region.height) for region in painted] == [(16, 1)]
        assert app.screen_text()[16] == " The last one grows"
        painted.clear()
        app.feed(delta(" until it is wrapped, which moves all the rows up by one"))
        await frame(pilot)
        assert Region() not in painted
        assert app.screen_text()[15] == " The last one grows until it is wrapped, which moves all"
        assert app.screen_text()[16] == " the rows up by one"


async def test_a_burst_is_shown_at_its_end_without_laying_out_what_went_by() -> None:
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.feed(*opening())
        for number in range(4_000):
            app.feed(delta(f"Paragraph {number} with some words in it.\n\n"))
            if number % 500 == 0:
                await frame(pilot, 0.05)
        await frame(pilot)
        view = app.view._viewport.flow._views[0]
        assert len(view.pieces) == 4_000
        assert sum(piece.exact for piece in view.pieces) < 200
        assert app.screen_text()[-2:] == ["", " Paragraph 3999 with some words in it."]


async def test_what_comes_before_the_first_frame_is_in_it() -> None:
    app = Stage()
    app.feed(*opening(), delta("early"))
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        assert app.screen_text()[0] == " early"


async def test_nothing_is_due_while_nothing_happens() -> None:
    app = Stage(fold_messages(long_session(50)))
    async with app.run_test(size=(80, 24)) as pilot:
        await frame(pilot, 2)
        assert app.clock.due == []
        app.feed(*opening(), delta("x"))
        await frame(pilot, 2)
        assert app.clock.due == []


async def test_the_timer_of_a_running_call_goes_on_by_itself() -> None:
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.feed(*bash_events(settled=False))
        await frame(pilot, 0.1)
        assert app.screen_text()[0] == " ● $ make"
        for second in range(1, 4):
            await frame(pilot, 1)
            assert app.screen_text()[0] == f" ● $ make  {second}s"
        app.feed(*bash_events(settled=True)[-5:])
        await frame(pilot, 1)
        assert app.screen_text()[0].startswith(" ✓ $ make")
        assert app.clock.due == []


async def test_a_slow_terminal_slows_the_frames() -> None:
    waiting = [0]
    app = Stage(backlog=lambda: waiting[0])
    async with app.run_test(size=(60, 20)) as pilot:
        app.feed(*opening(), delta("a"))
        await frame(pilot)
        waiting[0] = 5
        app.feed(delta("b"))
        await frame(pilot, 0.01)
        app.feed(delta("c"))
        await frame(pilot, 0.08)
        assert app.screen_text()[0] == " ab"
        await frame(pilot, 0.02)
        assert app.screen_text()[0] == " abc"


async def test_scrolled_up_the_view_holds_still_and_says_so() -> None:
    app = Stage(fold_messages(long_session(50)))
    async with app.run_test(size=(80, 24)) as pilot:
        await frame(pilot)
        app.view.action_page_up()
        await frame(pilot)
        before = app.screen_text()
        app.feed(*opening(), *[delta("More.\n\n") for _ in range(50)])
        await frame(pilot)
        assert app.screen_text() == before
        assert app.view.rows_below > 100
        app.view.action_to_bottom()
        await frame(pilot)
        assert app.screen_text()[-1] == " More."
        assert app.followed == [False, True]


async def test_the_wheel_and_the_scroll_bar_scroll() -> None:
    app = Stage(fold_messages(long_session(200)))
    async with app.run_test(size=(80, 24)) as pilot:
        await frame(pilot)
        before = app.screen_text()
        app.view.post_message(events.MouseScrollUp(app.view, 5, 5, 0, 0, 0, False, False, False))
        await frame(pilot)
        assert app.screen_text()[2:] == before[:-2]
        app.view.post_message(events.MouseScrollDown(app.view, 5, 5, 0, 0, 0, False, False, False))
        await frame(pilot)
        assert app.screen_text() == before
        app.view.scroll_to(y=0, animate=False)
        await frame(pilot)
        assert app.view._viewport.rows[0].place == (0, 0, 0)


async def test_a_click_on_a_call_expands_it_in_place_and_another_collapses_it() -> None:
    state = fold_messages(long_session(4))
    app = Stage(state)
    async with app.run_test(size=(80, 30)) as pilot:
        app.feed(*bash_events(settled=True))
        await frame(pilot)
        before = app.screen_text()
        y = before.index(" ✓ $ make  0.0s")
        assert before[y + 1].startswith("   … 7 earlier lines")
        await pilot.click(offset=(5, y))
        await frame(pilot)
        after = app.screen_text()
        assert after[y] == " ✓ $ make  0.0s"
        assert after[y + 1 : y + 4] == ["   line 0", "   line 1", "   line 2"]
        assert not app.view.following
        await pilot.click(offset=(5, y))
        await frame(pilot)
        assert app.screen_text() == before
        assert app.view.following


async def test_all_calls_expand_and_reasoning_hides_at_once() -> None:
    app = Stage()
    async with app.run_test(size=(80, 40)) as pilot:
        app.feed(*Tape().reply([ThinkingContent(thinking="Let me see.")]).events, *bash_events(settled=True))
        await frame(pilot)
        assert app.screen_text()[0] == " Let me see."
        assert any("to expand" in row for row in app.screen_text())
        app.view.action_toggle_thinking()
        app.view.action_toggle_tools()
        await frame(pilot)
        assert app.view.tools_expanded
        assert app.screen_text()[0] == " Thinking..."
        assert not any("to expand" in row for row in app.screen_text())


@pytest.mark.parametrize("size", [(20, 6), (80, 24), (200, 60)])
async def test_resizing_while_text_streams_doubles_nothing(size: tuple[int, int]) -> None:
    app = Stage()
    async with app.run_test(size=size) as pilot:
        app.feed(*opening())
        number = 0
        for width, height in [(31, 9), (120, 50), (10, 5), (64, 12), size]:
            for _ in range(40):
                app.feed(delta(f"w{number} "))
                number += 1
            await frame(pilot, 0.05)
            await pilot.resize_terminal(width, height)
            await frame(pilot)
            rows = app.view._viewport.rows
            words = " ".join(row.line.text for row in rows).split()
            assert words == [f"w{index}" for index in range(number - len(words), number)]
            assert app.screen_text()[: len(rows)] == [
                (" " if app.view.region.width > 20 else "") + row.line.text for row in rows
            ]


async def test_another_session_and_other_colours() -> None:
    app = Stage(fold_messages(long_session(50)))
    async with app.run_test(size=(80, 24)) as pilot:
        await frame(pilot)
        app.view.action_page_up()
        app.view.show(State.with_header(("accent", "pi"), ("muted", "hello")))
        app.feed(*opening(), delta("*new*"), MessageEnd(message=AssistantMessage(content=(TextContent(text="*new*"),))))
        await frame(pilot)
        assert app.screen_text()[:4] == [" pi", " hello", "", " new"]
        style = app.view._viewport.rows[0].line.segments[0].style
        app.view.set_theme(built_in(dark=False))
        await frame(pilot)
        assert app.view._viewport.rows[0].line.segments[0].style != style


async def test_a_view_that_goes_away_leaves_no_timer() -> None:
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.feed(*bash_events(settled=False))
        await frame(pilot, 0.1)
        assert app.clock.due
        await app.view.remove()
        assert app.clock.due == []
        app.view.apply(app.view._take_changes())


async def test_more_room_does_not_end_following() -> None:
    """The queue or the activity line under it vanishes: Textual clamps the offset, and nobody scrolled."""
    app = Stage(fold_messages(long_session(30)))
    async with app.run_test(size=(60, 20)) as pilot:
        await frame(pilot)
        assert app.view.following
        app.query_one("#bottom").styles.height = 1
        await pilot.pause()
        await frame(pilot)
        assert app.view.following
        assert app.view.rows_below == 0
        assert app.followed == []
