"""One event at a time: what changes, and what is said to have changed."""

from __future__ import annotations

import subprocess
import sys

from core.agent.events import MessageStart, MessageUpdate, ToolExecutionEnd, ToolExecutionStart, ToolExecutionUpdate
from core.agent.tools import ToolResult
from core.ai.messages import AssistantMessage, TextContent, ThinkingContent, Usage
from core.ai.stream import TextDelta, TextStart, ToolCallDelta, ToolCallStart
from core.session.events import AutoRetryEnd, AutoRetryStart, EntryAppended, QueueUpdate, SessionNotice
from pi_tui.model import Changes, NoticeBlock, State, SummaryBlock, TextBlock, ToolBlock, append_block, reduce
from tests.pi_tui.model.session import Tape, call

USAGE = Usage()


def update(part: TextStart | TextDelta | ToolCallStart | ToolCallDelta) -> MessageUpdate:
    return MessageUpdate(usage=USAGE, assistant_message_event=part)


def test_a_delta_names_its_block_and_the_offset_it_begins_at() -> None:
    state = State()
    reduce(state, MessageStart(message=AssistantMessage(stop_reason="pending")))
    reduce(state, update(TextStart(content_index=0)))
    assert reduce(state, update(TextDelta(content_index=0, delta="one "))).blocks == {0: 0}
    assert reduce(state, update(TextDelta(content_index=0, delta="two"))).blocks == {0: 4}
    block = state.blocks[0]
    assert isinstance(block, TextBlock)
    assert (str(block.text), block.final, block.revision) == ("one two", False, 2)


def test_changes_of_many_steps_merge_to_the_earliest_offset() -> None:
    changes = Changes({3: 40})
    changes.merge(Changes({3: 44, 4: 0}))
    changes.merge(Changes({3: 12}, status=True))
    assert changes == Changes({3: 12, 4: 0}, status=True)
    assert changes
    assert not Changes()


def test_argument_text_is_parsed_at_geometric_growth_only() -> None:
    state = State()
    reduce(state, update(ToolCallStart(content_index=0, id="c", tool_name="write")))
    block = state.blocks[0]
    assert isinstance(block, ToolBlock)
    parses = 0
    shown: object = None
    for piece in ['{"path": "a.py", "content": "', *["x" * 10] * 1_000]:
        reduce(state, update(ToolCallDelta(content_index=0, delta=piece)))
        if (now := block.shown_arguments()) is not shown:
            shown, parses = now, parses + 1
    assert block.shown_arguments()["path"] == "a.py"
    assert parses < 80


def test_a_call_goes_from_pending_to_running_to_its_result() -> None:
    state = State(clock=lambda: 42.0)
    for event in Tape().start().reply([call("bash", command="ls")], "toolUse").events:
        reduce(state, event)
    block = state.blocks[0]
    assert isinstance(block, ToolBlock)
    assert (block.status, block.arguments) == ("pending", {"command": "ls"})
    common = {"tool_call_id": "call_1", "tool_name": "bash"}
    assert reduce(state, ToolExecutionStart(args={}, **common)).blocks == {0: 0}
    assert (block.status, block.started_at, state.activity.phase) == ("running", 42.0, "tools")
    assert state.activity.running == {"call_1"}
    reduce(state, ToolExecutionUpdate(args={}, partial_result=ToolResult.text("half"), **common))
    assert block.partial == ToolResult.text("half")
    reduce(state, ToolExecutionEnd(result=ToolResult.text("all"), is_error=False, duration_ms=7, **common))
    assert (block.status, block.partial, block.started_at, block.duration_ms) == ("ok", None, None, 7)
    assert (block.content, state.activity.running) == ((TextContent(text="all"),), set())


def test_the_phase_follows_the_run() -> None:
    state, phases = State(), []
    content = [ThinkingContent(thinking="hm"), TextContent(text="ok"), call("ls")]
    tape = Tape().start().user("go").reply(content, "toolUse")
    for event in tape.tools((call("ls"), "a", False)).end().events:
        if reduce(state, event).status and (not phases or phases[-1] != state.activity.phase):
            phases.append(state.activity.phase)
    assert phases == ["requesting", "thinking", "writing", "calling", "tools", "requesting", "settling", "idle"]


def test_a_retry_is_activity_and_leaves_no_block() -> None:
    state = State()
    reduce(state, AutoRetryStart(attempt=1, max_attempts=3, delay_ms=2000, error_message="overloaded"))
    assert state.activity.retry is not None
    assert (state.activity.phase, state.activity.retry.delay_ms) == ("retrying", 2000)
    reduce(state, AutoRetryEnd(success=True, attempt=1))
    assert state.activity.retry is None
    assert state.blocks == []


def test_queue_and_notices() -> None:
    state = State()
    assert reduce(state, QueueUpdate(steering=("a",), follow_up=("b", "c"))).status
    assert (state.queue.steering, state.queue.follow_up) == (("a",), ("b", "c"))
    assert reduce(state, SessionNotice(level="warning", text="careful")).blocks == {0: 0}
    assert append_block(state, NoticeBlock("info", "mine")).blocks == {1: 0}
    assert state.settled_blocks() == []


def test_an_entry_of_a_compaction_shows_and_forgets_the_context_size() -> None:
    state = State()
    state.totals.context_tokens = 50_000
    entry = {"type": "compaction", "summary": "so far", "tokensBefore": 50_000, "usage": {"input": 7}}
    assert reduce(state, EntryAppended(entry=entry)).blocks == {0: 0}
    assert state.blocks == [SummaryBlock("compaction", "so far", 50_000)]
    assert (state.totals.context_tokens, state.totals.input) == (None, 7)
    assert not reduce(state, EntryAppended(entry={"type": "model_change"}))


def test_the_model_loads_neither_textual_nor_rich() -> None:
    code = "import sys, pi_tui.model; print([name for name in ('textual', 'rich') if name in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"
