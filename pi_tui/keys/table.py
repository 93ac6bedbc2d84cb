"""The table of actions: everything a key can do. Bindings, help, docs and the check of keybindings.json come from it.

Ids and defaults are those of pi 1.6, so that one keybindings.json serves both programs; the ids under
`tui.editor.select*` are ours.
"""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

Context: TypeAlias = Literal["prompt", "select", "transcript", "app"]
"""Where an action applies: in the prompt box; in a list or dialog; on the transcript; anywhere."""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a key can do.

    `id` names it in keybindings.json; `keys` are its default keys in that file's syntax, possibly none; `context` says
    where it applies; `description` is a phrase for help. `legacy` is the un-prefixed id of old files, "" where there
    was none. `wsl_keys` replaces `keys` under Windows Subsystem for Linux, whose terminal keeps some keys for itself.
    """

    id: str
    keys: tuple[str, ...]
    context: Context
    description: str
    legacy: str = ""
    wsl_keys: tuple[str, ...] | None = None

    @property
    def method(self) -> str:
        """Name of the Textual action: a widget answers to it with a method `action_<method>`.

        The last part of an editor's id (`cursor_word_left`), `select_<last>` for lists, `view_<last>` for the
        transcript, and all but the first part for the rest (`tools_expand`).
        """
        group, _, last = self.id.rpartition(".")
        prefix = {"tui.editor": "", "tui.input": "", "tui.select": "select_", "tui.altScreen": "view_"}.get(group)
        if prefix is None:
            prefix = "".join(f"{part}_" for part in group.split(".")[1:])
        return prefix + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", last).lower()


def _prompt(action_id: str, keys: str, description: str, legacy: str = "", wsl: str | None = None) -> Action:
    return Action(action_id, _list(keys), "prompt", description, legacy, None if wsl is None else _list(wsl))


def _list(keys: str) -> tuple[str, ...]:
    return tuple(keys.split())


ACTIONS: tuple[Action, ...] = (
    # Of two actions on one key the first is tried first; it may decline, and then the second runs.
    _prompt("tui.input.submit", "enter", "Send the message", "submit"),
    _prompt("tui.input.newLine", "shift+enter ctrl+j", "Start a new line", "newLine"),
    _prompt("tui.input.tab", "tab", "Complete a command or the name of a model", "tab"),
    _prompt("tui.input.copy", "ctrl+c", "Copy the selected text", "copy"),
    _prompt("app.clear", "ctrl+c", "Clear the prompt; twice within half a second: quit", "clear"),
    _prompt("app.exit", "ctrl+d", "Quit when the prompt is empty", "exit"),
    _prompt("app.message.followUp", "alt+enter", "Queue the message for when the agent is done", "followUp", "ctrl+q"),
    _prompt("tui.editor.historyPrevious", "", "Previous message of the history"),
    _prompt("tui.editor.historyNext", "", "Next message of the history"),
    _prompt("tui.editor.cursorUp", "up", "Line up; on the first line: previous message", "cursorUp"),
    _prompt("tui.editor.cursorDown", "down", "Line down; on the last line: next message", "cursorDown"),
    _prompt("tui.editor.cursorLeft", "left ctrl+b", "One character left", "cursorLeft"),
    _prompt("tui.editor.cursorRight", "right ctrl+f", "One character right", "cursorRight"),
    _prompt("tui.editor.cursorWordLeft", "alt+left ctrl+left alt+b", "One word left", "cursorWordLeft"),
    _prompt("tui.editor.cursorWordRight", "alt+right ctrl+right alt+f", "One word right", "cursorWordRight"),
    _prompt("tui.editor.cursorLineStart", "home ctrl+a", "Start of the line", "cursorLineStart"),
    _prompt("tui.editor.cursorLineEnd", "end ctrl+e", "End of the line", "cursorLineEnd"),
    _prompt("tui.editor.jumpForward", "ctrl+]", "Forward to the character typed next", "jumpForward"),
    _prompt("tui.editor.jumpBackward", "ctrl+alt+]", "Back to the character typed next", "jumpBackward"),
    _prompt("tui.editor.pageUp", "pageUp ctrl+pageUp", "Page up in the prompt", "pageUp"),
    _prompt("tui.editor.pageDown", "pageDown ctrl+pageDown", "Page down in the prompt", "pageDown"),
    _prompt("tui.editor.deleteCharBackward", "backspace", "Delete the character before", "deleteCharBackward"),
    _prompt("tui.editor.deleteCharForward", "delete ctrl+d", "Delete the character after", "deleteCharForward"),
    _prompt("tui.editor.deleteWordBackward", "ctrl+w alt+backspace", "Delete the word before", "deleteWordBackward"),
    _prompt("tui.editor.deleteWordForward", "alt+d alt+delete", "Delete the word after", "deleteWordForward"),
    _prompt("tui.editor.deleteToLineStart", "ctrl+u", "Delete to the start of the line", "deleteToLineStart"),
    _prompt("tui.editor.deleteToLineEnd", "ctrl+k", "Delete to the end of the line", "deleteToLineEnd"),
    _prompt("tui.editor.yank", "ctrl+y", "Insert what was deleted last", "yank"),
    _prompt("tui.editor.yankPop", "alt+y", "Replace it by what was deleted before that", "yankPop"),
    _prompt("tui.editor.undo", "ctrl+-", "Undo", "undo", "alt+z"),
    _prompt("tui.editor.selectLeft", "shift+left", "Select one character left"),
    _prompt("tui.editor.selectRight", "shift+right", "Select one character right"),
    _prompt("tui.editor.selectUp", "shift+up", "Select one line up"),
    _prompt("tui.editor.selectDown", "shift+down", "Select one line down"),
    _prompt("tui.editor.selectLineStart", "shift+home", "Select to the start of the line"),
    _prompt("tui.editor.selectLineEnd", "shift+end", "Select to the end of the line"),
    Action("tui.select.up", ("up",), "select", "Up", "selectUp"),
    Action("tui.select.down", ("down",), "select", "Down", "selectDown"),
    Action("tui.select.pageUp", ("pageUp",), "select", "Page up", "selectPageUp"),
    Action("tui.select.pageDown", ("pageDown",), "select", "Page down", "selectPageDown"),
    Action("tui.select.confirm", ("enter",), "select", "Choose", "selectConfirm"),
    Action("tui.select.cancel", ("escape", "ctrl+c"), "select", "Cancel", "selectCancel"),
    Action("tui.altScreen.pageUp", ("pageUp",), "transcript", "Page up in the conversation"),
    Action("tui.altScreen.pageDown", ("pageDown",), "transcript", "Page down in the conversation"),
    Action("tui.altScreen.halfPageUp", (), "transcript", "Half a page up in the conversation"),
    Action("tui.altScreen.halfPageDown", (), "transcript", "Half a page down in the conversation"),
    Action("tui.altScreen.lineUp", (), "transcript", "Line up in the conversation"),
    Action("tui.altScreen.lineDown", (), "transcript", "Line down in the conversation"),
    Action("tui.altScreen.previousPrompt", ("ctrl+shift+up", "ctrl+up"), "transcript", "To your previous message"),
    Action("tui.altScreen.nextPrompt", ("ctrl+shift+down", "ctrl+down"), "transcript", "To your next message"),
    Action("tui.altScreen.top", ("ctrl+home",), "transcript", "Start of the conversation"),
    Action("tui.altScreen.bottom", ("ctrl+end",), "transcript", "End of the conversation"),
    Action("app.interrupt", ("escape",), "app", "Stop the agent; queued messages come back", "interrupt"),
    Action("app.suspend", ("ctrl+z",), "app", "Suspend to the shell (fg resumes)", "suspend"),
    Action("app.tools.expand", ("ctrl+o",), "app", "Show or fold tool output", "expandTools"),
    Action("app.thinking.toggle", ("ctrl+t",), "app", "Show or hide thinking", "toggleThinking"),
    Action("app.model.select", ("ctrl+l",), "app", "Choose a model", "selectModel"),
    Action("app.editor.external", ("ctrl+g",), "app", "Edit the prompt in $EDITOR", "externalEditor"),
    Action("app.message.copy", ("ctrl+x",), "app", "Copy the last reply"),
    Action("app.message.dequeue", ("alt+up",), "app", "Take queued messages back into the prompt", "dequeue"),
)
"""All actions, in the order in which help lists them."""

UNSUPPORTED_IDS = frozenset(
    _list("""
    tui.altScreen.search tui.altScreen.searchNext tui.altScreen.searchPrevious tui.altScreen.searchClose
    app.thinking.cycle app.thinking.save app.model.cycleForward app.model.cycleBackward app.clipboard.pasteImage
    app.session.new app.session.tree app.session.fork app.session.resume app.session.togglePath app.session.toggleSort
    app.session.toggleNamedFilter app.session.rename app.session.delete app.session.deleteNoninvasive
    app.tree.foldOrUp app.tree.unfoldOrDown app.tree.editLabel app.tree.toggleLabelTimestamp
    app.tree.filter.default app.tree.filter.noTools app.tree.filter.userOnly app.tree.filter.labeledOnly
    app.tree.filter.all app.tree.filter.cycleForward app.tree.filter.cycleBackward
    app.models.save app.models.enableAll app.models.clearAll app.models.toggleProvider app.models.reorderUp
    app.models.reorderDown
    """)
)
"""Ids that pi 1.6 knows and we do not act on: accepted in a keybindings file, without a warning."""

BY_ID = {action.id: action for action in ACTIONS}
BY_LEGACY_ID = {action.legacy: action for action in ACTIONS if action.legacy}


def actions_for(context: Context) -> tuple[Action, ...]:
    """The actions of one context, in table order."""
    return tuple(action for action in ACTIONS if action.context == context)
