"""The prompt box: sending, quitting, history, size and frame."""

import pytest
from textual.color import Color
from textual.widgets.text_area import Selection

from pi_tui.keys import Keymap
from pi_tui.theme import current_theme
from tests.pi_tui.prompt.prompt_app import PromptApp, paste, press, prompt, type_text
from tests.pi_tui.prompt.test_parts import Store


async def test_enter_sends_and_empties_the_prompt() -> None:
    async with prompt() as (pilot, app):
        await press(pilot, "enter")
        await type_text(pilot, "  hi there ")
        await press(pilot, "enter", "enter")
        assert app.posted == ["submit hi there"]
        assert app.box.text == ""


async def test_alt_enter_sends_for_later() -> None:
    async with prompt() as (pilot, app):
        await type_text(pilot, "then test")
        await press(pilot, "alt+enter", "alt+enter")
        assert app.posted == ["follow up then test"]


async def test_new_lines() -> None:
    async with prompt() as (pilot, app):
        await press(pilot, "a", "shift+enter", "b", "ctrl+j", "c", "\\", "enter", "d")
        assert app.box.text == "a\nb\nc\nd"
        await press(pilot, "enter")
        assert app.posted == ["submit a\nb\nc\nd"]


async def test_keys_that_come_all_at_once_keep_their_order() -> None:
    async with prompt() as (pilot, app):
        await press(pilot, "a", "shift+enter", "b", "left", "c", "enter", "d", "ctrl+a", "e")
        assert app.posted == ["submit a\ncb"]
        assert app.box.text == "ed"


async def test_ctrl_c_clears_then_quits_when_pressed_again_soon() -> None:
    async with prompt() as (pilot, app):
        await type_text(pilot, "text")
        await press(pilot, "ctrl+c")
        assert (app.box.text, app.posted) == ("", ["armed"])
        app.now += 0.6
        await press(pilot, "ctrl+c")
        assert app.posted == ["armed", "armed"]
        app.now += 0.4
        await press(pilot, "ctrl+c")
        assert app.posted == ["armed", "armed", "quit"]


async def test_ctrl_c_copies_a_selection_first() -> None:
    async with prompt() as (pilot, app):
        await type_text(pilot, "copy me")
        app.box.selection = Selection((0, 5), (0, 7))
        await press(pilot, "ctrl+c")
        assert (app.copied, app.box.text, app.posted) == (["me"], "copy me", [])
        await press(pilot, "ctrl+c")
        assert (app.copied, app.box.text, app.posted) == (["me"], "", ["armed"])


async def test_ctrl_d_deletes_forward_and_quits_on_an_empty_prompt() -> None:
    async with prompt() as (pilot, app):
        await press(pilot, "a", "left", "ctrl+d")
        assert (app.box.text, app.posted) == ("", [])
        await press(pilot, "ctrl+d")
        assert app.posted == ["quit"]


async def test_a_cleared_draft_is_one_up_away_also_in_the_next_process() -> None:
    store = Store("before")
    async with prompt(history=store) as (pilot, app):
        await paste(pilot, "three\nlines\ndraft")
        await press(pilot, "ctrl+c", "up")
        assert app.box.text == "three\nlines\ndraft"
    async with prompt(history=store) as (pilot, app):
        await press(pilot, "up")
        assert app.box.text == "three\nlines\ndraft"
        await press(pilot, "up")
        assert app.box.text == "before"


async def test_up_moves_within_the_text_before_it_recalls() -> None:
    async with prompt(history=Store("older")) as (pilot, app):
        box = app.box
        await paste(pilot, "one\ntwo")
        await press(pilot, "up")
        assert (box.text, box.cursor_location) == ("one\ntwo", (0, 3))
        await press(pilot, "up")
        assert box.cursor_location == (0, 0)
        await press(pilot, "up")
        assert (box.text, box.cursor_location) == ("older", (0, 0))
        await press(pilot, "down")
        assert (box.text, box.cursor_location) == ("one\ntwo", (1, 3))
        await press(pilot, "down")
        assert box.text == "one\ntwo"


async def test_rows_made_by_wrapping_count_as_rows() -> None:
    async with prompt(history=Store("older"), size=(40, 12)) as (pilot, app):
        box = app.box
        await type_text(pilot, "word " * 20)
        await press(pilot, "up")
        assert box.text.startswith("word")
        assert box.cursor_location[1] > 0
        assert not box.on_last_row


async def test_editing_what_was_recalled_makes_it_the_draft() -> None:
    async with prompt(history=Store("a", "b")) as (pilot, app):
        box = app.box
        await press(pilot, "up", "x", "home", "up")
        assert box.text == "b"
        await press(pilot, "down")
        assert box.text == "xb"


async def test_bare_commands_are_not_remembered() -> None:
    store = Store()
    async with prompt(history=store) as (pilot, app):
        for text in ("/model", "/review this file", "!ls", "ask"):
            await type_text(pilot, text)
            await press(pilot, "enter")
        assert store.texts == ["/review this file", "!ls", "ask"]
        assert len(app.posted) == 4


async def test_queued_texts_come_back_before_the_draft() -> None:
    async with prompt() as (pilot, app):
        box = app.box
        await type_text(pilot, "draft")
        await press(pilot, "home")
        box.restore(["first", "second\x1b[31m"])
        assert (box.text, box.cursor_location) == ("first\n\nsecond\n\ndraft", (4, 5))
        box.restore([])
        assert box.text == "first\n\nsecond\n\ndraft"
        box.append_text("!")
        assert box.text.endswith("draft!")
        box.set_text("other")
        assert (box.text, box.cursor_location) == ("other", (0, 5))
        await press(pilot, "ctrl+minus")
        assert box.text.endswith("draft!")


async def test_a_very_long_text_put_back_shows_as_a_marker() -> None:
    async with prompt() as (pilot, app):
        text = "line\n" * 10_000
        app.box.set_text(text)
        assert app.box.text == "[paste #1 +10001 lines]"
        await press(pilot, "enter")
        assert app.posted == [f"submit {text.strip()}"]


async def test_keys_can_be_changed_at_any_time() -> None:
    async with prompt(keymap=Keymap({"tui.input.submit": ("f2",)})) as (pilot, app):
        await press(pilot, "a", "enter", "f2")
        assert app.posted == ["up to the app: enter", "submit a"]
        app.box.use_keymap(Keymap())
        await press(pilot, "b", "enter")
        assert app.posted[-1] == "submit b"


async def test_keys_that_mean_nothing_here_go_up_to_the_app() -> None:
    async with prompt() as (pilot, app):
        await press(pilot, "escape", "ctrl+o", "pageup", "tab")
        assert app.posted == ["up to the app: escape", "up to the app: ctrl+o", "up to the app: pageup"]
        assert app.focused is app.box


@pytest.mark.parametrize(("rows", "most"), [(6, 1), (12, 5), (24, 7), (60, 18)])
async def test_it_grows_with_its_text_up_to_a_share_of_the_screen(rows: int, most: int) -> None:
    async with prompt(size=(60, rows)) as (pilot, app):
        box = app.box
        assert box.content_size.height == 1
        for number in (1, 2, most - 1 or 1, most, most + 1, 30):
            box.set_text("\n".join("x" * number))
            await pilot.pause()
            assert box.content_size.height == min(number, most)
            assert box.region.bottom == rows
        assert box.border_title == f"↑ {30 - most} more"
        box.move_cursor((0, 0))
        await pilot.pause()
        assert (box.border_title, box.border_subtitle) == ("", f"↓ {30 - most} more")
        box.set_text("")
        await pilot.pause()
        assert (box.content_size.height, box.border_title, box.border_subtitle) == (1, "", "")


async def test_the_frame_tells_the_thinking_level_and_shell_commands() -> None:
    def frame(app: PromptApp) -> Color:
        return app.box.styles.border_top[1]

    async with prompt() as (pilot, app):
        color = current_theme().color
        assert frame(app) == Color.parse(color("border"))
        app.box.set_frame("thinkingHigh")
        assert frame(app) == Color.parse(color("thinkingHigh"))
        await type_text(pilot, "!ls")
        assert frame(app) == Color.parse(color("bashMode"))
        assert app.box.leave_bash_mode()
        await pilot.pause()
        assert frame(app) == Color.parse(color("thinkingHigh"))
        assert not app.box.leave_bash_mode()


async def test_the_input_method_finds_the_cursor_after_a_resize() -> None:
    async with prompt(size=(60, 20)) as (pilot, app):
        await type_text(pilot, "input")
        before = app.cursor_position
        assert before == (6, 18)
        await pilot.resize_terminal(60, 30)
        await pilot.pause()
        assert app.cursor_position == (6, 28)
