"""What a resumed session shows equals what the live one showed, transients aside."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ai.messages import (
    AgentMessage,
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    StopReason,
    SystemMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
)
from pi_tui.model import Changes, NoticeBlock, State, ToolBlock, UserBlock, fold_messages, reduce
from tests.pi_tui.model.session import Tape, call


def play(tape: Tape) -> State:
    state = State()
    for event in tape.events:
        reduce(state, event)
    return state


contents = st.lists(
    st.one_of(
        st.builds(TextContent, text=st.text(max_size=40)),
        st.builds(ThinkingContent, thinking=st.text(max_size=40)),
        st.builds(lambda path: ToolCall(id="", name="read", arguments={"path": path}), st.text(max_size=20)),
    ),
    max_size=4,
)
results = st.tuples(st.sampled_from(["fine", "Aborted: the call was not run.", "no such file", ""]), st.booleans())


@given(
    st.lists(st.tuples(contents, st.lists(results, min_size=4, max_size=4), st.booleans()), max_size=4),
    st.integers(1, 9),
    st.sampled_from(["stop", "error", "aborted", "length"]),
)
def test_fold_of_events_equals_fold_of_messages(
    turns: list[tuple[list[TextContent | ThinkingContent | ToolCall], list[tuple[str, bool]], bool]],
    cut: int,
    last: StopReason,
) -> None:
    tape = Tape(cut=cut).start().user("go")
    ids = 0
    for blocks, answers, answered in turns:
        content = []
        for block in blocks:
            ids += 1
            content.append(block.model_copy(update={"id": f"c{ids}"}) if isinstance(block, ToolCall) else block)
        tape.reply(content, "toolUse")
        calls = [block for block in content if isinstance(block, ToolCall)]
        if answered:
            tape.tools(*((call, *answer) for call, answer in zip(calls, answers, strict=False)))
    tape.reply([TextContent(text="half an ans")], last, closed=last == "stop", error="overloaded").end()

    live, resumed = play(tape), fold_messages(tape.messages)
    assert live.settled_blocks() == resumed.settled_blocks()
    assert live.totals == resumed.totals
    assert all(block.settled for block in live.blocks if isinstance(block, ToolBlock))


def test_every_role_has_its_block() -> None:
    messages: list[AgentMessage] = [
        SystemMessage(content="be good"),
        UserMessage(content=(TextContent(text="see"), ImageContent(data="", mime_type="image/png"))),
        BashExecutionMessage(command="ls", output="a", exit_code=0, exclude_from_context=True),
        CustomMessage(custom_type="note", content="hello"),
        CustomMessage(custom_type="note", content="hidden", display=False),
        BranchSummaryMessage(summary="left"),
        CompactionSummaryMessage(summary="earlier", tokens_before=9000),
    ]
    state = fold_messages(messages)
    assert [block.kind for block in state.blocks] == ["user", "shell", "custom", "summary", "summary"]
    assert state.blocks[0] == UserBlock("see", ("image/png",))


@pytest.mark.parametrize(
    ("text", "is_error", "status"),
    [
        ("Aborted: the call was not run.", True, "aborted"),
        ("line 1\nline 2\n\nCommand aborted", True, "aborted"),
        ("line 1\n\nThe command was aborted.", True, "aborted"),
        ("aborted by peer is what the log says here", False, "ok"),
        ("exit code 3", True, "error"),
        ("make: the build was aborted\nexit code 2", True, "error"),
    ],
)
def test_a_result_tells_whether_its_call_was_stopped(text: str, is_error: bool, status: str) -> None:
    tape = Tape().start().reply([call("bash", command="x")], "toolUse")
    tape.tools((call("bash", command="x"), text, is_error)).end()
    block = fold_messages(tape.messages).blocks[0]
    assert isinstance(block, ToolBlock)
    assert block.status == status


def test_a_call_without_result_is_shown_as_aborted() -> None:
    state = fold_messages([AssistantMessage(content=(call("read", path="a"),), stop_reason="toolUse")])
    block = state.blocks[0]
    assert isinstance(block, ToolBlock)
    assert block.status == "aborted"


def test_a_result_without_call_is_shown() -> None:
    state = fold_messages([ToolResultMessage(tool_call_id="x", tool_name="read", content=(TextContent(text="a"),))])
    assert [block.kind for block in state.blocks] == ["tool"]


@pytest.mark.parametrize("content", [(), (ThinkingContent(thinking="hm"),), (TextContent(text=" \n"),)])
def test_l29_a_reply_that_says_nothing_is_remarked(content: tuple[TextContent | ThinkingContent, ...]) -> None:
    notice = fold_messages([AssistantMessage(content=content)]).blocks[-1]
    assert isinstance(notice, NoticeBlock)
    assert (notice.level, notice.text) == ("warning", "The model ended without an answer.")


def test_a_reused_call_id_means_the_latest_call() -> None:
    tape = Tape().start()
    for text in ("first", "second"):
        tape.reply([call("read", "same", path=text)], "toolUse").tools((call("read", "same", path=text), text, False))
    blocks = [block for block in play(tape.end()).blocks if isinstance(block, ToolBlock)]
    assert [block.content[0] for block in blocks] == [TextContent(text="first"), TextContent(text="second")]


def test_a_final_message_that_differs_from_its_stream_wins() -> None:
    tape = Tape().start().user("go").reply([ThinkingContent(thinking="hm"), TextContent(text="streamed")])
    final = AssistantMessage(content=(TextContent(text="another"),))
    event = tape.events[-1].model_copy(update={"message": final})
    state, changes = State(), Changes()
    for each in (*tape.events[:-1], event):
        changes.merge(reduce(state, each))
    assert changes.reset
    assert state.settled_blocks() == fold_messages([tape.messages[0], final]).settled_blocks()


def test_totals_hold_the_figures_of_the_footer() -> None:
    usage = Usage(input=10, output=5, cache_read=30, cache_write=2, total_tokens=47)
    state = fold_messages([AssistantMessage(usage=usage), AssistantMessage(usage=usage, stop_reason="error")])
    totals = state.totals
    assert (totals.input, totals.output, totals.cache_read, totals.cache_write) == (20, 10, 60, 4)
    assert totals.context_tokens == 47
    assert totals.cache_hit == pytest.approx(30 / 42)
    notice = state.blocks[-1]
    assert isinstance(notice, NoticeBlock)
    assert notice.level == "error"


@pytest.mark.perf
def test_five_thousand_messages_fold_in_a_fifth_of_a_second() -> None:
    messages: list[AgentMessage] = []
    for number in range(1_250):
        messages += [
            UserMessage.of("x" * 600),
            AssistantMessage(content=(TextContent(text="y" * 600), call("read", f"c{number}", path="a"))),
            ToolResultMessage(tool_call_id=f"c{number}", tool_name="read", content=(TextContent(text="z" * 600),)),
            AssistantMessage(content=(TextContent(text="y" * 600),)),
        ]
    begun = time.process_time()
    fold_messages(messages)
    assert time.process_time() - begun < 0.2
