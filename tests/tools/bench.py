"""Runs the tools as the loop does: arguments prepared and validated, a place in the queue, then the call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

from core.agent.arguments import validated
from core.agent.tools import AgentTool, ToolInvocation, ToolResult
from core.ai.abort import AbortSignal
from core.ai.wire import Json
from tools.bash import BashTool
from tools.edit import EditTool
from tools.read import ReadTool
from tools.shared.files import FileOperations
from tools.shared.lock import MutationLock
from tools.shared.workplace import Workplace
from tools.write import WriteTool


class Bench:
    """The four tools in one directory, with the updates and the signal of the last call."""

    def __init__(
        self,
        cwd: Path,
        *,
        files: FileOperations | None = None,
        session_env: Callable[[], Mapping[str, str]] | None = None,
        shell: str | None = None,
    ) -> None:
        self.cwd = cwd
        self.lock = MutationLock()
        place = Workplace(cwd, self.lock, files)
        self.tools: dict[str, AgentTool] = {
            "read": ReadTool(place),
            "bash": BashTool(place, session_env, shell=shell),
            "edit": EditTool(place),
            "write": WriteTool(place),
        }
        self.updates: list[ToolResult] = []
        self.signal = AbortSignal()

    async def run(self, name: str, **arguments: Json) -> ToolResult:
        """Return the result of one call."""
        return await self.begin(name, **arguments)

    def begin(self, name: str, **arguments: Json) -> asyncio.Task[ToolResult]:
        """Take the place in the queue now and run the call in a task."""
        tool = self.tools[name]
        checked = validated(tool, tool.prepare_arguments(dict(arguments)))
        reservation = tool.reserve(checked)
        assert reservation is not None
        self.updates, self.signal = [], AbortSignal()
        call = ToolInvocation("call", checked, self.signal, self.updates.append)

        async def work() -> ToolResult:
            try:
                await reservation.acquire()
                return await tool.execute(call)
            finally:
                reservation.release()

        return asyncio.ensure_future(work())

    async def text(self, name: str, **arguments: Json) -> str:
        """Return the text of a call that must succeed."""
        result = await self.run(name, **arguments)
        assert not result.is_error, result.plain_text
        return result.plain_text

    async def error(self, name: str, **arguments: Json) -> str:
        """Return the text of a call that must fail."""
        result = await self.run(name, **arguments)
        assert result.is_error, result.plain_text
        return result.plain_text
