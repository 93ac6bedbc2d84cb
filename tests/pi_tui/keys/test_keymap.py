"""The table, and a user's keybindings file over it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_tui.keys import ACTIONS, Keymap, load_keymap, to_textual
from pi_tui.keys.table import UNSUPPORTED_IDS


def load(content: object, environ: dict[str, str] | None = None) -> Keymap:
    return load_keymap(json.dumps(content), "keybindings.json", environ or {})


def test_the_table_is_sound() -> None:
    ids = [action.id for action in ACTIONS]
    assert len(set(ids)) == len(ids)
    assert not set(ids) & UNSUPPORTED_IDS
    assert len({(action.context, action.method) for action in ACTIONS}) == len(ACTIONS)
    assert all(to_textual(key) for action in ACTIONS for key in action.keys)


@pytest.mark.parametrize(
    ("action_id", "keys"),
    [
        ("tui.input.newLine", ("shift+enter", "ctrl+j")),
        ("app.message.followUp", ("alt+enter",)),
        ("app.interrupt", ("escape",)),
        ("tui.editor.historyPrevious", ()),
        ("tui.altScreen.previousPrompt", ("ctrl+shift+up", "ctrl+up")),
    ],
)
def test_defaults_are_those_of_pi(action_id: str, keys: tuple[str, ...]) -> None:
    assert Keymap().keys(action_id) == keys


def test_overrides_replace_the_default() -> None:
    keymap = load(
        {"app.tools.expand": ["Ctrl+E", "f2", "ctrl+e"], "app.suspend": [], "app.message.copy": "shift+ctrl+c"}
    )
    assert keymap.warnings == ()
    assert keymap.keys("app.tools.expand") == ("ctrl+e", "f2")
    assert keymap.keys("app.suspend") == ()
    assert keymap.keys("app.message.copy") == ("ctrl+shift+c",)
    assert keymap.label("app.message.copy") == "Ctrl+Shift+C"
    assert keymap.label("app.suspend") == ""
    assert keymap.keys("app.exit") == ("ctrl+d",)


def test_faults_become_warnings_that_name_file_and_id() -> None:
    keymap = load({"app.tools.expnd": "ctrl+o", "app.exit": "ctrl+hoch", "app.clear": 3, "app.interrupt": ["f9", "?!"]})
    assert [(warning.file, warning.id) for warning in keymap.warnings] == [
        ("keybindings.json", "app.tools.expnd"),
        ("keybindings.json", "app.exit"),
        ("keybindings.json", "app.clear"),
        ("keybindings.json", "app.interrupt"),
    ]
    assert "ctrl+hoch" in str(keymap.warnings[1])
    assert keymap.keys("app.exit") == ("ctrl+d",)
    assert keymap.keys("app.interrupt") == ("f9",)


def test_ids_that_only_pi_acts_on_are_no_fault() -> None:
    assert load({"app.session.tree": "ctrl+r", "app.model.cycleForward": []}).warnings == ()


def test_old_names_are_taken_for_their_successors() -> None:
    assert load({"interrupt": "f9"}).keys("app.interrupt") == ("f9",)
    assert load({"interrupt": "f9", "app.interrupt": "f8"}).keys("app.interrupt") == ("f8",)


@pytest.mark.parametrize("content", ["{", "[]", "1", '"x"', "[" * 100_000])
def test_a_file_that_is_not_an_object_gives_one_warning(content: str) -> None:
    keymap = load_keymap(content, "keybindings.json", {})
    assert len(keymap.warnings) == 1
    assert keymap.overrides == {}


@pytest.mark.parametrize("content", ["", "  \n", "\ufeff{}"])
def test_an_empty_file_is_no_fault(content: str) -> None:
    assert load_keymap(content, "keybindings.json", {}) == Keymap()


def test_wsl_has_its_own_defaults() -> None:
    keymap = load({}, {"WSL_DISTRO_NAME": "Ubuntu"})
    assert keymap.keys("app.message.followUp") == ("ctrl+q",)
    assert keymap.keys("app.exit") == ("ctrl+d",)


@given(
    st.dictionaries(
        st.sampled_from([action.id for action in ACTIONS]) | st.text(max_size=12),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=8), lambda inner: st.lists(inner, max_size=3)
        ),
    )
)
def test_no_content_raises(content: dict[str, object]) -> None:
    keymap = load(content)
    for action in ACTIONS:
        assert all(to_textual(key) for key in keymap.keys(action.id))
