"""Editing: look the replacements up in the file as it is, and write the result."""

from __future__ import annotations

from collections.abc import Sequence

from core.agent.tools import ToolInvocation
from tools.details import EditDetails
from tools.shared.edit_plan import Replacement, plan_edit
from tools.shared.errors import ToolError
from tools.shared.paths import resolve_existing
from tools.shared.tool import stop_if_aborted
from tools.shared.workplace import Workplace
from tools.work.change import Changed


def edit_file(place: Workplace, call: ToolInvocation, path: str, pairs: Sequence[tuple[str, str]]) -> Changed:
    """Replace, in the file, the first text of each pair by the second; for a thread. Raises ToolError."""
    found = resolve_existing(path, place.cwd, "edit")
    base = place.files.load(found.path, "edit")
    if base is None:
        raise ToolError(f"Cannot edit {found.path}: it is a link to a file that does not exist. Use write.")
    try:
        plan = plan_edit(path, base.data, [Replacement(old, new) for old, new in pairs])
    except ToolError as error:
        raise ToolError(f"{found.path} was not changed. {error}") from None
    # The difference is there before the write: nothing can fail behind it.
    details = EditDetails(
        diff=plan.diff.display, patch=plan.diff.patch, first_changed_line=plan.diff.first_changed_line
    ).to_wire()
    stop_if_aborted(call)
    place.files.commit(found.path, plan.data, base)
    count = len(pairs)
    said = [f"Replaced {count} {'piece' if count == 1 else 'pieces'} of text in {path}.", found.note, *plan.notes]
    return Changed("\n".join(text for text in said if text), details)
