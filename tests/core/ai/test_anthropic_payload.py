"""Request bodies of Anthropic's Messages format."""

import pytest

from core.ai.anthropic_payload import NO_OUTPUT, anthropic_payload
from core.ai.messages import LlmMessage, SystemMessage, ThinkingLevel, ToolSpec, UserMessage
from core.ai.model import Model, ModelRequest
from core.ai.wire import Json
from tests.core.ai.build import IMAGE, anthropic_model, ask, assistant, call, result, thinking, used, user
from tests.core.ai.golden import check_golden
from tests.core.ai.rich_conversation import LIST, READ, rich_conversation
from tests.support.pairing import find_problem

MODEL = anthropic_model()
THINKER = anthropic_model(reasoning=True)
ADAPTIVE = anthropic_model(
    reasoning=True,
    compat={"forceAdaptiveThinking": True, "supportsTemperature": False},
    thinking_level_map={"xhigh": "xhigh", "max": "max"},
)
SHORT = {"type": "ephemeral"}


def body(model: Model, *messages: LlmMessage, tools: tuple[ToolSpec, ...] = (), **options: Json) -> dict[str, Json]:
    request = ask(model, *messages, **options)
    return anthropic_payload(ModelRequest(model, request.messages, tools, request.options)).body


def headers(model: Model, tools: tuple[ToolSpec, ...] = (), **options: Json) -> dict[str, str]:
    return anthropic_payload(ModelRequest(model, (user("hi"),), tools, ask(model, **options).options)).headers


def test_golden_body_of_a_rich_conversation() -> None:
    model = anthropic_model(reasoning=True)
    sent = body(model, *rich_conversation(model, "sig"), thinking_level="high")
    assert find_problem("anthropic-messages", sent) is None
    check_golden("anthropic", sent)


def test_125_markers_stand_on_system_last_tool_and_last_user_block_only() -> None:
    conversation = (
        SystemMessage(content="Be brief."),
        user("q"),
        assistant(MODEL, "t", call("a")),
        result("a", "r"),
        user("one", "two"),
    )
    sent = body(MODEL, *conversation, tools=(READ, LIST))
    assert sent["system"] == [{"type": "text", "text": "Be brief.", "cache_control": SHORT}]
    assert [tool.get("cache_control") for tool in sent["tools"]] == [None, SHORT]
    marked = [block for message in sent["messages"] for block in message["content"] if "cache_control" in block]
    assert marked == [{"type": "text", "text": "two", "cache_control": SHORT}]


def test_125_a_tool_result_carries_the_last_marker() -> None:
    sent = body(MODEL, user("q"), assistant(MODEL, call("a"), call("b")), result("a", "r"), result("b", "s"))
    assert [block.get("cache_control") for block in sent["messages"][-1]["content"]] == [None, SHORT]


def test_126_no_retention_means_no_marker_and_strings_stay_strings() -> None:
    sent = body(MODEL, SystemMessage(content="s"), UserMessage(content="q"), tools=(READ,), cache_retention="none")
    assert "cache_control" not in str(sent)
    assert sent["messages"] == [{"role": "user", "content": "q"}]


def test_126_long_retention_lives_an_hour_everywhere() -> None:
    sent = body(MODEL, SystemMessage(content="s"), user("q"), tools=(READ,), cache_retention="long")
    assert str(sent).count("'cache_control': {'type': 'ephemeral', 'ttl': '1h'}") == 3


def test_long_retention_is_short_where_it_is_not_supported() -> None:
    model = anthropic_model(compat={"supportsLongCacheRetention": False})
    assert "ttl" not in str(body(model, user("q"), cache_retention="long"))


def test_no_marker_on_tools_where_that_is_not_supported() -> None:
    model = anthropic_model(compat={"supportsCacheControlOnTools": False})
    assert "cache_control" not in str(body(model, tools=(READ,))["tools"])


def test_127_results_in_a_row_make_one_user_message() -> None:
    sent = body(
        MODEL,
        user("q"),
        assistant(MODEL, call("a"), call("b"), call("c")),
        result("c", "3"),
        result("a", "1"),
        result("b", "2"),
        cache_retention="none",
    )
    assert sent["messages"][-1] == {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": False}
            for call_id, text in (("c", "3"), ("a", "1"), ("b", "2"))
        ],
    }


def test_128_images_of_a_failed_result_come_after_all_results() -> None:
    sent = body(
        MODEL,
        user("q"),
        assistant(MODEL, call("a"), call("b")),
        result("a", "boom", IMAGE, is_error=True),
        result("b", "fine"),
        cache_retention="none",
    )
    content = sent["messages"][-1]["content"]
    assert [block["type"] for block in content] == ["tool_result", "tool_result", "text", "image"]
    assert content[0]["content"].startswith("boom")
    assert isinstance(content[0]["content"], str)
    assert "a (read)" in content[2]["text"]


def test_an_image_alone_in_a_result_gets_a_text_before_it() -> None:
    sent = body(MODEL, user("q"), assistant(MODEL, call("a")), result("a", IMAGE))
    inner = sent["messages"][-1]["content"][0]["content"]
    assert [block["type"] for block in inner] == ["text", "image"]


@pytest.mark.parametrize("text", ["", "\r\n", "  \n\t"])
def test_a_blank_result_becomes_a_word(text: str) -> None:
    sent = body(MODEL, user("q"), assistant(MODEL, call("a")), result("a", text))
    assert sent["messages"][-1]["content"][0]["content"] == NO_OUTPUT


def test_129_blank_user_text_is_left_out() -> None:
    sent = body(MODEL, user("  ", IMAGE), assistant(MODEL, "a"), user(" \n"), cache_retention="none")
    assert [[block["type"] for block in message["content"]] for message in sent["messages"]] == [["image"], ["text"]]


@pytest.mark.parametrize(
    ("level", "budget"),
    [
        ("minimal", 1024),
        ("low", 2048),
        ("medium", 8192),
        ("high", 16_384),
        ("xhigh", 16_384),
        ("max", 16_384),
    ],
)
def test_130_budgets(level: ThinkingLevel, budget: int) -> None:
    model = anthropic_model(reasoning=True, thinking_level_map={"xhigh": "x", "max": "m"})
    sent = body(model, thinking_level=level)
    assert sent["thinking"] == {"type": "enabled", "budget_tokens": budget, "display": "summarized"}
    assert sent["max_tokens"] == 32_000
    assert headers(model, thinking_level=level)["anthropic-beta"] == "interleaved-thinking-2025-05-14"


def test_own_budgets_beat_the_defaults() -> None:
    sent = body(THINKER, thinking_level="low", thinking_budgets={"low": 5000})
    assert sent["thinking"]["budget_tokens"] == 5000


def test_131_a_budget_leaves_room_for_the_answer() -> None:
    sent = body(anthropic_model(reasoning=True, max_tokens=4096), thinking_level="high")
    assert (sent["max_tokens"], sent["thinking"]["budget_tokens"]) == (4096, 3072)


def test_a_cap_of_the_request_is_for_the_answer_alone() -> None:
    sent = body(THINKER, thinking_level="low", max_tokens=1000)
    assert (sent["max_tokens"], sent["thinking"]["budget_tokens"]) == (3048, 2048)


def test_a_cap_too_small_for_thinking_switches_it_off() -> None:
    sent = body(anthropic_model(reasoning=True, max_tokens=1500), thinking_level="high")
    assert sent["thinking"] == {"type": "disabled"}


def test_132_off_is_said_where_it_can_be() -> None:
    assert body(THINKER)["thinking"] == {"type": "disabled"}
    assert "thinking" not in body(MODEL)
    always = anthropic_model(reasoning=True, compat={"forceAdaptiveThinking": True}, thinking_level_map={"off": None})
    assert body(always)["thinking"]["type"] == "adaptive"


@pytest.mark.parametrize(
    ("level", "effort"),
    [("minimal", "low"), ("low", "low"), ("medium", "medium"), ("high", "high"), ("xhigh", "xhigh"), ("max", "max")],
)
def test_adaptive_models_get_an_effort(level: ThinkingLevel, effort: str) -> None:
    sent = body(ADAPTIVE, thinking_level=level)
    assert sent["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert sent["output_config"] == {"effort": effort}
    assert "anthropic-beta" not in headers(ADAPTIVE, thinking_level=level)


def test_temperature_goes_only_where_it_is_allowed() -> None:
    assert body(THINKER, temperature=0.5)["temperature"] == 0.5
    assert "temperature" not in body(THINKER, temperature=0.5, thinking_level="low")
    assert "temperature" not in body(ADAPTIVE, temperature=0.5)


def test_tools_keep_only_the_schema_keys_that_the_api_takes() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/x"}},
        "$defs": {"x": {}},
        "additionalProperties": False,
        "anyOf": [{}],
    }
    sent = body(MODEL, tools=(ToolSpec(name="t", description="d", parameters=schema),), cache_retention="none")
    assert sent["tools"] == [
        {
            "name": "t",
            "description": "d",
            "eager_input_streaming": True,
            "input_schema": {
                "type": "object",
                "properties": {"a": {"$ref": "#/$defs/x"}},
                "required": [],
                "additionalProperties": False,
                "$defs": {"x": {}},
            },
        }
    ]


def test_without_eager_streaming_the_older_way_is_asked_for() -> None:
    model = anthropic_model(compat={"supportsEagerToolInputStreaming": False}, reasoning=True)
    assert "eager_input_streaming" not in body(model, tools=(READ,))["tools"][0]
    sent = headers(model, (READ,), thinking_level="low")["anthropic-beta"]
    assert sent == "interleaved-thinking-2025-05-14,fine-grained-tool-streaming-2025-05-14"


def test_thinking_goes_back_as_it_came() -> None:
    reply = assistant(
        THINKER,
        thinking("seen", "sig"),
        thinking("", "only a signature"),
        thinking("[Reasoning redacted]", "opaque", redacted=True),
        thinking("unsigned"),
        "answer",
    )
    assert body(THINKER, user("q"), reply, user("r"))["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "seen", "signature": "sig"},
        {"type": "thinking", "thinking": "", "signature": "only a signature"},
        {"type": "redacted_thinking", "data": "opaque"},
        {"type": "text", "text": "answer"},
    ]


def test_unsigned_thinking_goes_back_where_an_empty_signature_is_allowed() -> None:
    model = anthropic_model(reasoning=True, compat={"allowEmptySignature": True})
    sent = body(model, user("q"), assistant(model, thinking("t"), "a"), user("r"))
    assert sent["messages"][1]["content"][0] == {"type": "thinking", "thinking": "t", "signature": ""}


def test_tools_declared_in_the_transcript_count_when_the_request_has_none() -> None:
    sent = body(MODEL, SystemMessage(content="s", tools_added=(READ,)), user("q"))
    assert [tool["name"] for tool in sent["tools"]] == ["read"]
    sent = body(MODEL, SystemMessage(content="s", tools_added=(READ,)), user("q"), tools=(LIST,))
    assert [tool["name"] for tool in sent["tools"]] == ["list"]


def test_a_long_conversation_lowers_the_output_cap() -> None:
    full = assistant(MODEL, "a", usage=used(190_000))
    assert body(MODEL, user("q"), full, user("r"))["max_tokens"] == 200_000 - 190_000 - 1 - 4096


def test_session_affinity_headers() -> None:
    asked = {"session_id": "s1", "thinking_level": "off"}
    assert headers(MODEL, **asked) == {}
    model = anthropic_model(compat={"sendSessionAffinityHeaders": True})
    assert headers(model, **asked) == {"x-session-affinity": "s1"}
    assert headers(model, **asked, cache_retention="none") == {}
    router = anthropic_model(base_url="https://openrouter.ai/api")
    assert headers(router, **asked) == {"x-session-id": "s1"}


def test_each_request_begins_with_the_whole_of_the_one_before() -> None:
    conversation = rich_conversation(THINKER, "sig")
    long = body(THINKER, *conversation, cache_retention="none")
    for end in range(2, len(conversation)):
        if conversation[end - 1].role != "user":
            continue
        short = body(THINKER, *conversation[:end], cache_retention="none")
        assert long["messages"][: len(short["messages"])] == short["messages"]
