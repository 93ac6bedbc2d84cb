"""Refuse what the real APIs refuse: wrong roles, tool calls without results, results without calls.

`find_problem` returns the first problem of a request body as a sentence that names the place, or None. A client that
sends such a request would get HTTP 400 from the provider; the scripted server answers the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from pydantic import JsonValue

from tests.support.script import Api, JsonObject

_ANTHROPIC_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MAX_CACHE_MARKERS = 4
_MAX_OPENAI_ID = 40


def find_problem(api: Api, body: JsonObject) -> str | None:
    """The first reason why a provider of this format would answer 400, or None."""
    check = _anthropic if api == "anthropic-messages" else _openai
    return next(check(body), None)


def _objects(value: JsonValue) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _blank(value: JsonValue) -> bool:
    return not isinstance(value, str) or not value.strip()


def _duplicates(names: list[str]) -> list[str]:
    return sorted({name for name in names if names.count(name) > 1})


def _tool_names(tools: list[JsonObject]) -> Iterator[str]:
    names = [str(tool.get("name", "")) for tool in tools]
    for name in names:
        if not _TOOL_NAME.fullmatch(name):
            yield f"tools: {name!r} is no valid tool name"
    for name in _duplicates(names):
        yield f"tools: the name {name!r} is used twice"


def _anthropic(body: JsonObject) -> Iterator[str]:
    if not isinstance(body.get("max_tokens"), int):
        yield "max_tokens: a whole number is required"
    if not body.get("model"):
        yield "model: a model id is required"
    messages = _objects(body.get("messages"))
    if not messages:
        yield "messages: at least one message is required"
    if json.dumps(body).count('"cache_control":') > _MAX_CACHE_MARKERS:
        yield f"cache_control: at most {_MAX_CACHE_MARKERS} markers are allowed"
    yield from _tool_names(_objects(body.get("tools")))
    open_ids: list[str] = []
    seen: list[str] = []
    for index, message in enumerate(messages):
        where = f"messages.{index}"
        role, content = message.get("role"), message.get("content")
        if role not in ("user", "assistant"):
            yield f"{where}: role {role!r} is not one of user, assistant"
        if index == 0 and role != "user":
            yield f"{where}: the first message must have the role user"
        if isinstance(content, str):
            blocks: list[JsonObject] = [{"type": "text", "text": content}]
        else:
            blocks = _objects(content)
        if not blocks and index < len(messages) - 1:
            yield f"{where}: content must not be empty"
        for number, block in enumerate(blocks):
            if block.get("type") == "text" and _blank(block.get("text")):
                yield f"{where}.content.{number}: text must not be blank"
            if block.get("type") == "thinking" and not block.get("signature"):
                yield f"{where}.content.{number}: a thinking block needs its signature"
        results = [str(block.get("tool_use_id")) for block in blocks if block.get("type") == "tool_result"]
        yield from _result_order(where, blocks)
        if missing := [call_id for call_id in open_ids if call_id not in results]:
            yield f"{where}: no tool_result for the tool_use ids of the message before: {', '.join(missing)}"
        if extra := [call_id for call_id in results if call_id not in open_ids]:
            yield f"{where}: tool_result without a tool_use in the message before: {', '.join(extra)}"
        if twice := _duplicates(results):
            yield f"{where}: more than one tool_result for {', '.join(twice)}"
        calls = [block for block in blocks if block.get("type") == "tool_use"]
        if calls and role != "assistant":
            yield f"{where}: tool_use belongs in assistant messages"
        for block in calls:
            if not _ANTHROPIC_ID.fullmatch(str(block.get("id"))):
                yield f"{where}: tool_use id {block.get('id')!r} has characters that are not allowed"
            if not isinstance(block.get("input"), dict):
                yield f"{where}: tool_use input must be an object"
        open_ids = [str(block.get("id")) for block in calls]
        seen.extend(open_ids)
    if open_ids:
        yield f"messages: no tool_result follows the tool_use ids {', '.join(open_ids)}"
    if twice := _duplicates(seen):
        yield f"messages: tool_use ids must be unique, these are not: {', '.join(twice)}"


def _result_order(where: str, blocks: list[JsonObject]) -> Iterator[str]:
    kinds = [block.get("type") == "tool_result" for block in blocks]
    if any(kinds) and not all(kinds[: sum(kinds)]):
        yield f"{where}: tool_result blocks must come before all other content"


def _openai(body: JsonObject) -> Iterator[str]:
    if not body.get("model"):
        yield "model: a model id is required"
    messages = _objects(body.get("messages"))
    if not messages:
        yield "messages: at least one message is required"
    yield from _tool_names([f for tool in _objects(body.get("tools")) if isinstance(f := tool.get("function"), dict)])
    open_ids: list[str] = []
    for index, message in enumerate(messages):
        where = f"messages.[{index}]"
        role, content = message.get("role"), message.get("content")
        if role not in ("system", "developer", "user", "assistant", "tool"):
            yield f"{where}: role {role!r} is not one of system, developer, user, assistant, tool"
        if role == "tool":
            call_id = str(message.get("tool_call_id"))
            if call_id not in open_ids:
                yield f"{where}: role tool must answer a call of the tool_calls before it, {call_id!r} does not"
            else:
                open_ids.remove(call_id)
            if not isinstance(content, str | list):
                yield f"{where}: content must be text or a list of parts"
            continue
        if open_ids:
            yield f"{where}: tool_calls must be followed by a tool message for each of: {', '.join(open_ids)}"
        if role != "assistant":
            if not isinstance(content, str | list):
                yield f"{where}: content must be text or a list of parts"
            continue
        calls = _objects(message.get("tool_calls"))
        if content is None and not calls:
            yield f"{where}: an assistant message needs content or tool_calls"
        if "tool_calls" in message and not calls:
            yield f"{where}: tool_calls must not be empty"
        open_ids = [str(tool_call.get("id")) for tool_call in calls]
        for tool_call in calls:
            function = tool_call.get("function")
            if not isinstance(function, dict) or not isinstance(function.get("arguments"), str):
                yield f"{where}: function arguments must be a string of JSON"
            if len(str(tool_call.get("id"))) > _MAX_OPENAI_ID:
                yield f"{where}: a tool call id has at most {_MAX_OPENAI_ID} characters"
        if twice := _duplicates(open_ids):
            yield f"{where}: tool call ids must be unique, these are not: {', '.join(twice)}"
    if open_ids:
        yield f"messages: no tool message follows the tool calls {', '.join(open_ids)}"
