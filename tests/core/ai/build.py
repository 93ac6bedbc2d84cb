"""Short constructors for the tests of adapters."""

from __future__ import annotations

from core.ai.anthropic_stream import AnthropicParser
from core.ai.builder import MessageBuilder
from core.ai.messages import (
    AssistantContent,
    AssistantMessage,
    ImageContent,
    LlmMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserContent,
    UserMessage,
)
from core.ai.model import Model, ModelRequest, RequestOptions
from core.ai.openai_chat_stream import ChatParser
from core.ai.sse import SseDecoder
from core.ai.stream import StreamEvent
from core.ai.wire import Json

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
IMAGE = ImageContent(data=PNG, mime_type="image/png")


def anthropic_model(**fields: Json) -> Model:
    """A model of a third party that speaks Anthropic's format."""
    base: dict[str, Json] = {
        "id": "claude-test",
        "name": "Claude Test",
        "api": "anthropic-messages",
        "provider": "fake",
        "base_url": "http://127.0.0.1:9",
        "input": ("text", "image"),
        "context_window": 200_000,
        "max_tokens": 32_000,
    }
    return Model.model_validate({**base, **fields})


def chat_model(**fields: Json) -> Model:
    """A model of a third party that speaks Chat Completions."""
    base: dict[str, Json] = {
        "id": "gpt-test",
        "name": "GPT Test",
        "api": "openai-completions",
        "provider": "fake",
        "base_url": "http://127.0.0.1:9/v1",
        "input": ("text", "image"),
        "context_window": 200_000,
        "max_tokens": 16_384,
    }
    return Model.model_validate({**base, **fields})


def ask(model: Model, *messages: LlmMessage, **options: Json) -> ModelRequest:
    """A request with these messages, by default one short question."""
    values: dict[str, Json] = {"api_key": "test-key", **options}
    return ModelRequest(model, messages or (user("hi"),), options=RequestOptions(**values))


def user(*content: str | UserContent) -> UserMessage:
    """A user message in list form."""
    return UserMessage(content=tuple(_block(item) for item in content), timestamp=1)


def assistant(
    model: Model, *content: str | AssistantContent, stop_reason: str = "stop", **fields: Json
) -> AssistantMessage:
    """A reply made by `model`."""
    return AssistantMessage.model_validate(
        {
            "content": tuple(TextContent(text=item) if isinstance(item, str) else item for item in content),
            "api": model.api,
            "provider": model.provider,
            "model": model.id,
            "stop_reason": stop_reason,
            "timestamp": 1,
            **fields,
        }
    )


def call(call_id: str, name: str = "read", **fields: Json) -> ToolCall:
    """A tool call."""
    return ToolCall.model_validate({"id": call_id, "name": name, "arguments": {"path": "a.txt"}, **fields})


def result(call_id: str, *content: str | UserContent, is_error: bool = False) -> ToolResultMessage:
    """The answer to a call."""
    blocks = tuple(_block(item) for item in content)
    return ToolResultMessage(tool_call_id=call_id, tool_name="read", content=blocks, is_error=is_error, timestamp=1)


def thinking(text: str, signature: str | None = None, **fields: Json) -> ThinkingContent:
    """A thinking block."""
    return ThinkingContent.model_validate({"thinking": text, "thinking_signature": signature, **fields})


def used(total: int) -> Usage:
    """Usage of so many tokens."""
    return Usage(input=total, total_tokens=total)


def _block(item: str | UserContent) -> UserContent:
    return TextContent(text=item) if isinstance(item, str) else item


def parse_anthropic(data: bytes, reply: MessageBuilder, step: int = 0) -> list[StreamEvent]:
    """The events of a whole Anthropic stream, fed `step` bytes at a time (0: at once)."""
    return _parse(data, AnthropicParser(reply), step)


def parse_chat(
    data: bytes, reply: MessageBuilder, step: int = 0, *, finish_reason_required: bool = True
) -> list[StreamEvent]:
    """The events of a whole Chat Completions stream."""
    return _parse(data, ChatParser(reply, finish_reason_required=finish_reason_required), step)


def _parse(data: bytes, parser: AnthropicParser | ChatParser, step: int) -> list[StreamEvent]:
    decoder = SseDecoder()
    size = step or max(1, len(data))
    out: list[StreamEvent] = []
    for start in range(0, len(data), size):
        for event in decoder.feed(data[start : start + size]):
            out.extend(parser.feed(event))
    for event in decoder.end():
        out.extend(parser.feed(event))
    out.extend(parser.finish())
    return out
