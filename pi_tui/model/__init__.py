"""What the screen shows, as plain data, and the fold that keeps it up to date. No Textual, no Rich."""

from pi_tui.model.blocks import (
    Block,
    CustomBlock,
    HeaderBlock,
    NoticeBlock,
    ShellBlock,
    SummaryBlock,
    TextBlock,
    ThinkingBlock,
    ToolBlock,
    ToolStatus,
    UserBlock,
)
from pi_tui.model.fold import fold_messages
from pi_tui.model.reduce import reduce
from pi_tui.model.state import Activity, Changes, Phase, Queue, Retry, State, Totals, append_block
from pi_tui.model.text import TextBuffer

__all__ = [
    "Activity",
    "Block",
    "Changes",
    "CustomBlock",
    "HeaderBlock",
    "NoticeBlock",
    "Phase",
    "Queue",
    "Retry",
    "ShellBlock",
    "State",
    "SummaryBlock",
    "TextBlock",
    "TextBuffer",
    "ThinkingBlock",
    "ToolBlock",
    "ToolStatus",
    "Totals",
    "UserBlock",
    "append_block",
    "fold_messages",
    "reduce",
]
