"""The completion menu: what it offers, and what keys do while it is open."""

from collections.abc import Sequence

import pytest

from pi_tui.prompt.completion import Completion
from tests.pi_tui.prompt.prompt_app import press, prompt, type_text

NAMES = ("help", "model", "new", "quit", "name", "tree", "fork")


def commands(text: str) -> Sequence[Completion]:
    """Slash commands by their beginning."""
    if not text.startswith("/") or " " in text:
        return ()
    found = [name for name in NAMES if name.startswith(text[1:])]
    return [
        Completion(f"/{name} " if name == "model" else f"/{name}", f"/{name}", "hint", name != "model")
        for name in found
    ]


async def test_the_menu_follows_what_is_typed() -> None:
    async with prompt(complete=commands) as (pilot, app):
        await type_text(pilot, "hello")
        assert not app.menu.display
        app.box.set_text("/")
        await pilot.pause()
        assert app.menu.display
        assert "(1/7)" in app.menu.render().plain
        await type_text(pilot, "n")
        assert app.menu.render().plain.split() == ["→", "/new", "hint", "/name", "hint"]
        assert app.menu.region.bottom == app.box.region.y
        await type_text(pilot, "x")
        assert not app.menu.display
        await press(pilot, "backspace", "backspace", "backspace")
        assert not app.menu.display


async def test_enter_accepts_and_sends_a_command() -> None:
    async with prompt(complete=commands) as (pilot, app):
        await type_text(pilot, "/n")
        await press(pilot, "down", "enter")
        assert (app.posted, app.box.text, app.menu.display) == (["submit /name"], "", False)


async def test_what_is_not_final_is_accepted_and_gone_on_with() -> None:
    async with prompt(complete=commands) as (pilot, app):
        await type_text(pilot, "/mo")
        await press(pilot, "enter")
        assert (app.posted, app.box.text, app.menu.display) == ([], "/model ", False)
        await type_text(pilot, "x")
        await press(pilot, "enter")
        assert app.posted == ["submit /model x"]


async def test_tab_accepts_without_sending() -> None:
    async with prompt(complete=commands) as (pilot, app):
        await type_text(pilot, "/he")
        await press(pilot, "tab")
        assert (app.posted, app.box.text, app.menu.display) == ([], "/help", False)


async def test_escape_closes_the_menu_and_only_then_reaches_the_app() -> None:
    async with prompt(complete=commands) as (pilot, app):
        await type_text(pilot, "/he")
        await press(pilot, "escape")
        assert (app.posted, app.box.text, app.menu.display) == ([], "/he", False)
        await press(pilot, "escape")
        assert app.posted == ["up to the app: escape"]
        await press(pilot, "tab")
        assert app.menu.display
        await press(pilot, "ctrl+c")
        assert (app.posted[1:], app.box.text, app.menu.display) == (["armed"], "", False)


@pytest.mark.parametrize(
    ("keys", "chosen"),
    [
        (["up"], "/fork"),
        (["down"] * 7, "/help"),
        (["pagedown"], "/tree"),
        (["pagedown"] * 3, "/fork"),
        (["pageup"], "/help"),
    ],
)
async def test_moving_through_the_menu(keys: list[str], chosen: str) -> None:
    async with prompt(complete=commands) as (pilot, app):
        await type_text(pilot, "/")
        await press(pilot, *keys)
        assert app.menu.chosen is not None
        assert app.menu.chosen.label == chosen
        assert f"→ {chosen}" in app.menu.render().plain
