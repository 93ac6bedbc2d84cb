"""Textual bindings from the table."""

import subprocess
import sys
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from pi_tui.keys import Keymap
from pi_tui.keys.bindings import bindings_for, rebind


def test_bindings_carry_id_keys_and_method() -> None:
    binding = next(binding for binding in bindings_for("prompt") if binding.id == "tui.editor.undo")
    assert (binding.key, binding.action, binding.priority) == ("ctrl+minus,ctrl+underscore", "undo", False)


def test_an_action_without_keys_has_no_binding() -> None:
    ids = {binding.id for binding in bindings_for("prompt")}
    assert "tui.editor.historyPrevious" not in ids
    keymap = Keymap({"tui.editor.historyPrevious": ("ctrl+p",), "tui.editor.undo": ()})
    ids = {binding.id for binding in bindings_for("prompt", keymap)}
    assert "tui.editor.historyPrevious" in ids
    assert "tui.editor.undo" not in ids


def test_a_choice_of_actions_with_priority() -> None:
    (binding,) = bindings_for("app", only=["app.interrupt"], priority=True)
    assert (binding.key, binding.priority) == ("escape", True)


async def test_rebinding_takes_effect_at_once_and_leaves_neighbours_alone() -> None:
    class Box(Static, can_focus=True):
        BINDINGS: ClassVar[list[BindingType]] = [
            *bindings_for("prompt", only=["app.exit", "tui.editor.deleteCharForward"])
        ]
        done: list[str]

        def action_exit(self) -> None:
            self.done.append("exit")

        def action_delete_char_forward(self) -> None:
            self.done.append("delete")

    class Demo(App[None]):
        def compose(self) -> ComposeResult:
            yield Box()

    async with Demo().run_test() as pilot:
        box = pilot.app.query_one(Box)
        box.done = []
        box.focus()
        await pilot.press("ctrl+d")
        keymap = Keymap({"app.exit": ("f9",)})
        rebind(box, bindings_for("prompt", keymap, only=["app.exit", "tui.editor.deleteCharForward"]))
        await pilot.press("ctrl+d", "f9")
        assert box.done == ["exit", "delete", "exit"]


def test_the_table_loads_without_textual() -> None:
    code = "import sys, pi_tui.keys; print(sorted({'textual', 'rich', 'json'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout.strip() == "[]"
