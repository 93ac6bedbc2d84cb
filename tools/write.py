"""The tool `write`: a whole file."""

from __future__ import annotations

from collections.abc import Mapping

from core.agent.tools import Reservation, ToolInvocation, ToolResult
from core.ai.wire import Json
from tools.shared.arguments import renamed, text_of
from tools.shared.errors import ToolError
from tools.shared.tool import BuiltinTool, object_schema, stop_if_aborted


class WriteTool(BuiltinTool):
    """Writes files of its workplace."""

    name = "write"

    @property
    def parameters(self) -> dict[str, Json]:
        """JSON Schema of the arguments."""
        return object_schema(
            {
                "path": {"type": "string", "description": "The file to write, relative or absolute"},
                "content": {"type": "string", "description": "The complete content of the file"},
            },
            ["path", "content"],
        )

    def prepare_arguments(self, raw: dict[str, Json]) -> dict[str, Json]:
        """Take other names for the path."""
        return renamed(raw, {"path": ("file_path", "filePath", "filename")})

    def reserve(self, arguments: Mapping[str, Json]) -> Reservation:
        """Take an exclusive place on all files that the path may mean."""
        return self.place.lock.reserve_write(*self.place.spellings(text_of(arguments, "path")))

    async def execute(self, call: ToolInvocation) -> ToolResult:
        """Write the file, or leave what is there and say why."""
        try:
            stop_if_aborted(call)
            path, content = text_of(call.arguments, "path"), text_of(call.arguments, "content")
            from tools.work.change import finished
            from tools.work.write import write_file

            return await finished(self.place.workers, call, lambda: write_file(self.place, call, path, content))
        except ToolError as error:
            return ToolResult.error(str(error), details={})
