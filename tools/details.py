"""What tools hand to the screen and to logs beside the text for the model: pure data, with pi's keys on the wire.

A result carries the `to_wire()` form of one of these in `details`; a renderer reads it back with `model_validate`.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from core.ai.wire import WireModel


class Truncation(WireModel):
    """How a text was cut for the model. Lines end at LF only; bytes are those of UTF-8."""

    nullable_on_wire: ClassVar[frozenset[str]] = frozenset({"truncated_by"})

    content: str
    truncated: bool = False
    truncated_by: Literal["lines", "bytes"] | None = None
    total_lines: int = 0
    total_bytes: int = 0
    output_lines: int = 0
    output_bytes: int = 0
    last_line_partial: bool = False
    first_line_exceeds_limit: bool = False
    max_lines: int = 0
    max_bytes: int = 0


class ReadDetails(WireModel):
    """Of `read`: set when the text was cut."""

    truncation: Truncation | None = None


class BashDetails(WireModel):
    """Of `bash`: set when the output was cut; `full_output_path` names the file with all of it, raw."""

    truncation: Truncation | None = None
    full_output_path: str | None = None


class EditDetails(WireModel):
    """`diff` is for the screen, `patch` a unified diff; `first_changed_line` counts from 1 in the new file."""

    diff: str
    patch: str
    first_changed_line: int | None = None


class WriteDetails(WireModel):
    """Of `write`: whether the file is new, its lines and bytes now, and for an overwritten file the diff."""

    created: bool
    lines: int
    bytes: int
    diff: str | None = None
