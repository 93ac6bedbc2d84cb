"""Running a command for the model: the result in words."""

from __future__ import annotations

from collections.abc import Mapping
from signal import Signals
from tempfile import gettempdir

from core.agent.tools import ToolInvocation, ToolResult
from core.ai.wire import Json
from tools.details import BashDetails
from tools.shared.command import CommandResult, run_command
from tools.shared.output import OutputView
from tools.shared.process import Survivor
from tools.shared.truncate import format_size, utf8_size
from tools.shared.workplace import Workplace

NO_OUTPUT = "(no output)"
MAX_NAMED = 10


async def run_bash(
    place: Workplace,
    call: ToolInvocation,
    command: str,
    *,
    shell: str,
    environment: Mapping[str, str],
    timeout: float | None,
) -> ToolResult:
    """Run `command` and return its result, showing its output while it runs. Raises ToolError when it cannot start."""
    call.on_update(ToolResult())
    result = await run_command(
        command,
        shell=shell,
        cwd=place.cwd,
        environment=environment,
        timeout=timeout,
        signal=call.signal,
        workers=place.workers,
        directory=gettempdir(),
        on_view=lambda view: call.on_update(ToolResult.text(view.text, details=_details(view) or {})),
    )
    return _tool_result(result, timeout)


def _details(view: OutputView) -> Json:
    if view.truncation is None and view.file is None:
        return None
    return BashDetails(truncation=view.truncation, full_output_path=view.file).to_wire()


def _tool_result(result: CommandResult, timeout: float | None) -> ToolResult:
    view = result.output
    text = view.text if view.text.strip() else NO_OUTPUT
    remarks = _notices(result) + _status(result, timeout)
    if remarks:
        text = "\n\n".join([text.rstrip("\n"), *remarks])
    failed = result.how != "ended" or result.status != 0
    shown = ToolResult.text(text, details=_details(view), is_error=True if failed else None)
    if result.how != "ended":
        return shown
    structured: dict[str, Json] = {"output": view.text, "truncated": view.truncation is not None}
    if view.file is not None:
        structured["full_output_path"] = view.file
    structured |= {"exit_code": result.status, "wall_time_seconds": round(result.seconds, 1)}
    return shown.model_copy(update={"structured_content": structured})


def _notices(result: CommandResult) -> list[str]:
    view, notices = result.output, []
    cut = view.truncation
    where = f"; the output {view.file_note}" if view.file_note and view.file is None else ""
    if view.file is not None:
        incomplete = f" (which {view.file_note})" if view.file_note else ""
        where = f"; all of it is in {view.file}{incomplete}, to be read in parts with offset and limit"
    if cut is not None and cut.output_lines:
        if cut.last_line_partial:
            size = format_size(utf8_size(view.text.rsplit("\n", 1)[-1]))
            notices.append(
                f"[The output has {cut.total_lines} lines, {format_size(cut.total_bytes)}; of the last line only "
                f"the last {size} are shown{where}.]"
            )
        else:
            notices.append(
                f"[{cut.output_lines} of {cut.total_lines} lines are shown, {format_size(cut.output_bytes)} of "
                f"{format_size(cut.total_bytes)}{where}.]"
            )
    elif cut is not None:
        notices.append(f"[The output is not text{where}.]")
    if result.background:
        goes_on = f" Its further output goes to {view.file}." if view.file is not None and cut is None else ""
        notices.append(f"[Still running in the background: {_named(result.background)}.{goes_on}]")
    if result.stuck:
        notices.append(f"[Could not be killed: {_named(result.stuck)}.]")
    return notices


def _named(processes: tuple[Survivor, ...]) -> str:
    names = ", ".join(f"{process.name} (pid {process.pid})" for process in processes[:MAX_NAMED])
    return names + (f" and {len(processes) - MAX_NAMED} more" if len(processes) > MAX_NAMED else "")


def _status(result: CommandResult, timeout: float | None) -> list[str]:
    if result.how == "aborted":
        return ["The command was aborted."]
    if result.how == "timeout":
        return [f"The command timed out after {timeout:g} seconds and was ended."]
    status = result.status or 0
    if status > 128:
        name = next((f" ({signal.name})" for signal in Signals if signal == status - 128), "")
        return [f"The command ended with exit status {status}{name}."]
    return [f"The command ended with exit status {status}."] if status else []
