"""One conversation with everything that a request body has to cope with."""

from __future__ import annotations

from core.ai.messages import LlmMessage, SystemMessage, ToolSpec, UserMessage
from core.ai.model import Model
from tests.core.ai.build import IMAGE, assistant, call, result, thinking, user

READ = ToolSpec(
    name="read",
    description="Read a file",
    parameters={
        "type": "object",
        "properties": {"path": {"type": "string"}, "limit": {"type": "number"}},
        "required": ["path"],
        "additionalProperties": False,
    },
)
LIST = ToolSpec(name="list", description="List files", parameters={"type": "object"})


def rich_conversation(model: Model, signature: str) -> tuple[LlmMessage, ...]:
    """Thinking, parallel tools, images, a failed result, a switch of models, what went wrong, surrogates."""
    other = model.model_copy(update={"provider": "elsewhere", "id": "other-model"})
    foreign = "call_77|fc_" + "9" * 60
    return (
        SystemMessage(sections={"preamble": "Be brief.", "cwd": "<cwd>\n/w\n</cwd>"}, tools_added=(READ,), timestamp=1),
        UserMessage(content="a plain string", timestamp=1),
        assistant(model, thinking("First I look.", signature), "Looking", " now.", call("t1"), call("t2"), call("t3")),
        result("t1", "one", "two"),
        result("t2", IMAGE),
        result("t3", "not found", IMAGE, is_error=True),
        assistant(other, thinking("Foreign thought", "foreign-signature"), "From elsewhere.", call(foreign)),
        result(foreign),
        user("  ", IMAGE, IMAGE),
        assistant(model, "  ", call("t4"), call("t5")),
        result("t5", "answer \ud800 😀"),
        SystemMessage(sections={"cwd": "<cwd>\n/elsewhere\n</cwd>"}, tools_added=(LIST,), timestamp=1),
        user("go on \udfff please"),
        assistant(model, "half", call("t6"), stop_reason="error"),
        result("t6", "never sent"),
        user("again"),
        assistant(model),
        assistant(model, thinking("", signature), thinking("unsigned"), "Done."),
        user("thanks"),
    )
