"""The rows on the screen against those of an eager layout of everything."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from core.session.events import SessionEvent
from pi_tui.model import Changes, State, UserBlock, fold_messages, reduce
from pi_tui.render import Context
from pi_tui.theme import built_in
from pi_tui.transcript.flow import START, Flow, Place
from pi_tui.transcript.viewport import Viewport
from tests.pi_tui.transcript.sessions import long_session, random_events

CONTEXT = Context(60, built_in(dark=True), clock=lambda: 0.0)


def eager(viewport: Viewport) -> list[str]:
    """All rows of the state, laid out anew, with the same blocks expanded."""
    flow = Flow(viewport.state, viewport.flow.context)
    for index in range(len(viewport.state.blocks)):
        if flow.is_expanded(index) != viewport.flow.is_expanded(index):
            flow.toggle(index)
    rows = flow.rows_from(START, 10**9)
    assert flow.total == len(rows)
    return [row.line.text for row in rows]


def shown(viewport: Viewport) -> list[str]:
    return [row.line.text for row in viewport.rows]


def play(viewport: Viewport, events: list[SessionEvent]) -> None:
    """Fold the events and show what they change."""
    changes = Changes()
    for event in events:
        changes.merge(reduce(viewport.state, event))
    viewport.apply(changes)


def check(viewport: Viewport) -> None:
    """The rows are a stretch of the eager ones: the end of them while following."""
    everything, rows = eager(viewport), shown(viewport)
    height = min(viewport.height, len(everything))
    assert len(rows) == height
    if viewport.following:
        assert rows == everything[len(everything) - height :]
    else:
        stretches = (everything[at : at + height] for at in range(len(everything) - height + 1))
        assert any(rows == stretch for stretch in stretches)


@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(3, 60))])
def test_any_way_through_a_session_shows_true_rows(seed: int) -> None:
    random_ = random.Random(seed)
    state = State(clock=lambda: 0.0)
    viewport = Viewport(state, CONTEXT)
    viewport.resize(CONTEXT, 12)
    pending = Changes()
    for event in random_events(seed, turns=2):
        pending.merge(reduce(state, event))
        if random_.random() < 0.05:
            viewport.apply(pending)
            pending = Changes()
            act(viewport, random_)
            if random_.random() < 0.1:
                check(viewport)
    viewport.apply(pending)
    for _ in range(8):
        act(viewport, random_)
        check(viewport)


def act(viewport: Viewport, random_: random.Random) -> None:
    """One thing that a person may do."""
    choice = random_.randrange(9)
    if choice == 0:
        viewport.scroll(random_.choice([-1, -11, -200]))
    elif choice == 1:
        viewport.scroll(random_.choice([1, 11, 200]))
    elif choice == 2:
        viewport.scroll_to(random_.randrange(max(viewport.flow.total, 1)))
    elif choice == 3:
        context = replace(viewport.flow.context, width=random_.choice([10, 33, 60, 118]))
        viewport.resize(context, random_.choice([4, 12, 50]))
    elif choice == 4 and viewport.rows:
        viewport.toggle(random_.choice(viewport.rows).place.block)
    elif choice == 5:
        viewport.previous_prompt()
    elif choice == 6:
        viewport.next_prompt()
    elif choice == 7:
        viewport.to_end()
    else:
        expanded = not viewport.flow.context.tools_expanded
        context = replace(viewport.flow.context, tools_expanded=expanded, thinking_hidden=random_.random() < 0.5)
        viewport.resize(context, viewport.height)


def test_paging_up_through_a_long_session_shows_every_row_once() -> None:
    state = fold_messages(long_session(60))
    viewport = Viewport(state, CONTEXT)
    viewport.resize(CONTEXT, 20)
    everything = eager(viewport)
    seen = shown(viewport)
    while viewport.top:
        viewport.scroll(-20)
        new = shown(viewport)
        overlap = 20 - min(20, len(everything) - len(seen))
        seen = new[: 20 - overlap] + seen
    assert seen == everything


def test_only_what_is_seen_is_laid_out() -> None:
    state = fold_messages(long_session(2_000))
    viewport = Viewport(state, CONTEXT)
    viewport.resize(CONTEXT, 40)
    for _ in range(5):
        viewport.scroll(-40)
    assert len(viewport.flow._views) < 60


def test_the_place_stays_while_blocks_above_and_below_change() -> None:
    state = State(clock=lambda: 0.0)
    viewport = Viewport(state, CONTEXT)
    viewport.resize(CONTEXT, 8)
    play(viewport, random_events(3))
    viewport.scroll(-300)
    assert not viewport.following
    before, place = shown(viewport), viewport.rows[0].place
    play(viewport, random_events(4, turns=1))
    assert (shown(viewport), viewport.rows[0].place) == (before, place)
    assert viewport.rows_below > 0


def test_resizing_back_and_forth_returns_to_the_same_rows() -> None:
    state = fold_messages(long_session(200))
    viewport = Viewport(state, CONTEXT)
    viewport.resize(CONTEXT, 20)
    viewport.scroll(-500)
    place, rows = viewport.rows[0].place, shown(viewport)
    for width in (20, 118, 60, 11, 60):
        viewport.resize(replace(CONTEXT, width=width), 20)
        assert viewport.rows[0].place[:2] == place[:2]
    assert shown(viewport) == rows


def test_a_moment_without_any_room_forgets_nothing() -> None:
    viewport = Viewport(fold_messages(long_session(40)), CONTEXT)
    viewport.resize(CONTEXT, 20)
    viewport.scroll(-100)
    rows = shown(viewport)
    viewport.resize(CONTEXT, 0)
    assert shown(viewport) == []
    viewport.resize(CONTEXT, 20)
    assert shown(viewport) == rows


def test_going_down_to_the_last_row_follows_again_and_going_up_does_not() -> None:
    state = fold_messages(long_session(40))
    viewport = Viewport(state, CONTEXT)
    viewport.resize(CONTEXT, 20)
    viewport.scroll(-1)
    assert not viewport.following
    viewport.scroll(1)
    assert viewport.following


def test_a_jump_by_the_scroll_bar_lands_near_and_on_true_rows() -> None:
    state = fold_messages(long_session(400))
    viewport = Viewport(state, CONTEXT)
    viewport.resize(CONTEXT, 20)
    viewport.scroll_to(viewport.flow.total // 2)
    assert abs(viewport.rows[0].place.block - 200) < 60
    check(viewport)


def test_prompts_are_found_in_both_directions() -> None:
    state = fold_messages(long_session(20))
    viewport = Viewport(state, CONTEXT)
    viewport.resize(CONTEXT, 10)
    visited = []
    while viewport.top:
        viewport.previous_prompt()
        visited.append(viewport.rows[0].place)
    prompts = [index for index, block in enumerate(state.blocks) if isinstance(block, UserBlock)]
    assert [place.block for place in visited][-9:] == prompts[8::-1]
    viewport.next_prompt()
    assert viewport.rows[0].place == Place(2, 0, 1)


def test_an_expanded_block_keeps_its_first_row_on_the_screen() -> None:
    state = State(clock=lambda: 0.0)
    viewport = Viewport(state, CONTEXT)
    viewport.resize(CONTEXT, 30)
    play(viewport, random_events(8))
    kinds = {index: block.kind for index, block in enumerate(state.blocks)}
    viewport.scroll(-60)
    while not any(kinds[row.place.block] == "tool" and row.place.row == 1 for row in viewport.rows[5:]):
        viewport.scroll(-5)
    y, row = next((y, row) for y, row in enumerate(viewport.rows) if kinds[row.place.block] == "tool" and y >= 5)
    viewport.toggle(row.place.block)
    assert viewport.rows[y].place[:2] == row.place[:2]
    check(viewport)
