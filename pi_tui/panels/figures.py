"""Figures and lines of the panels as plain text: no widget, no style."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.cells import cell_len, set_cell_size

from core.ai.model import Model
from pi_tui.model import Activity, Queue, Totals
from pi_tui.term.safe import safe_text

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
SPINNER_RATE = 5
"""Pictures per second: enough to see life, little enough to cost nothing."""

PHASES = {
    "requesting": "Waiting for the model",
    "thinking": "Thinking",
    "writing": "Writing",
    "calling": "Preparing a tool call",
    "tools": "Running tools",
    "settling": "Finishing",
}


def count(number: int) -> str:
    """Return a token count as pi shows it: raw below 1,000, then k and M with one decimal where it is short."""
    if number < 1_000:
        return str(number)
    if number < 10_000:
        return f"{number / 1_000:.1f}k"
    if number < 1_000_000:
        return f"{number / 1_000:.0f}k"
    return f"{number / 1_000_000:.1f}M" if number < 10_000_000 else f"{number / 1_000_000:.0f}M"


def short_path(path: Path, home: Path) -> str:
    """Return `path` with the home directory as ~, made harmless for the terminal."""
    text = str(path)
    if path == home or home in path.parents:
        text = "~" + text[len(str(home)) :]
    return safe_text(text).replace("\n", "?").replace("\t", "?")


@dataclass(frozen=True, slots=True)
class Usage:
    """The right parts of the footer: figures, and how full the context is (0 to 1, None when unknown)."""

    text: str
    context: str
    fullness: float | None


def usage(totals: Totals, model: Model) -> Usage:
    """Return what has been used; parts that are zero or unknown are left out. A model without a price shows none."""
    parts = []
    for sign, number in (
        ("↑", totals.input),
        ("↓", totals.output),
        ("R", totals.cache_read),
        ("W", totals.cache_write),
    ):
        if number:
            parts.append(f"{sign}{count(number)}")
    if totals.cache_hit:
        parts.append(f"CH{totals.cache_hit:.1%}")
    if totals.cost and model.cost is not None:
        parts.append(f"${totals.cost:.3f}")
    window = model.context_window
    fullness = None if totals.context_tokens is None or window <= 0 else totals.context_tokens / window
    share = "?" if fullness is None else f"{fullness:.1%}"
    return Usage(" ".join(parts), f"{share}/{count(window)}", fullness)


def activity(state: Activity, now: float, width: int) -> str:
    """Return the activity line; empty when idle."""
    if not state.busy:
        return ""
    mark = SPINNER[int(now * SPINNER_RATE) % len(SPINNER)]
    if state.retry is not None:
        retry = state.retry
        left = max(0, round(retry.since + retry.delay_ms / 1000 - now))
        text = f"{mark} Retrying ({retry.attempt}/{retry.max_attempts}) in {left}s: {one_line(retry.error)}"
        return with_hint(text, "esc to cancel", width)
    label = PHASES.get(state.phase, "Working")
    if state.phase == "tools" and len(state.running) > 1:
        label = f"Running {len(state.running)} tools"
    return with_hint(f"{mark} {label} · {duration(now - state.run_since)}", "esc to interrupt", width)


def with_hint(text: str, hint: str, width: int) -> str:
    """Return `text` and `hint` in one line of `width` cells; the hint goes first where there is no room."""
    room = width - cell_len(hint) - 3
    if room < 12:
        return clip(text, width)
    return f"{clip(text, room)} · {hint}"


def duration(seconds: float) -> str:
    """Return seconds as 7s, 1m 07s, 1h 02m."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole}s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}m {rest:02}s" if minutes < 60 else f"{minutes // 60}h {minutes % 60:02}m"


def queue_lines(queue: Queue, width: int, most: int = 4) -> list[str]:
    """Return a line for each waiting message, `most` at the most, and one that says how to get them back."""
    waiting = [f"Steering: {one_line(text)}" for text in queue.steering]
    waiting += [f"Follow-up: {one_line(text)}" for text in queue.follow_up]
    if not waiting:
        return []
    lines = [clip(line, width) for line in waiting[:most]]
    more = len(waiting) - most
    hint = "alt+up to edit · esc to stop and edit"
    lines.append(clip(f"… {more} more · {hint}" if more > 0 else hint, width))
    return lines


def one_line(text: str) -> str:
    """Return text in one line, harmless for the terminal."""
    return " ".join(safe_text(text).split())


def clip(text: str, width: int) -> str:
    """Return text cut to `width` cells with an ellipsis; wide characters are never halved."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(0, width - 1)).rstrip() + "…" if width > 0 else ""
