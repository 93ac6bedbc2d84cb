"""Custom providers and models."""

import json
from pathlib import Path

import pytest

from core.ai.wire import Json
from core.config.models_json import CustomModels, read_models

LOCAL = {"baseUrl": "http://localhost:11434/v1", "api": "openai-completions", "apiKey": "ollama"}


def read(folder: Path, providers: Json) -> CustomModels:
    path = folder / "models.json"
    path.write_text(json.dumps({"$schema": "x", "providers": providers}))
    return read_models(path, frozenset({"anthropic"}))


def test_a_provider_with_models(tmp_path: Path) -> None:
    models = [{"id": "qwen2.5-coder:7b", "contextWindow": 32_768, "unknown": 1}]
    found = read(tmp_path, {"ollama": {**LOCAL, "headers": {"X": "$Y"}, "authHeader": True, "models": models}})
    provider = found.providers["ollama"]
    assert (provider.base_url, provider.api, provider.api_key) == tuple(LOCAL.values())
    assert provider.models == tuple(models)
    assert (provider.headers, provider.auth_header) == ({"X": "$Y"}, True)
    assert found.warnings == ()


@pytest.mark.parametrize(
    ("provider", "told"),
    [
        ({"baseUrl": 5}, "providers.p.baseUrl must be a URL"),
        ({"baseUrl": "localhost:11434"}, "providers.p.baseUrl must be a URL"),
        ({**LOCAL, "headers": {"X": 1}}, "providers.p.headers.X must be a text"),
        ({**LOCAL, "models": {}}, "providers.p.models must be a list"),
        ({**LOCAL, "authHeader": "yes"}, "providers.p.authHeader must be true or false"),
        ("text", "providers.p must be an object"),
    ],
)
def test_a_fault_of_a_provider_is_named_and_others_count(tmp_path: Path, provider: Json, told: str) -> None:
    found = read(tmp_path, {"p": provider, "good": {**LOCAL, "models": [{"id": "m"}]}})
    assert list(found.providers) == ["good"]
    (warning,) = found.warnings
    assert str(warning).startswith(str(tmp_path / "models.json"))
    assert told in str(warning)


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ({}, "models[0].id must be a text"),
        ({"id": "m", "contextWindow": "big"}, "models[0].contextWindow must be a whole number"),
        ({"id": "m", "maxTokens": 0}, "models[0].maxTokens must be a whole number"),
        ({"id": "m", "input": ["audio"]}, "models[0].input must be a list"),
        ({"id": "m", "thinkingLevelMap": {"huge": "x"}}, "models[0].thinkingLevelMap.huge: no such level"),
        ({"id": "m", "thinkingLevelMap": {"low": 5}}, "models[0].thinkingLevelMap.low must be a text or null"),
        ({"id": "m", "cost": {"input": 1}}, "models[0].cost.output must be a number"),
        ({"id": "m", "cost": {"input": -1, "output": 1, "cacheRead": 0, "cacheWrite": 0}}, "cost.input must be"),
        ({"id": "m", "reasoning": 1}, "models[0].reasoning must be true or false"),
    ],
)
def test_a_fault_of_a_model_is_named_and_others_count(tmp_path: Path, model: Json, told: str) -> None:
    found = read(tmp_path, {"p": {**LOCAL, "models": [model, {"id": "good"}]}})
    assert [each["id"] for each in found.providers["p"].models] == ["good"]
    assert told in str(found.warnings[0])


def test_a_new_provider_needs_an_address_and_a_format(tmp_path: Path) -> None:
    found = read(tmp_path, {"p": {"models": [{"id": "m"}]}, "anthropic": {"models": [{"id": "m"}]}})
    assert found.providers["p"].models == ()
    assert '"baseUrl"' in str(found.warnings[0])
    assert len(found.providers["anthropic"].models) == 1
    own = {"id": "m", "baseUrl": "http://x", "api": "anthropic-messages"}
    assert len(read(tmp_path, {"p": {"models": [own]}}).providers["p"].models) == 1


def test_overrides_need_not_be_whole(tmp_path: Path) -> None:
    overrides = {"claude": {"cost": {"input": 1}, "maxTokens": 5}, "bad": {"maxTokens": "x"}}
    found = read(tmp_path, {"anthropic": {"modelOverrides": overrides}})
    assert found.providers["anthropic"].overrides == {"claude": overrides["claude"]}
    assert "modelOverrides.bad.maxTokens" in str(found.warnings[0])


@pytest.mark.parametrize("content", ["{", "[]", '{"providers": []}'])
def test_a_broken_file(tmp_path: Path, content: str) -> None:
    path = tmp_path / "models.json"
    path.write_text(content)
    found = read_models(path, frozenset())
    assert found.providers == {}
    assert str(path) in str(found.warnings[0])


def test_secrets_are_not_shown(tmp_path: Path) -> None:
    found = read(
        tmp_path, {"p": {**LOCAL, "apiKey": "sk-secret", "headers": {"X": "sk-secret"}, "models": [{"id": "m"}]}}
    )
    assert "sk-secret" not in repr(found)
