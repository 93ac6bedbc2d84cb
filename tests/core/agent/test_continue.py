"""continue() and retry() from every kind of transcript."""

from __future__ import annotations

import pytest

from core.agent.agent import NothingToContinue
from core.ai.builder import MessageBuilder
from core.ai.errors import ErrorInfo
from core.ai.messages import (
    AgentMessage,
    CustomMessage,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
)
from core.ai.script import fail, say
from tests.core.agent.rig import MODEL, Rig, label

DONE = say("done")
ERROR = ErrorInfo(kind="server", message="Out of order", status=500)
USER = UserMessage.of("user")
ASKING = MessageBuilder(MODEL).done("stop").message
RESULT = ToolResultMessage(tool_call_id="1", tool_name="work")


@pytest.mark.parametrize("history", [(), (SystemMessage(content="be brief"),)], ids=["empty", "only system"])
async def test_092_continue_without_anything_to_answer(history: tuple[AgentMessage, ...]) -> None:
    rig = Rig(DONE, messages=history)
    rig.agent.steer("steer")
    with pytest.raises(NothingToContinue):
        await rig.agent.continue_()
    assert len(rig.agent.steering) == 1
    assert not rig.events


@pytest.mark.parametrize("tail", [USER, RESULT, CustomMessage(custom_type="x", content="note")], ids=lambda m: m.role)
async def test_096_continue_from_what_waits_for_an_answer(tail: AgentMessage) -> None:
    rig = Rig(DONE, messages=[USER, ASKING, tail])
    await rig.agent.continue_()
    assert rig.sequence == "AS TS A(stop) TE AE"
    assert [label(message) for message in rig.end.messages] == ["A(stop)"]


async def test_continue_looks_past_system_messages() -> None:
    rig = Rig(DONE, messages=[USER, ASKING, RESULT, SystemMessage(content="more tools")])
    await rig.agent.continue_()
    assert rig.sequence == "AS TS A(stop) TE AE"


async def test_continue_with_both_queues() -> None:
    rig = Rig(DONE, DONE, messages=[USER])
    rig.agent.steer("steer")
    rig.agent.follow_up("FU")
    await rig.agent.continue_()
    assert rig.sequence == "AS TS M(steer) A(stop) TE TS M(FU) A(stop) TE AE"


async def test_095_continue_after_a_reply_needs_a_message() -> None:
    rig = Rig(DONE, messages=[USER, ASKING])
    with pytest.raises(NothingToContinue):
        await rig.agent.continue_()


async def test_093_continue_after_a_reply_with_steering() -> None:
    rig = Rig(DONE, DONE, messages=[USER, ASKING])
    rig.agent.steer("S1")
    rig.agent.steer("S2")
    await rig.agent.continue_()
    assert rig.sequence == "AS TS M(S1) A(stop) TE TS M(S2) A(stop) TE AE"


async def test_094_continue_after_a_reply_with_follow_ups() -> None:
    rig = Rig(DONE, DONE, messages=[USER, ASKING])
    rig.agent.follow_up("F1")
    rig.agent.follow_up("F2")
    await rig.agent.continue_()
    assert rig.sequence == "AS TS M(F1) A(stop) TE TS M(F2) A(stop) TE AE"


async def test_097_retry_asks_again_and_keeps_the_failed_reply() -> None:
    rig = Rig(fail(ERROR), DONE)
    await rig.agent.prompt("user")
    with pytest.raises(NothingToContinue):
        await rig.agent.continue_()
    rig.events.clear()
    await rig.agent.retry()
    assert rig.sequence == "AS TS A(stop) TE AE"
    assert [label(message) for message in rig.agent.state.messages] == ["user", "A(error)", "A(stop)"]
    assert rig.agent.state.error_message is None


async def test_retry_needs_a_failed_reply() -> None:
    rig = Rig(DONE, DONE)
    await rig.agent.prompt("user")
    with pytest.raises(NothingToContinue):
        await rig.agent.retry()
