"""The tool `bash`: one shell command, in a process tree of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from core.agent.tools import Reservation, ToolInvocation, ToolResult
from core.ai.wire import Json
from tools.shared.arguments import number_of, renamed, text_of, without_blanks
from tools.shared.errors import ToolError
from tools.shared.tool import BuiltinTool, object_schema, stop_if_aborted
from tools.shared.workplace import Workplace

MAX_TIMEOUT = 2_147_483.647
"""Seconds; more does not fit into pi's timer, which counts milliseconds in 32 bits."""

SESSION_VARIABLES = ("PI_SESSION_ID", "PI_SESSION_FILE", "PI_PROVIDER", "PI_MODEL", "PI_REASONING_LEVEL")
"""What tells a command about the session it runs in; never inherited from the session that started this one."""

FIXED_VARIABLES = {
    "AI_AGENT": "pi",
    "PI_CODING_AGENT": "true",
    # What would wait for a key that nobody can press.
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
}


class BashTool(BuiltinTool):
    """Runs commands in its workplace."""

    name = "bash"

    def __init__(
        self,
        place: Workplace,
        session_env: Callable[[], Mapping[str, str]] | None = None,
        *,
        shell: str | None = None,
    ) -> None:
        """`session_env` gives the variables that tell a command about the session; an empty value is left out.

        `shell` replaces bash; it must understand `-c`.
        """
        super().__init__(place)
        self._session_env = session_env
        self._shell = shell

    @property
    def parameters(self) -> dict[str, Json]:
        """JSON Schema of the arguments."""
        return object_schema(
            {
                "command": {"type": "string", "description": "The command to run with bash"},
                "timeout": {
                    "type": "number",
                    "description": "Seconds after which the command is ended (optional; no limit without it)",
                },
            },
            ["command"],
        )

    def prepare_arguments(self, raw: dict[str, Json]) -> dict[str, Json]:
        """Take other names for the arguments, and nothing for no timeout."""
        arguments = renamed(raw, {"command": ("cmd",), "timeout": ("timeout_seconds",)})
        return without_blanks(arguments, ("timeout",))

    def reserve(self, arguments: Mapping[str, Json]) -> Reservation:
        """Take the place of a command, which may touch any file."""
        return self.place.lock.reserve_workspace()

    async def execute(self, call: ToolInvocation) -> ToolResult:
        """Run the command. Its failure is an error result that keeps the output."""
        try:
            stop_if_aborted(call)
            command, timeout = text_of(call.arguments, "command"), _timeout(call.arguments)
            shell = self._check(command)
            from tools.work.bash import run_bash

            environment = self._environment()
            return await run_bash(self.place, call, command, shell=shell, environment=environment, timeout=timeout)
        except ToolError as error:
            return ToolResult.error(str(error))

    def _check(self, command: str) -> str:
        """Return the shell to use. Raises ToolError when the command cannot be run at all."""
        if "\0" in command:
            raise ToolError("The command contains a NUL character, which cannot be passed to a shell.")
        if not os.path.isdir(self.place.cwd):
            raise ToolError(
                f"The working directory {self.place.cwd} does not exist (any more). No command can run there."
            )
        return os.path.expanduser(self._shell) if self._shell else find_shell()

    def _environment(self) -> dict[str, str]:
        environment = {name: value for name, value in os.environ.items() if name not in SESSION_VARIABLES}
        environment.update(FIXED_VARIABLES)
        if self._session_env is not None:
            environment.update((name, value) for name, value in self._session_env().items() if value)
        return {name: value for name, value in environment.items() if "\0" not in value}


def _timeout(arguments: Mapping[str, Json]) -> float | None:
    timeout = number_of(arguments, "timeout")
    if timeout is not None and not 0 < timeout <= MAX_TIMEOUT:
        raise ToolError(f"timeout must be more than 0 and at most {MAX_TIMEOUT} seconds, not {arguments['timeout']}.")
    return timeout


def find_shell() -> str:
    """Return the path of bash, or of sh where there is none."""
    from shutil import which

    for path in ("/bin/bash", which("bash"), "/bin/sh", which("sh")):
        if path and os.access(path, os.X_OK):
            return path
    raise ToolError("No shell was found: neither bash nor sh is installed.")
