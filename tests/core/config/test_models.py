"""Which models there are, which one is meant, and what key goes where."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from core.ai.catalog import known_providers
from core.ai.model import Model
from core.ai.wire import Json
from core.config.models import KeyUnavailable, ModelRegistry
from core.config.paths import ConfigPaths
from core.config.settings import Settings

Make = Callable[..., ModelRegistry]
LOCAL: Json = {
    "baseUrl": "http://localhost:11434/v1",
    "api": "openai-completions",
    "apiKey": "ollama",
    "models": [{"id": "qwen2.5-coder:7b"}, {"id": "llama-local", "name": "Llama at home", "reasoning": True}],
}


@pytest.fixture
def make(tmp_path: Path, agent_dir: Path) -> Make:
    agent_dir.mkdir(parents=True)

    def build(
        providers: Json = None, auth: Json = None, settings: Json = None, api_key: str | None = None, **env: str
    ) -> ModelRegistry:
        paths = ConfigPaths.of(tmp_path)
        if providers is not None:
            paths.models.write_text(json.dumps({"providers": providers}))
        if auth is not None:
            paths.auth.write_text(json.dumps(auth))
            paths.auth.chmod(0o600)
        return ModelRegistry.load(paths, Settings(settings or {}), api_key=api_key, env=env)

    return build


def ref(registry: ModelRegistry, pattern: str, provider: str | None = None) -> str | None:
    found = registry.find(pattern, provider)
    return found.model.ref if found else None


def stored(**keys: str) -> Json:
    return {provider: {"type": "api_key", "key": key} for provider, key in keys.items()}


# Which models


def test_without_credentials_nothing_is_available(make: Make) -> None:
    registry = make()
    assert registry.available() == ()
    assert registry.default() is None
    assert len(registry.all()) > 50


def test_a_key_in_the_environment_makes_its_provider_available(make: Make) -> None:
    registry = make(ANTHROPIC_API_KEY="k")
    assert {model.provider for model in registry.available()} == {"anthropic"}
    assert make(ANTHROPIC_API_KEY="").available() == ()


def test_the_demo_is_found_by_its_name_only(make: Make) -> None:
    registry = make()
    assert ref(registry, "demo/guide") == "demo/guide"
    assert registry.demo.ref == "demo/guide"
    assert ref(registry, "guide") is None
    assert "demo" not in {model.provider for model in registry.all()}
    assert registry.usable("demo/guide") is None


def test_custom_providers_are_added(make: Make) -> None:
    registry = make({"ollama": LOCAL})
    first, second = registry.models_of("ollama")
    assert (first.ref, first.name, first.base_url) == ("ollama/qwen2.5-coder:7b", "qwen2.5-coder:7b", LOCAL["baseUrl"])
    assert (first.api, first.context_window, first.max_tokens, first.cost) == (
        "openai-completions",
        128_000,
        16_384,
        None,
    )
    assert second.reasoning
    assert registry.available() == (first, second)


def test_a_known_provider_gets_another_address_models_and_overrides(make: Make) -> None:
    changed = {
        "baseUrl": "https://proxy.example/v1",
        "compat": {"supportsTemperature": True, "sendSessionAffinityHeaders": True},
        "models": [{"id": "claude-custom"}, {"id": "claude-sonnet-5-5", "name": "Mine"}],
        "modelOverrides": {"claude-opus-5-5": {"cost": {"input": 99}, "maxTokens": 7}, "unknown": {"name": "x"}},
    }
    models = {model.id: model for model in make({"anthropic": changed}).models_of("anthropic")}
    opus, custom, mine = models["claude-opus-5-5"], models["claude-custom"], models["claude-sonnet-5-5"]
    assert opus.base_url == custom.base_url == "https://proxy.example/v1"
    assert opus.cost is not None
    assert (opus.cost.input, opus.cost.output, opus.max_tokens) == (99, 20, 7)
    assert opus.compat is not None
    assert opus.compat["sendSessionAffinityHeaders"] is True
    assert opus.compat["forceAdaptiveThinking"] is True
    assert opus.compat["supportsTemperature"] is False
    assert (custom.api, custom.provider) == ("anthropic-messages", "anthropic")
    assert (mine.name, mine.reasoning) == ("Mine", False)
    assert "unknown" not in models


@pytest.mark.parametrize(("provider", "name"), [("anthropic", "ANTHROPIC_BASE_URL"), ("openai", "OPENAI_BASE_URL")])
def test_base_urls_from_the_environment(make: Make, provider: str, name: str) -> None:
    env = {name: "http://127.0.0.1:1/x"}
    assert {model.base_url for model in make(**env).models_of(provider)} == {"http://127.0.0.1:1/x"}
    own = {provider: {"baseUrl": "http://127.0.0.1:2"}}
    assert {model.base_url for model in make(own, **env).models_of(provider)} == {"http://127.0.0.1:2"}
    assert make(**env).models_of("groq")[0].base_url == known_providers()["groq"].base_url


# Which one is meant


@pytest.mark.parametrize(
    ("pattern", "provider", "wanted"),
    [
        ("anthropic/claude-opus-5-5", None, "anthropic/claude-opus-5-5"),
        ("Anthropic/Claude-Opus-5-5", None, "anthropic/claude-opus-5-5"),
        ("claude-opus-5-5", None, "anthropic/claude-opus-5-5"),
        ("opus", None, "anthropic/claude-opus-5-5"),
        ("Sonnet 4.6", None, "anthropic/claude-sonnet-4-6"),
        ("haiku", "anthropic", "anthropic/claude-haiku-5-5"),
        ("openrouter/claude-opus", None, "openrouter/anthropic/claude-opus-5.5"),
        ("anthropic/claude-opus-5.5", None, "openrouter/anthropic/claude-opus-5.5"),
        ("openrouter/anthropic/claude-opus-5.5", None, "openrouter/anthropic/claude-opus-5.5"),
        ("openai/gpt-oss-120b", "groq", "groq/openai/gpt-oss-120b"),
        ("gpt-5", None, "openai/gpt-5"),
        ("qwen2.5-coder:7b", None, "ollama/qwen2.5-coder:7b"),
        ("at home", None, "ollama/llama-local"),
        ("no such model at all", None, None),
        ("", None, None),
        ("opus", "nobody", None),
    ],
)
def test_patterns(make: Make, pattern: str, provider: str | None, wanted: str | None) -> None:
    assert ref(make({"ollama": LOCAL}, ANTHROPIC_API_KEY="k"), pattern, provider) == wanted


def test_models_with_credentials_come_first(make: Make) -> None:
    assert ref(make(GROQ_API_KEY="k"), "gpt-oss-120b") == "groq/openai/gpt-oss-120b"
    assert ref(make(CEREBRAS_API_KEY="k"), "gpt-oss-120b") == "cerebras/gpt-oss-120b"
    assert ref(make(OPENROUTER_API_KEY="k"), "opus") == "openrouter/anthropic/claude-opus-5.5"


@pytest.mark.parametrize(
    ("pattern", "wanted", "level"),
    [
        ("opus:high", "anthropic/claude-opus-5-5", "high"),
        ("anthropic/claude-opus-5-5:MAX", "anthropic/claude-opus-5-5", "max"),
        ("qwen2.5-coder:7b", "ollama/qwen2.5-coder:7b", None),
        ("qwen2.5-coder:7b:low", "ollama/qwen2.5-coder:7b", "low"),
        ("anthropic/claude-next:low", "anthropic/claude-next", "low"),
    ],
)
def test_levels_in_patterns(make: Make, pattern: str, wanted: str, level: str | None) -> None:
    found = make({"ollama": LOCAL}, ANTHROPIC_API_KEY="k").find(pattern)
    assert found is not None
    assert (found.model.ref, found.level) == (wanted, level)


def test_an_id_that_no_list_has_is_taken_as_it_is(make: Make) -> None:
    registry = make()
    found = registry.find("openrouter/some/new-model")
    assert found is not None
    assert (found.model.id, found.model.provider, found.model.cost) == ("some/new-model", "openrouter", None)
    assert found.warning
    with_provider = registry.find("brand-new", "groq")
    assert with_provider is not None
    assert with_provider.model.ref == "groq/brand-new"
    assert registry.find("brand-new") is None


def test_dated_ids_come_after_others(make: Make) -> None:
    models = [{"id": "m-20250101"}, {"id": "m-2025-01-01"}, {"id": "m-latest"}]
    assert ref(make({"p": {**LOCAL, "models": models}}), "p/m") == "p/m-latest"


def test_scope(make: Make) -> None:
    registry = make({"ollama": LOCAL}, ANTHROPIC_API_KEY="k")
    found = registry.scope(["anthropic/*sonnet*:low", "haiku-5", "gpt-6.2-sol", "nothing", "ollama/*"])
    refs = [each.model.ref for each in found]
    assert refs[0] == "anthropic/claude-sonnet-5-5"
    assert {each.level for each in found if "sonnet" in each.model.id} == {"low"}
    assert "anthropic/claude-haiku-5-5" in refs
    assert not any(each.startswith("openai/") for each in refs)
    assert refs[-2:] == ["ollama/qwen2.5-coder:7b", "ollama/llama-local"]


# What to start with


@pytest.mark.parametrize(
    ("env", "wanted"),
    [
        ({"ANTHROPIC_API_KEY": "k"}, "anthropic/claude-opus-5-5"),
        ({"OPENAI_API_KEY": "k"}, "openai/gpt-6.2-sol"),
        ({"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}, "anthropic/claude-opus-5-5"),
        ({"GROQ_API_KEY": "k"}, "groq/openai/gpt-oss-120b"),
    ],
)
def test_the_first_provider_s_default(make: Make, env: dict[str, str], wanted: str) -> None:
    model = make(**env).default()
    assert model is not None
    assert model.ref == wanted


def default(registry: ModelRegistry) -> str | None:
    model = registry.default()
    return model.ref if model else None


def test_a_custom_provider_s_first_model_comes_last(make: Make) -> None:
    assert default(make({"ollama": LOCAL})) == "ollama/qwen2.5-coder:7b"
    assert default(make({"ollama": LOCAL}, XAI_API_KEY="k")) == "xai/grok-4.7"


def test_the_saved_default_needs_credentials(make: Make) -> None:
    saved = {"defaultProvider": "groq", "defaultModel": "llama-3.1-8b-instant"}
    assert default(make(settings=saved, ANTHROPIC_API_KEY="k", GROQ_API_KEY="k")) == "groq/llama-3.1-8b-instant"
    assert default(make(settings=saved, ANTHROPIC_API_KEY="k")) == "anthropic/claude-opus-5-5"
    assert default(make(settings={**saved, "defaultModel": "gone"}, GROQ_API_KEY="k")) == "groq/openai/gpt-oss-120b"


def test_the_scope_limits_the_start_model(make: Make) -> None:
    saved = {"defaultProvider": "anthropic", "defaultModel": "claude-opus-5-5"}
    inside = {**saved, "enabledModels": ["haiku-5", "opus-5-5"]}
    assert default(make(settings=inside, ANTHROPIC_API_KEY="k")) == "anthropic/claude-opus-5-5"
    outside = {**saved, "enabledModels": ["haiku-5"]}
    assert default(make(settings=outside, ANTHROPIC_API_KEY="k")) == "anthropic/claude-haiku-5-5"


def test_usable_needs_the_exact_name_and_credentials(make: Make) -> None:
    registry = make(OPENROUTER_API_KEY="k")
    assert registry.usable("openrouter/openai/gpt-oss-120b") is not None
    assert registry.usable("openrouter/gpt-oss-120b") is None
    assert registry.usable("anthropic/claude-opus-5-5") is None


def test_levels(make: Make) -> None:
    registry = make(settings={"defaultThinkingLevel": "low", "modelThinkingLevels": {"openai/gpt-5.4": "xhigh"}})
    models = {model.id: model for model in registry.all()}
    opus, gpt = models["claude-sonnet-5"], models["gpt-5.4"]
    assert registry.level_for(opus) == "low"
    assert registry.level_for(gpt) == "xhigh"
    assert registry.level_for(gpt, "max") == "xhigh"
    assert registry.level_for(gpt, "nonsense") == "xhigh"


# Keys


def model_of(registry: ModelRegistry, provider: str) -> Model:
    return registry.models_of(provider)[0]


async def key_for(registry: ModelRegistry, provider: str) -> str | None:
    return (await registry.credentials(model_of(registry, provider))).api_key


async def test_the_order_of_keys(make: Make) -> None:
    custom = {"anthropic": {"apiKey": "from-models"}}
    env = {"ANTHROPIC_API_KEY": "from-env"}
    assert await key_for(make(**env), "anthropic") == "from-env"
    assert await key_for(make(custom, **env), "anthropic") == "from-models"
    registry = make(custom, stored(anthropic="from-auth"), **env)
    assert await key_for(registry, "anthropic") == "from-auth"


async def test_the_command_line_s_key_goes_to_one_provider_only(make: Make) -> None:
    registry = make(auth=stored(anthropic="from-auth"), api_key="from-option", OPENAI_API_KEY="from-env")
    assert ref(registry, "anthropic/claude-opus-5-5") == "anthropic/claude-opus-5-5"
    assert await key_for(registry, "anthropic") == "from-option"
    assert ref(registry, "openai/gpt-5") == "openai/gpt-5"
    assert await key_for(registry, "openai") == "from-env"
    assert not registry.has_key("groq")
    assert "from-option" not in repr(registry)


async def test_nothing_configured(make: Make) -> None:
    registry = make()
    with pytest.raises(KeyUnavailable, match="no API key for anthropic: set ANTHROPIC_API_KEY"):
        await registry.credentials(model_of(registry, "anthropic"))
    assert await registry.credentials(registry.demo) == (None, {})
    login = make(auth={"anthropic": {"type": "oauth", "access": "a", "refresh": "r", "expires": 1}})
    with pytest.raises(KeyUnavailable, match="OAuth login"):
        await login.credentials(model_of(login, "anthropic"))


async def test_a_header_can_stand_for_a_key(make: Make) -> None:
    registry = make({"p": {**LOCAL, "apiKey": None, "headers": {"authorization": "Token t"}}})
    assert await registry.credentials(model_of(registry, "p")) == (None, {"authorization": "Token t"})


async def test_variables_of_the_stored_entry_beat_the_process(make: Make) -> None:
    entry = {"anthropic": {"type": "api_key", "key": "${MY_KEY}", "env": {"MY_KEY": "stored"}}}
    assert await key_for(make(auth=entry, MY_KEY="process"), "anthropic") == "stored"


async def test_a_variable_that_is_not_set_makes_a_model_unavailable(make: Make) -> None:
    registry = make({"ollama": {**LOCAL, "apiKey": "$MISSING"}})
    assert registry.available() == ()
    with pytest.raises(KeyUnavailable, match=r'"apiKey" of ollama in models\.json .*MISSING'):
        await registry.credentials(model_of(registry, "ollama"))


async def test_commands_run_per_request_in_models_json_and_once_in_auth_json(make: Make, tmp_path: Path) -> None:
    log = tmp_path / "runs"
    command = f"!echo x >> {log}; wc -l < {log} | tr -d ' '"
    registry = make({"ollama": {**LOCAL, "apiKey": command}}, stored(anthropic=command))
    assert len(registry.available()) > 2
    assert not log.exists()
    assert [await key_for(registry, "ollama") for _ in range(2)] == ["1", "2"]
    assert [await key_for(registry, "anthropic") for _ in range(2)] == ["3", "3"]


async def test_headers(make: Make) -> None:
    models = [{"id": "m", "headers": {"X-Model": "$TEAM", "X-Both": "model"}}]
    entry = {**LOCAL, "apiKey": "k", "headers": {"X-Provider": "!echo p", "X-Both": "provider"}, "models": models}
    registry = make({"p": {**entry, "authHeader": True}}, TEAM="blue")
    auth = await registry.credentials(model_of(registry, "p"))
    assert auth.headers == {"X-Provider": "p", "X-Model": "blue", "X-Both": "model", "Authorization": "Bearer k"}
    registry = make({"p": {**entry, "headers": {"X": "!exit 1"}}}, TEAM="blue")
    with pytest.raises(KeyUnavailable, match='the header "X" of p in models.json'):
        await registry.credentials(model_of(registry, "p"))


async def test_a_null_header_suppresses_a_default(make: Make) -> None:
    registry = make({"p": {**LOCAL, "headers": {"User-Agent": None}}})
    assert (await registry.credentials(model_of(registry, "p"))).headers == {"User-Agent": None}


def test_warnings_come_from_both_files(make: Make) -> None:
    registry = make({"p": "text"}, {"x": "text"})
    assert [warning.path.name for warning in registry.warnings] == ["models.json", "auth.json"]
