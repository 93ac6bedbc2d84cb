"""Request bodies of the Chat Completions format."""

import pytest

from core.ai.messages import LlmMessage, SystemMessage, ThinkingLevel, ToolSpec, UserMessage
from core.ai.model import Model, ModelRequest
from core.ai.openai_chat_messages import NO_OUTPUT
from core.ai.openai_chat_payload import chat_payload
from core.ai.wire import Json
from tests.core.ai.build import IMAGE, PNG, ask, assistant, call, chat_model, result, thinking, user
from tests.core.ai.golden import check_golden
from tests.core.ai.rich_conversation import READ, rich_conversation
from tests.support.pairing import find_problem

MODEL = chat_model()
THINKER = chat_model(reasoning=True)
DATA_URL = f"data:image/png;base64,{PNG}"


def body(model: Model, *messages: LlmMessage, tools: tuple[ToolSpec, ...] = (), **options: Json) -> dict[str, Json]:
    request = ask(model, *messages, **options)
    return chat_payload(ModelRequest(model, request.messages, tools, request.options)).body


def headers(model: Model, **options: Json) -> dict[str, str]:
    return chat_payload(ask(model, **options)).headers


def rest(sent: dict[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in sent.items() if key not in ("model", "stream", "messages", "stream_options")}


def test_golden_body_of_a_rich_conversation() -> None:
    sent = body(THINKER, *rich_conversation(THINKER, "reasoning_content"), thinking_level="high")
    assert find_problem("openai-completions", sent) is None
    check_golden("openai_chat", sent)


def test_golden_body_for_a_model_that_sees_no_images() -> None:
    blind = chat_model(input=("text",))
    sent = body(blind, *rich_conversation(blind, "reasoning"))
    assert find_problem("openai-completions", sent) is None
    check_golden("openai_chat_blind", sent)


def test_plain_request() -> None:
    assert body(MODEL, SystemMessage(content="s"), user("q")) == {
        "model": "gpt-test",
        "stream": True,
        "stream_options": {"include_usage": True},
        "store": False,
        "max_completion_tokens": 16_384,
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": [{"type": "text", "text": "q"}]}],
    }


def test_138_images_of_all_results_come_after_them_in_one_message() -> None:
    sent = body(
        MODEL,
        user("q"),
        assistant(MODEL, call("a"), call("b")),
        result("a", "text", IMAGE),
        result("b", IMAGE),
        user("next"),
    )
    assert [message["role"] for message in sent["messages"]] == ["user", "assistant", "tool", "tool", "user", "user"]
    kinds = [part["type"] for part in sent["messages"][4]["content"]]
    assert kinds == ["text", "image_url", "image_url"]
    assert sent["messages"][4]["content"][1]["image_url"]["url"] == DATA_URL
    assert sent["messages"][2]["content"] == "text"
    assert sent["messages"][3]["content"].strip()


@pytest.mark.parametrize("text", ["", " \r\n"])
def test_a_blank_result_becomes_a_word(text: str) -> None:
    sent = body(MODEL, user("q"), assistant(MODEL, call("a")), result("a", text))
    assert sent["messages"][-1]["content"] == NO_OUTPUT


def test_assistant_text_is_one_string_and_null_when_there_are_only_calls() -> None:
    sent = body(MODEL, user("q"), assistant(MODEL, "one ", "two"), assistant(MODEL, call("a")), assistant(MODEL))
    assert [message["content"] for message in sent["messages"][1:3]] == ["one two", None]
    assert sent["messages"][2]["tool_calls"][0]["function"] == {"name": "read", "arguments": '{"path":"a.txt"}'}
    assert len(sent["messages"]) == 4


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "reasoning_text"])
def test_reasoning_goes_back_into_its_field(field: str) -> None:
    sent = body(THINKER, user("q"), assistant(THINKER, thinking("deep", field), "a"), user("r"))
    assert sent["messages"][1] == {"role": "assistant", "content": "a", field: "deep"}


def test_reasoning_goes_back_into_no_other_field() -> None:
    sent = body(THINKER, user("q"), assistant(THINKER, thinking("deep", "tool_calls"), thinking("u"), "a"), user("r"))
    assert sent["messages"][1] == {"role": "assistant", "content": "a"}


def test_reasoning_details_go_back_as_they_came() -> None:
    details = '[{"type":"reasoning.text","text":"t","signature":"s"}]'
    sent = body(THINKER, user("q"), assistant(THINKER, thinking("t", details), "a"), user("r"))
    assert sent["messages"][1]["reasoning_details"] == [{"type": "reasoning.text", "text": "t", "signature": "s"}]


def test_tools_and_what_some_endpoints_want_of_them() -> None:
    history = (user("q"), assistant(MODEL, call("a")), result("a", "r"), user("s"))
    assert "tools" not in body(MODEL, *history)
    picky = chat_model(compat={"requiresToolsWithToolHistory": True})
    assert body(picky, *history)["tools"] == []
    assert "tools" not in body(picky, user("q"))
    named = chat_model(
        compat={
            "requiresToolResultName": True,
            "requiresAssistantAfterToolResult": True,
            "requiresNonNullAssistantContent": True,
        }
    )
    sent = body(named, *history)["messages"]
    assert [message["role"] for message in sent] == ["user", "assistant", "tool", "assistant", "user"]
    assert sent[1]["content"] == ""
    assert sent[2]["name"] == "read"


def test_thinking_as_text() -> None:
    model = chat_model(reasoning=True, compat={"requiresThinkingAsText": True})
    reply = assistant(model, thinking("deep", "reasoning"), "a")
    sent = body(model, user("q"), reply, user("r"))["messages"][1]
    assert sent == {"role": "assistant", "content": "<thinking>\ndeep\n</thinking>\na"}


def test_empty_reasoning_content_where_it_is_required() -> None:
    model = chat_model(reasoning=True, compat={"requiresReasoningContentOnAssistantMessages": True})
    history = (user("q"), assistant(model, "a"), user("r"))
    assert body(model, *history, thinking_level="high")["messages"][1]["reasoning_content"] == ""
    assert "reasoning_content" not in body(model, *history)["messages"][1]


DIALECTS: list[tuple[dict[str, Json], dict[str, Json], dict[str, Json]]] = [
    ({}, {}, {"reasoning_effort": "medium"}),
    ({"supportsReasoningEffort": False}, {}, {}),
    (
        {"thinkingFormat": "openrouter"},
        {"reasoning": {"effort": "none"}},
        {"reasoning": {"effort": "medium"}},
    ),
    (
        {"thinkingFormat": "deepseek"},
        {"thinking": {"type": "disabled"}},
        {"thinking": {"type": "enabled"}, "reasoning_effort": "medium"},
    ),
    (
        {"thinkingFormat": "together", "supportsReasoningEffort": False},
        {"reasoning": {"enabled": False}},
        {"reasoning": {"enabled": True}},
    ),
    (
        {"thinkingFormat": "zai", "supportsReasoningEffort": False},
        {"thinking": {"type": "disabled"}},
        {"thinking": {"type": "enabled", "clear_thinking": False}},
    ),
    (
        {"thinkingFormat": "qwen"},
        {"enable_thinking": False},
        {"enable_thinking": True, "reasoning_effort": "medium"},
    ),
    (
        {"thinkingFormat": "qwen-chat-template"},
        {"chat_template_kwargs": {"enable_thinking": False, "preserve_thinking": True}},
        {"chat_template_kwargs": {"enable_thinking": True, "preserve_thinking": True}},
    ),
    (
        {
            "thinkingFormat": "chat-template",
            "chatTemplateKwargs": {
                "on": {"$var": "thinking.enabled"},
                "effort": {"$var": "thinking.effort"},
                "budget": {"$var": "thinking.budget"},
                "fixed": 1,
            },
        },
        {"chat_template_kwargs": {"on": False, "fixed": 1}},
        {"chat_template_kwargs": {"on": True, "effort": "medium", "budget": 8192, "fixed": 1}},
    ),
    (
        {"thinkingFormat": "baseten", "chatTemplateArgs": {"on": {"$var": "thinking.enabled"}}},
        {"chat_template_args": {"on": False}},
        {"chat_template_args": {"on": True}, "reasoning_effort": "medium"},
    ),
    ({"thinkingFormat": "string-thinking"}, {"thinking": "none"}, {"thinking": "medium"}),
    ({"thinkingFormat": "ant-ling"}, {}, {}),
    (
        {"thinkingTokenBudgetField": "thinking_budget"},
        {},
        {"reasoning_effort": "medium", "thinking_budget": 8192},
    ),
    ({"supportsThinkingTokenBudget": True}, {}, {"reasoning_effort": "medium", "thinking_token_budget": 8192}),
]


@pytest.mark.parametrize(("compat", "off", "on"), DIALECTS, ids=lambda value: str(value)[:40])
def test_dialects_of_thinking(compat: dict[str, Json], off: dict[str, Json], on: dict[str, Json]) -> None:
    model = chat_model(reasoning=True, compat=compat)
    common = rest(body(MODEL))
    assert rest(body(model)) == {**common, **off}
    assert rest(body(model, thinking_level="medium")) == {**common, **on}
    assert rest(body(chat_model(compat=compat), thinking_level="medium")) == common


@pytest.mark.parametrize(
    ("level", "format", "sent"),
    [
        ("off", "openai", {"reasoning_effort": "none"}),
        ("medium", "openai", {"reasoning_effort": "MED"}),
        ("medium", "ant-ling", {"reasoning": {"effort": "MED"}}),
        ("medium", "openrouter", {"reasoning": {"effort": "MED"}}),
        ("low", "openai", {"reasoning_effort": "MED"}),
    ],
)
def test_the_map_of_levels_gives_the_words(level: ThinkingLevel, format: str, sent: dict[str, Json]) -> None:
    levels = {"off": "none", "minimal": None, "low": None, "medium": "MED"}
    model = chat_model(reasoning=True, thinking_level_map=levels, compat={"thinkingFormat": format})
    assert rest(body(model, thinking_level=level)) == {**rest(body(MODEL)), **sent}


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://api.deepseek.com", {"max_tokens": 16_384, "thinking": {"type": "disabled"}}),
        ("https://api.moonshot.ai/v1", {"max_tokens": 16_384}),
        ("https://api.z.ai/api/coding/paas/v4", {"max_tokens": 16_384, "thinking": {"type": "disabled"}}),
        ("https://api.together.ai/v1", {"max_tokens": 16_384, "reasoning": {"enabled": False}}),
        ("https://integrate.api.nvidia.com/v1", {"max_tokens": 16_384}),
        ("https://llm.chutes.ai/v1", {"max_tokens": 16_384}),
        ("https://api.cerebras.ai/v1", {"max_completion_tokens": 16_384}),
        ("https://api.x.ai/v1", {"max_completion_tokens": 16_384}),
        (
            "https://openrouter.ai/api/v1",
            {"store": False, "max_completion_tokens": 16_384, "reasoning": {"effort": "none"}},
        ),
        ("http://localhost:11434/v1", {"store": False, "max_completion_tokens": 16_384}),
        ("https://notx.ai/v1", {"store": False, "max_completion_tokens": 16_384}),
    ],
)
def test_the_url_tells_the_dialect(url: str, expected: dict[str, Json]) -> None:
    assert rest(body(chat_model(reasoning=True, base_url=url))) == expected


def test_declared_compat_beats_the_url() -> None:
    model = chat_model(base_url="https://api.deepseek.com", compat={"supportsStore": True, "unknownFlag": 1})
    assert body(model)["store"] is False


def test_the_developer_role_is_openai_s_alone() -> None:
    system = SystemMessage(content="s")
    for url, role in (("https://api.openai.com/v1", "developer"), ("", "developer"), ("http://127.0.0.1/v1", "system")):
        assert body(chat_model(reasoning=True, base_url=url), system, user("q"))["messages"][0]["role"] == role
    assert body(chat_model(base_url=""), system, user("q"))["messages"][0]["role"] == "system"


def test_cache_keys() -> None:
    own = chat_model(base_url="https://api.openai.com/v1")
    long_id = "s" * 80
    assert body(own, session_id=long_id)["prompt_cache_key"] == "s" * 64
    assert "prompt_cache_key" not in body(own, session_id="s", cache_retention="none")
    assert "prompt_cache_key" not in body(MODEL, session_id="s")
    sent = body(MODEL, session_id="s", cache_retention="long")
    assert (sent["prompt_cache_key"], sent["prompt_cache_retention"]) == ("s", "24h")
    short = chat_model(compat={"supportsLongCacheRetention": False})
    assert "prompt_cache_retention" not in body(short, session_id="s", cache_retention="long")
    assert body(chat_model(compat={"promptCacheKeyMode": "enabled"}), session_id="s")["prompt_cache_key"] == "s"
    disabled = chat_model(base_url="", compat={"promptCacheKeyMode": "disabled"})
    assert "prompt_cache_key" not in body(disabled, session_id="s")


def test_affinity_headers() -> None:
    assert headers(MODEL, session_id="s") == {}
    assert headers(chat_model(base_url="https://openrouter.ai/api/v1"), session_id="s") == {"x-session-id": "s"}
    assert headers(chat_model(compat={"sendSessionAffinityHeaders": True}), session_id="s") == {
        "session_id": "s",
        "x-client-request-id": "s",
        "x-session-affinity": "s",
    }
    fields = {"sendSessionAffinityHeaders": True, "sessionAffinityFormat": "openai-nosession"}
    assert set(headers(chat_model(compat=fields), session_id="s")) == {"x-client-request-id", "x-session-affinity"}


def test_anthropic_markers_behind_openrouter() -> None:
    model = chat_model(id="anthropic/claude-test", base_url="https://openrouter.ai/api/v1")
    system = SystemMessage(content="s")
    sent = body(model, system, user("q"), assistant(model, "a"), user("r", IMAGE), tools=(READ,))
    marker = {"type": "ephemeral"}
    assert sent["messages"][0]["content"] == [{"type": "text", "text": "s", "cache_control": marker}]
    assert sent["tools"][-1]["cache_control"] == marker
    assert [part.get("cache_control") for part in sent["messages"][-1]["content"]] == [marker, None]
    assert str(sent).count("cache_control") == 3
    assert "cache_control" not in str(body(model, system, user("q"), tools=(READ,), cache_retention="none"))
    assert body(model, user("q"), cache_retention="long")["messages"][0]["content"][0]["cache_control"]["ttl"] == "1h"
    assert "cache_control" not in str(body(chat_model(base_url="https://openrouter.ai/api/v1"), system, user("q")))


def test_routing_and_sampling() -> None:
    model = chat_model(
        reasoning=True,
        compat={
            "openRouterRouting": {"only": ["a"]},
            "vercelGatewayRouting": {"only": ["b"]},
            "vllmPriority": 3,
            "zaiToolStream": True,
            "supportsUsageInStreaming": False,
        },
        samplingParams={"top_p": 0.9, "top_k": 5},
        samplingParamsByThinkingLevel={"high": {"top_k": 7}},
    )
    sent = body(model, user("q"), tools=(READ,), thinking_level="high", temperature=0.2)
    assert sent["provider"] == {"only": ["a"]}
    assert sent["providerOptions"] == {"gateway": {"only": ["b"]}}
    assert (sent["priority"], sent["tool_stream"], sent["top_p"], sent["top_k"]) == (3, True, 0.9, 7)
    assert sent["temperature"] == 0.2
    assert "stream_options" not in sent
    assert body(model)["top_k"] == 5


def test_user_strings_and_empty_parts() -> None:
    sent = body(MODEL, UserMessage(content="plain"), user("", IMAGE), user(""), UserMessage(content=""))
    assert [
        message["content"] if isinstance(message["content"], str) else len(message["content"])
        for message in sent["messages"]
    ] == ["plain", 1]


def test_123_lone_surrogates_never_leave() -> None:
    broken = "a\ud83db\udc00 😀"
    tool = ToolSpec(name="t", description=broken, parameters={"type": "object", "x": {broken: [broken]}})
    odd = call("c", arguments={broken: [{"x": broken}]})
    sent = body(
        MODEL,
        SystemMessage(content=broken),
        user(broken),
        assistant(MODEL, broken, odd),
        result("c", broken),
        tools=(tool,),
    )
    text = str(sent).encode("utf-8").decode()
    assert "😀" in text
    assert text.count("ab 😀") == 9


def test_each_request_begins_with_the_whole_of_the_one_before() -> None:
    conversation = rich_conversation(THINKER, "reasoning")
    long = body(THINKER, *conversation)
    for end in range(2, len(conversation)):
        if conversation[end - 1].role == "user":
            short = body(THINKER, *conversation[:end])
            assert long["messages"][1 : len(short["messages"])] == short["messages"][1:]
