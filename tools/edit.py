"""The tool `edit`: replacements of exact pieces of text in one file, all or none."""

from __future__ import annotations

import json
from collections.abc import Mapping

from core.agent.tools import Reservation, ToolInvocation, ToolResult
from core.ai.wire import Json
from tools.shared.arguments import renamed, text_of
from tools.shared.errors import ToolError
from tools.shared.tool import BuiltinTool, object_schema, stop_if_aborted

_PATH = ("file_path", "filePath", "filename")
_EDITS = ("edit", "blocks")
_OLD = ("old_text", "old_string", "old_str", "search", "old")
_NEW = ("new_text", "new_string", "new_str", "replace", "new")


class EditTool(BuiltinTool):
    """Edits files of its workplace."""

    name = "edit"

    @property
    def parameters(self) -> dict[str, Json]:
        """JSON Schema of the arguments."""
        replacement = object_schema(
            {
                "oldText": {
                    "type": "string",
                    "description": "The exact text to replace; it must occur once in the file as it is now",
                },
                "newText": {"type": "string", "description": "The text to put in its place"},
            },
            ["oldText", "newText"],
        )
        return object_schema(
            {
                "path": {"type": "string", "description": "The file to edit, relative or absolute"},
                "edits": {
                    "type": "array",
                    "items": replacement,
                    "minItems": 1,
                    "description": "The replacements; none may overlap another or build on its result",
                },
            },
            ["path", "edits"],
        )

    def prepare_arguments(self, raw: dict[str, Json]) -> dict[str, Json]:
        """Take the shapes that models send: edits as JSON text or as one object, a single pair beside the path."""
        arguments = renamed(raw, {"path": _PATH, "edits": _EDITS, "oldText": _OLD, "newText": _NEW})
        edits = _listed(arguments.get("edits"))
        if isinstance(edits, list):
            edits = [_pair(edit) for edit in edits]
        old, new = arguments.pop("oldText", None), arguments.pop("newText", None)
        if old is not None or new is not None:
            edits = [*(edits if isinstance(edits, list) else []), {"oldText": old, "newText": new}]
        if edits is not None:
            arguments["edits"] = edits
        return arguments

    def reserve(self, arguments: Mapping[str, Json]) -> Reservation:
        """Take an exclusive place on all files that the path may mean."""
        return self.place.lock.reserve_write(*self.place.spellings(text_of(arguments, "path")))

    async def execute(self, call: ToolInvocation) -> ToolResult:
        """Edit the file, or leave it as it is and say why."""
        try:
            stop_if_aborted(call)
            path, edits = text_of(call.arguments, "path"), call.arguments.get("edits")
            if not isinstance(edits, list) or not all(isinstance(edit, dict) for edit in edits):
                raise ToolError("edits must be a list of objects with oldText and newText.")
            pairs = [(text_of(edit, "oldText"), text_of(edit, "newText")) for edit in edits]
            from tools.work.change import finished
            from tools.work.edit import edit_file

            return await finished(self.place.workers, call, lambda: edit_file(self.place, call, path, pairs))
        except ToolError as error:
            return ToolResult.error(str(error), details={})


def _listed(edits: Json) -> Json:
    """Return `edits` as a list where it is the JSON text of one, or a single object."""
    if isinstance(edits, str):
        try:
            edits = json.loads(edits, strict=False)
        except json.JSONDecodeError:
            return edits
    return [edits] if isinstance(edits, dict) else edits


def _pair(edit: Json) -> Json:
    if isinstance(edit, str):
        try:
            edit = json.loads(edit, strict=False)
        except json.JSONDecodeError:
            return edit
    return renamed(edit, {"oldText": _OLD, "newText": _NEW}) if isinstance(edit, dict) else edit
