"""The tool `read`: part of a text file, or an image."""

from __future__ import annotations

from collections.abc import Mapping

from core.agent.tools import Reservation, ToolInvocation, ToolResult
from core.ai.wire import Json
from tools.shared.arguments import renamed, text_of, whole_number, without_blanks
from tools.shared.errors import ToolError
from tools.shared.tool import BuiltinTool, object_schema, stop_if_aborted


class ReadTool(BuiltinTool):
    """Reads files of its workplace."""

    name = "read"

    @property
    def parameters(self) -> dict[str, Json]:
        """JSON Schema of the arguments."""
        return object_schema(
            {
                "path": {"type": "string", "description": "The file to read, relative or absolute"},
                "offset": {"type": "number", "description": "The first line to read, counted from 1"},
                "limit": {"type": "number", "description": "How many lines to read at most"},
            },
            ["path"],
        )

    def prepare_arguments(self, raw: dict[str, Json]) -> dict[str, Json]:
        """Take other names for the arguments, and nothing for no offset or limit."""
        aliases = {
            "path": ("file_path", "filePath", "filename"),
            "offset": ("line_offset", "start_line"),
            "limit": ("n_lines",),
        }
        return without_blanks(renamed(raw, aliases), ("offset", "limit"))

    def reserve(self, arguments: Mapping[str, Json]) -> Reservation:
        """Take a shared place on all files that the path may mean."""
        return self.place.lock.reserve_read(*self.place.spellings(text_of(arguments, "path")))

    async def execute(self, call: ToolInvocation) -> ToolResult:
        """Read the file."""
        try:
            stop_if_aborted(call)
            path = text_of(call.arguments, "path")
            offset, limit = whole_number(call.arguments, "offset"), whole_number(call.arguments, "limit")
            if limit is not None and limit < 1:
                raise ToolError(f"limit must be at least 1, not {limit}. Leave it out to read as much as fits.")
            from tools.work.read import read_file

            return await self.place.workers.run(lambda: read_file(self.place, call, path, offset, limit))
        except ToolError as error:
            return ToolResult.error(str(error), details={})
