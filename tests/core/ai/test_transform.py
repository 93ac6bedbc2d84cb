"""The repair pass before a request."""

from hypothesis import given
from hypothesis import strategies as st

from core.ai.messages import (
    AssistantMessage,
    ImageContent,
    LlmMessage,
    SystemMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    parse_message,
)
from core.ai.model import Model
from core.ai.transform import (
    NO_RESULT,
    TOOL_IMAGE_OMITTED,
    USER_IMAGE_OMITTED,
    ConversationMessage,
    prepare_messages,
)
from tests.core.ai.build import IMAGE, anthropic_model, assistant, call, chat_model, result, thinking, user

MODEL = anthropic_model()
OTHER = chat_model()


def prepare(
    *messages: LlmMessage, model: Model = MODEL, limit: int = 64, keep: bool = False
) -> list[ConversationMessage]:
    return prepare_messages(messages, model, max_id_length=limit, keep_own_ids=keep)


def shape(messages: list[ConversationMessage]) -> list[str]:
    """Each message in short: role, call ids, result ids."""
    out = []
    for message in messages:
        if isinstance(message, AssistantMessage):
            out.append(" ".join(["assistant", *(made.id for made in message.tool_calls)]))
        elif isinstance(message, ToolResultMessage):
            text = message.content[0].text if message.content and isinstance(message.content[0], TextContent) else ""
            out.append(f"result {message.tool_call_id}" + (" (made)" if text == NO_RESULT else ""))
        else:
            out.append("user")
    return out


def test_113_a_missing_result_comes_after_the_real_ones_and_before_the_user() -> None:
    prepared = prepare(user("q"), assistant(MODEL, call("a"), call("b")), result("b", "ok"), user("next"))
    assert shape(prepared) == ["user", "assistant a b", "result b", "result a (made)", "user"]
    made = prepared[3]
    assert isinstance(made, ToolResultMessage)
    assert made.is_error
    assert made.tool_name == "read"


def test_113_a_missing_result_comes_before_the_next_reply() -> None:
    prepared = prepare(user("q"), assistant(MODEL, call("a")), assistant(MODEL, "hm"))
    assert shape(prepared) == ["user", "assistant a", "result a (made)", "assistant"]


def test_114_a_missing_result_at_the_end_is_made() -> None:
    assert shape(prepare(user("q"), assistant(MODEL, call("a")))) == ["user", "assistant a", "result a (made)"]


def test_a_user_message_between_call_and_result_waits_for_the_result() -> None:
    prepared = prepare(user("q"), assistant(MODEL, call("a")), user("meanwhile"), result("a", "ok"), user("then"))
    assert shape(prepared) == ["user", "assistant a", "result a", "user", "user"]


def test_115_failed_and_aborted_replies_go_with_their_results() -> None:
    prepared = prepare(
        user("q"),
        assistant(MODEL, "half", call("a"), stop_reason="error"),
        result("a", "ran"),
        assistant(MODEL, call("b"), stop_reason="aborted"),
        result("b", "ran"),
        user("again"),
    )
    assert shape(prepared) == ["user", "user"]


def test_stray_and_second_results_are_dropped() -> None:
    prepared = prepare(
        user("q"), result("x", "stray"), assistant(MODEL, call("a")), result("a", "1"), result("a", "2"), user("n")
    )
    assert shape(prepared) == ["user", "assistant a", "result a", "user"]


def test_116_thinking_of_the_same_model_stays_even_without_text() -> None:
    reply = assistant(MODEL, thinking("", "sig"), thinking("visible", "sig2"), "answer")
    (prepared,) = prepare(reply)
    assert prepared.content == reply.content


def test_116_117_thinking_of_another_model_is_dropped() -> None:
    other = OTHER.model_copy(update={"id": "else"})
    (prepared,) = prepare(
        assistant(other, thinking("t", "sig"), thinking("u"), thinking("r", "data", redacted=True), "answer")
    )
    assert prepared.content == (TextContent(text="answer"),)


def test_same_id_from_another_provider_is_another_model() -> None:
    reply = assistant(MODEL.model_copy(update={"provider": "else"}), thinking("t", "sig"))
    assert prepare(reply)[0].content == ()


def test_blank_unsigned_thinking_is_dropped() -> None:
    assert prepare(assistant(MODEL, thinking(" \n"), "a"))[0].content == (TextContent(text="a"),)


def test_118_long_ids_of_another_model_become_legal_and_results_follow() -> None:
    original = "call_" + "x" * 50 + "|fc_" + "y" * 61
    prepared = prepare(assistant(OTHER, call(original)), result(original, "ok"))
    made, answer = prepared
    assert isinstance(made, AssistantMessage)
    assert isinstance(answer, ToolResultMessage)
    new = made.tool_calls[0].id
    assert len(new) <= 64
    assert set(new) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
    assert answer.tool_call_id == new


def test_119_ids_that_share_the_call_part_stay_distinct() -> None:
    first, second = "call_1|" + "a" * 60, "call_1|" + "b" * 60
    made = prepare(assistant(OTHER, call(first), call(second)), model=MODEL, limit=40)[0]
    assert isinstance(made, AssistantMessage)
    ids = [each.id for each in made.tool_calls]
    assert len(set(ids)) == 2
    assert all(len(each) <= 40 and each.startswith("call_1_") for each in ids)


def test_ids_that_fall_together_when_made_legal_stay_distinct() -> None:
    prepared = prepare(assistant(OTHER, call("a.b"), call("a:b")), result("a:b", "second"), result("a.b", "first"))
    made = prepared[0]
    assert isinstance(made, AssistantMessage)
    first, second = (each.id for each in made.tool_calls)
    assert first == "a_b"
    assert second != first
    assert shape(prepared)[1:] == [f"result {second}", f"result {first}"]


def test_an_id_used_again_in_a_later_turn_gets_another() -> None:
    prepared = prepare(
        assistant(MODEL, call("call_0")), result("call_0", "1"), assistant(MODEL, call("call_0")), result("call_0", "2")
    )
    ids = [message.tool_call_id for message in prepared if isinstance(message, ToolResultMessage)]
    assert ids[0] == "call_0"
    assert len(set(ids)) == 2
    assert shape(prepared) == [f"assistant {ids[0]}", f"result {ids[0]}", f"assistant {ids[1]}", f"result {ids[1]}"]


def test_two_calls_with_one_id_get_one_result_each() -> None:
    prepared = prepare(assistant(MODEL, call("same"), call("same")), result("same", "1"), result("same", "2"))
    ids = shape(prepared)[0].split()[1:]
    assert shape(prepared)[1:] == [f"result {ids[0]}", f"result {ids[1]}"]


def test_a_model_keeps_its_own_unusual_ids_where_the_format_allows_it() -> None:
    own = "functions.read:0 " + "x" * 60
    prepared = prepare(assistant(OTHER, call(own)), result(own, "ok"), model=OTHER, limit=40, keep=True)
    assert shape(prepared) == [f"assistant {own}", f"result {own}"]


def test_an_empty_id_becomes_one() -> None:
    prepared = prepare(assistant(OTHER, call("")), result("", "ok"), model=OTHER, keep=True)
    new = shape(prepared)[0].removeprefix("assistant ")
    assert new.startswith("call_")
    assert shape(prepared)[1] == f"result {new}"


def test_121_signatures_of_another_model_are_removed() -> None:
    text = TextContent(text="t", text_signature="id")
    (prepared,) = prepare(assistant(OTHER, text, call("a", thought_signature="opaque")))[:1]
    assert prepared.content == (TextContent(text="t"), call("a"))
    assert prepare(assistant(MODEL, text))[0].content == (text,)


def test_122_runs_of_images_become_one_note_each() -> None:
    blind = anthropic_model(input=("text",))
    prepared = prepare(user(IMAGE, IMAGE), user(IMAGE, "between", IMAGE), model=blind)
    note = TextContent(text=USER_IMAGE_OMITTED)
    assert [message.content for message in prepared] == [(note,), (note, TextContent(text="between"), note)]


def test_122_tool_images_have_a_note_of_their_own() -> None:
    blind = anthropic_model(input=("text",))
    prepared = prepare(assistant(blind, call("a")), result("a", "x", IMAGE), model=blind)
    assert prepared[1].content == (TextContent(text="x"), TextContent(text=TOOL_IMAGE_OMITTED))
    assert TOOL_IMAGE_OMITTED != USER_IMAGE_OMITTED


def test_images_stay_where_they_are_seen() -> None:
    assert prepare(user("x", IMAGE))[0].content == (TextContent(text="x"), IMAGE)


def test_124_null_content_of_an_old_session_counts_as_empty() -> None:
    old = parse_message({"role": "assistant", "content": None, "provider": "p", "timestamp": 1})
    assert isinstance(old, AssistantMessage)
    assert prepare(old)[0].content == ()


def test_system_messages_are_left_out_and_do_not_part_calls_from_results() -> None:
    prepared = prepare(
        SystemMessage(content="s"), user("q"), assistant(MODEL, call("a")), SystemMessage(content="t"), result("a", "r")
    )
    assert shape(prepared) == ["user", "assistant a", "result a"]


def test_nothing_that_is_stored_changes() -> None:
    stored = (assistant(OTHER, thinking("t", "sig"), call("a|b")), result("a|b", IMAGE))
    before = [message.to_wire() for message in stored]
    prepare(*stored, model=anthropic_model(input=("text",)))
    assert [message.to_wire() for message in stored] == before


IDS = st.sampled_from(["a", "b", "a.b", "a:b", "x|1", "x|2", "", "y" * 70, "y" * 69 + "z"])
MESSAGES = st.lists(
    st.one_of(
        st.just(user("u")),
        st.builds(
            lambda ids, stop, own: assistant(MODEL if own else OTHER, *map(call, ids), stop_reason=stop),
            st.lists(IDS, max_size=4),
            st.sampled_from(["toolUse", "error", "aborted"]),
            st.booleans(),
        ),
        st.builds(lambda each: result(each, "r"), IDS),
    ),
    max_size=14,
)


@given(messages=MESSAGES, limit=st.sampled_from([40, 64]), keep=st.booleans())
def test_any_history_becomes_well_formed(messages: list[LlmMessage], limit: int, keep: bool) -> None:
    prepared = prepare(*messages, limit=limit, keep=keep)
    seen: list[str] = []
    waiting: list[str] = []
    for message in prepared:
        if isinstance(message, ToolResultMessage):
            waiting.remove(message.tool_call_id)
            continue
        assert waiting == []
        if isinstance(message, AssistantMessage):
            waiting = [made.id for made in message.tool_calls]
            seen += waiting
    assert waiting == []
    assert len(set(seen)) == len(seen)
    assert all(seen)


@given(messages=MESSAGES, more=MESSAGES)
def test_what_comes_later_does_not_change_what_came_before(messages: list[LlmMessage], more: list[LlmMessage]) -> None:
    settled = [*messages, user("end")]
    first = [message.to_wire() for message in prepare(*settled)]
    longer = [message.to_wire() for message in prepare(*settled, assistant(MODEL, "x"), *more)]
    open_calls = sum(1 for message in first if message.get("content") == [{"type": "text", "text": NO_RESULT}])
    if not open_calls:
        assert longer[: len(first)] == first


def test_types_that_pass_through() -> None:
    kinds = {
        type(block)
        for message in prepare(user("u", IMAGE), assistant(MODEL, thinking("t", "s"), call("c")))
        for block in message.content
    }
    assert kinds == {TextContent, ImageContent, ThinkingContent, ToolCall}
    assert isinstance(prepare(UserMessage(content="plain"))[0].content, str)
