"""Editing: pastes behind markers, kill ring, undo, moving."""

import pytest

from tests.pi_tui.prompt.prompt_app import paste, press, prompt, type_text

ONE = "\n".join(f"one {number}" for number in range(12))
TWO = "two " * 400


async def test_deleting_a_marker_leaves_the_other_one_true() -> None:
    async with prompt() as (pilot, app):
        box = app.box
        await paste(pilot, ONE)
        await type_text(pilot, " and ")
        await paste(pilot, TWO)
        assert box.text == "[paste #1 +12 lines] and [paste #2 1600 chars]"
        await press(pilot, "home", "delete")
        assert box.text == " and [paste #2 1600 chars]"
        await paste(pilot, ONE + "!")
        await press(pilot, "enter")
        assert app.posted == [f"submit {ONE}! and {TWO.strip()}"]


async def test_undo_brings_a_marker_back_with_its_text() -> None:
    async with prompt() as (pilot, app):
        await paste(pilot, ONE)
        await press(pilot, "backspace")
        assert app.box.text == ""
        await press(pilot, "ctrl+minus", "enter")
        assert app.posted == [f"submit {ONE}"]


async def test_a_marker_moves_and_goes_as_one_character() -> None:
    async with prompt() as (pilot, app):
        box = app.box
        await type_text(pilot, "ab")
        await press(pilot, "left")
        await paste(pilot, ONE)
        end = len("a[paste #1 +12 lines]")
        assert box.cursor_location == (0, end)
        await press(pilot, "left")
        assert box.cursor_location == (0, 1)
        await press(pilot, "right")
        assert box.cursor_location == (0, end)
        await press(pilot, "ctrl+left")
        assert box.cursor_location == (0, 1)
        box.move_cursor((0, 5))
        assert box.cursor_location == (0, end)
        await press(pilot, "shift+left")
        assert box.selected_text == "[paste #1 +12 lines]"
        await press(pilot, "x")
        assert box.text == "axb"


async def test_a_killed_marker_can_be_yanked() -> None:
    async with prompt() as (pilot, app):
        box = app.box
        await type_text(pilot, "see ")
        await paste(pilot, ONE)
        await press(pilot, "ctrl+u")
        assert box.text == ""
        await press(pilot, "ctrl+y", "ctrl+w")
        assert box.text == "see "
        await press(pilot, "ctrl+y", "enter")
        assert app.posted == [f"submit see {ONE}"]


async def test_sending_forgets_the_pastes() -> None:
    async with prompt() as (pilot, app):
        await paste(pilot, ONE)
        await press(pilot, "enter")
        await type_text(pilot, "[paste #1 +12 lines]")
        await press(pilot, "enter")
        assert app.posted[-1] == "submit [paste #1 +12 lines]"


async def test_a_paste_is_cleaned_and_sends_nothing() -> None:
    async with prompt() as (pilot, app):
        await paste(pilot, "a\r\n\x1b[31mb\x1b[0m\r\tc\x07")
        assert app.box.text == "a\nb\n    c"
        assert app.posted == []


@pytest.mark.parametrize(
    ("before", "pasted", "text"),
    [
        ("see", "/tmp/a.png", "see /tmp/a.png"),
        ("see ", "/tmp/a", "see /tmp/a"),
        ("", "/tmp/a", "/tmp/a"),
        ("a", "b", "ab"),
    ],
)
async def test_a_path_after_a_word_gets_a_space(before: str, pasted: str, text: str) -> None:
    async with prompt() as (pilot, app):
        await type_text(pilot, before)
        await paste(pilot, pasted)
        assert app.box.text == text


async def test_a_paste_replaces_the_selection() -> None:
    async with prompt() as (pilot, app):
        await type_text(pilot, "old new")
        await press(pilot, "shift+home")
        await paste(pilot, "x")
        assert app.box.text == "x"


async def test_kill_and_yank() -> None:
    async with prompt() as (pilot, app):
        box = app.box
        await type_text(pilot, "alpha beta gamma")
        await press(pilot, "ctrl+w", "ctrl+w")
        assert box.text == "alpha "
        await press(pilot, "ctrl+y")
        assert box.text == "alpha beta gamma"
        await press(pilot, "home", "alt+d", "end", "ctrl+y")
        assert box.text == " beta gammaalpha"
        await press(pilot, "alt+y")
        assert box.text == " beta gammabeta gamma"
        await press(pilot, "alt+y")
        assert box.text == " beta gammaalpha"
        await press(pilot, "left", "alt+y")
        assert box.text == " beta gammaalpha"


async def test_kills_across_lines() -> None:
    async with prompt() as (pilot, app):
        box = app.box
        await paste(pilot, "one\ntwo\nthree")
        await press(pilot, "up", "home", "ctrl+k", "ctrl+k")
        assert box.text == "one\nthree"
        await press(pilot, "ctrl+u")
        assert box.text == "onethree"
        await press(pilot, "ctrl+y")
        assert box.text == "one\ntwo\nthree"


async def test_undo_takes_back_one_word() -> None:
    async with prompt() as (pilot, app):
        box = app.box
        await type_text(pilot, "one two  three")
        for text in ("one two  ", "one ", ""):
            await press(pilot, "ctrl+underscore")
            assert box.text == text


async def test_words_and_line_ends() -> None:
    async with prompt() as (pilot, app):
        box = app.box
        await paste(pilot, "first line\nsecond word here")
        await press(pilot, "alt+b", "alt+left")
        assert box.cursor_location == (1, 7)
        await press(pilot, "alt+f")
        assert box.cursor_location == (1, 11)
        await press(pilot, "ctrl+a")
        assert box.cursor_location == (1, 0)
        await press(pilot, "ctrl+b", "ctrl+f", "ctrl+e")
        assert box.cursor_location == (1, 16)
        await press(pilot, "alt+backspace", "up", "home", "alt+delete")
        assert box.text == " line\nsecond word "


async def test_jump_to_a_character() -> None:
    async with prompt() as (pilot, app):
        box = app.box
        await paste(pilot, "abc x\ndef x")
        await press(pilot, "ctrl+home", "home", "up", "home", "ctrl+right_square_bracket", "x")
        assert box.cursor_location == (0, 4)
        await press(pilot, "ctrl+right_square_bracket", "x")
        assert box.cursor_location == (1, 4)
        await press(pilot, "alt+ctrl+right_square_bracket", "b")
        assert box.cursor_location == (0, 1)
        await press(pilot, "ctrl+right_square_bracket", "q")
        assert (box.cursor_location, box.text) == ((0, 1), "abc x\ndef x")
        await press(pilot, "ctrl+right_square_bracket", "left", "z")
        assert box.text == "zabc x\ndef x"


async def test_wide_and_joined_characters_can_be_typed() -> None:
    async with prompt() as (pilot, app):
        await type_text(pilot, "你好👩\u200d💻é")
        assert app.box.text == "你好👩\u200d💻é"
