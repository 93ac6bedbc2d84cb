"""The faces of the tools we know, and the one for all others."""

from __future__ import annotations

import json

from core.ai.wire import Json
from pi_tui.render.code import highlight, language_of
from pi_tui.render.context import Context
from pi_tui.render.diff import diff_lines
from pi_tui.render.hints import hint, more
from pi_tui.render.line import Line, Run
from pi_tui.render.output import EXPANDED_ROWS, head, tail, whole
from pi_tui.render.text import clean, rows_of
from pi_tui.render.tools.frame import Call, Face, error_lines
from pi_tui.render.wrap import wrap, wrap_plain

BASH_ROWS = 5
REMARK_ROWS = 3
"""Lines up to which the last paragraph of a failed command's result is the remark of the tool, not output."""
HEAD_ROWS = 10
DIFF_ROWS = 40


def face_of(name: str) -> Face:
    """Return the face of a tool."""
    return FACES.get(name, OTHER)


def _no_body(call: Call, context: Context) -> list[Line]:
    return error_lines(call, context) if call.failed else []


# bash


def _bash_title(call: Call, context: Context) -> list[Run]:
    style = context.theme["toolTitle"]
    return [("$ ", style), (call.argument("command").strip("\n") or "…", style)]


def _bash_body(call: Call, context: Context) -> list[Line]:
    style = context.theme["toolOutput"]
    if not call.text.strip():
        return hint("(no output)", context) if call.block.settled else []
    output, remark = call.text, ""
    if call.failed:
        output, _, remark = call.text.rstrip("\n").rpartition("\n\n")
        if remark.count("\n") >= REMARK_ROWS:
            output, remark = call.text, ""
    lines = whole(output, style, context) if call.expanded else tail(output, BASH_ROWS, style, context)
    return [*lines, *wrap_plain(remark, context.theme["error"], context.width)] if remark else lines


def _bash_guess(call: Call, width: int) -> int:
    rows = call.text.count("\n") + 1
    return rows if call.expanded else min(rows, BASH_ROWS + 1 + call.failed)


# read


def _path_title(verb: str, call: Call, context: Context, suffix: str = "") -> list[Run]:
    theme = context.theme
    path = call.argument("path", "file_path")
    return [
        (f"{verb} ", theme["toolTitle"]),
        (path or "…", theme["accent"]),
        (suffix, theme["warning"]),
    ]


def _read_title(call: Call, context: Context) -> list[Run]:
    offset, limit = call.arguments.get("offset"), call.arguments.get("limit")
    suffix = ""
    if isinstance(offset, int) or isinstance(limit, int):
        first = offset if isinstance(offset, int) else 1
        suffix = f":{first}" + (f"-{first + limit - 1}" if isinstance(limit, int) else "")
    return _path_title("read", call, context, suffix)


def _read_body(call: Call, context: Context) -> list[Line]:
    if call.failed:
        return error_lines(call, context)
    return _source(call.text, call.argument("path", "file_path"), context) if call.expanded and call.text else []


def _read_guess(call: Call, width: int) -> int:
    return rows_of(call.text, width) if call.failed or call.expanded else 0


def _source(text: str, path: str, context: Context, rows: int = EXPANDED_ROWS) -> list[Line]:
    """Up to `rows` lines of a file, coloured for its name."""
    lines = text.rstrip("\n").split("\n")
    shown = "\n".join(line[:EXPANDED_ROWS] for line in lines[:rows])
    coloured = highlight(shown, language_of(path), context.theme)
    if coloured is None:
        out = wrap_plain(shown, context.theme["toolOutput"], context.width, words=False)
    else:
        out = [row for runs in coloured for row in wrap(runs, context.width, words=False)]
    if len(lines) <= rows:
        return out
    if rows == EXPANDED_ROWS:
        return [*out, *hint(f"… {len(lines) - rows:,} more lines, not shown", context)]
    return [*out, *more(len(lines) - rows, "more", context)]


# write


def _write_title(call: Call, context: Context) -> list[Run]:
    content = call.argument("content")
    title = _path_title("write", call, context)
    if _diff_of(call):
        title += _counts(_diff_of(call), context)
    elif content:
        count = content.count("\n") + (not content.endswith("\n"))
        title.append((f"  {count:,} line{'s' if count != 1 else ''}", context.theme["dim"]))
    return title


def _write_body(call: Call, context: Context) -> list[Line]:
    """The begin of a new file, the difference to an old one."""
    diff = _diff_of(call)
    if diff and not call.failed:
        return _diff_rows(diff, call, context)
    content = call.argument("content")
    rows = EXPANDED_ROWS if call.expanded else HEAD_ROWS
    shown = _source(content, call.argument("path", "file_path"), context, rows) if content else []
    return [*shown, *error_lines(call, context)] if call.failed else shown


def _write_guess(call: Call, width: int) -> int:
    rows = call.argument("content").count("\n") + 1
    return rows if call.expanded else min(rows, HEAD_ROWS + 1)


# edit


def _edit_title(call: Call, context: Context) -> list[Run]:
    diff = _diff_of(call)
    return [*_path_title("edit", call, context), *(_counts(diff, context) if diff else [])]


def _edit_body(call: Call, context: Context) -> list[Line]:
    if call.failed:
        return error_lines(call, context)
    diff = _diff_of(call) or _wanted(call)
    return _diff_rows(diff, call, context) if diff else []


def _counts(diff: str, context: Context) -> list[Run]:
    rows = diff.split("\n")
    return [
        (f"  +{sum(row.startswith('+') for row in rows)}", context.theme["toolDiffAdded"]),
        (f" -{sum(row.startswith('-') for row in rows)}", context.theme["toolDiffRemoved"]),
    ]


def _diff_rows(diff: str, call: Call, context: Context) -> list[Line]:
    rows = diff.rstrip("\n").split("\n")
    limit = EXPANDED_ROWS if call.expanded else DIFF_ROWS
    lines = diff_lines("\n".join(row[:EXPANDED_ROWS] for row in rows[:limit]), context)
    return [*lines, *more(len(rows) - limit, "more", context)]


def _edit_guess(call: Call, width: int) -> int:
    rows = (_diff_of(call) or _wanted(call)).count("\n") + 1
    return rows if call.expanded else min(rows, DIFF_ROWS + 1)


def _diff_of(call: Call) -> str:
    details = call.block.details
    diff = details.get("diff") if isinstance(details, dict) else None
    return call.fit(diff) if isinstance(diff, str) else ""


def _wanted(call: Call) -> str:
    """The replacements that a call asks for, before the tool has made its diff."""
    edits = call.arguments.get("edits")
    pairs = edits if isinstance(edits, list) else [call.arguments]
    rows: list[str] = []
    for pair in pairs:
        if not isinstance(pair, dict):
            continue
        for sign, name in (("-", "oldText"), ("+", "newText")):
            text = pair.get(name)
            if isinstance(text, str) and text:
                rows += [f"{sign} {line}" for line in call.fit(text).rstrip("\n").split("\n")]
    return "\n".join(rows)


# All others


def _other_title(call: Call, context: Context) -> list[Run]:
    theme = context.theme
    title: list[Run] = [(clean(call.block.name) or "…", theme["toolTitle"])]
    for name, value in call.arguments.items():
        title += [(f" {clean(name)}=", theme["muted"]), (_short(value, call.expanded), theme["accent"])]
    return title


def _short(value: Json, expanded: bool) -> str:
    text = clean(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    if not expanded:
        text = " ".join(text.split())
    limit = 4_000 if expanded else 60
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _other_body(call: Call, context: Context) -> list[Line]:
    if call.failed:
        return error_lines(call, context)
    if not call.text.strip():
        return []
    style = context.theme["toolOutput"]
    return whole(call.text, style, context) if call.expanded else head(call.text, HEAD_ROWS, style, context)


def _other_guess(call: Call, width: int) -> int:
    rows = call.text.count("\n") + 1 if call.text else 0
    return rows if call.expanded else min(rows, HEAD_ROWS + 1)


FACES: dict[str, Face] = {
    "bash": Face(_bash_title, _bash_body, _bash_guess, timed=True),
    "read": Face(_read_title, _read_body, _read_guess, compact=True),
    "write": Face(_write_title, _write_body, _write_guess),
    "edit": Face(_edit_title, _edit_body, _edit_guess),
}
OTHER = Face(_other_title, _other_body, _other_guess)
