"""Replay of system messages."""

from core.ai.messages import SystemMessage, TextContent, ToolName
from core.ai.system import replay_system
from tests.core.ai.build import user
from tests.core.ai.rich_conversation import LIST, READ


def test_text_sections_and_later_text_in_order() -> None:
    state = replay_system(
        [
            SystemMessage(content="base", sections={"a": "A", "b": "B"}),
            user("q"),
            SystemMessage(content=(TextContent(text="later"), TextContent(text="lines"))),
        ]
    )
    assert state.prompt == "base\n\nA\n\nB\n\nlater\nlines"


def test_a_section_is_replaced_in_place_removed_or_added_at_the_end() -> None:
    state = replay_system(
        [
            SystemMessage(sections={"a": "A", "b": "B", "c": "C"}),
            SystemMessage(sections={"a": "A2", "b": None, "d": "D"}),
        ]
    )
    assert state.prompt == "A2\n\nC\n\nD"


def test_tools_come_and_go() -> None:
    first = SystemMessage(tools_added=(READ, LIST))
    assert replay_system([first]).tools == (READ, LIST)
    changed = READ.model_copy(update={"description": "new"})
    second = SystemMessage(tools_removed=(ToolName(name="list"), ToolName(name="unknown")), tools_added=(changed,))
    assert replay_system([first, user("q"), second]).tools == (changed,)


def test_nothing() -> None:
    assert replay_system([user("q")]).prompt == ""
