"""The models that are known without asking anybody."""

from urllib.parse import urlsplit

import pytest

from core.ai.catalog import CATALOG_FILE, KnownProvider, known_providers, model_from_json
from core.ai.model import Model
from core.ai.registry import UnknownApi, provider_for
from core.ai.thinking import supported_levels

PROVIDERS = list(known_providers().values())
each_provider = pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.id)


@each_provider
def test_a_provider_can_be_used(provider: KnownProvider) -> None:
    models = provider.models()
    assert provider.default_model in [model.id for model in models]
    assert len({model.id for model in models}) == len(models)
    assert provider.env
    assert urlsplit(provider.base_url).scheme == "https"
    assert not provider.base_url.endswith("/")
    assert provider_for(provider.api)


@each_provider
def test_its_models_make_sense(provider: KnownProvider) -> None:
    for model in provider.models():
        assert model.model_extra == {}
        assert 0 < model.max_tokens <= model.context_window
        assert model.provider == provider.id
        assert model.reasoning or model.thinking_level_map is None
        assert supported_levels(model)
        if model.cost is not None:
            assert 0 < model.cost.input < model.cost.output
            assert model.cost.cache_read <= model.cost.input
            for tier in model.cost.tiers or ():
                assert tier.input > model.cost.input


@each_provider
def test_models_are_what_validation_would_make_of_them(provider: KnownProvider) -> None:
    shared = {"api": provider.api, "provider": provider.id, "baseUrl": provider.base_url, "unknown": [1]}
    for entry in provider.entries:
        data = {**shared, **entry}
        assert model_from_json(data) == Model.model_validate(data)


def test_sparse_models_too() -> None:
    data = {
        "id": "m",
        "name": "m",
        "api": "a",
        "provider": "p",
        "contextWindow": 5.0,
        "cost": {"input": 1, "output": 2},
    }
    assert model_from_json(data) == Model.model_validate(data)
    assert isinstance(model_from_json(data).context_window, int)


def test_a_price_is_known_or_null_but_never_nothing() -> None:
    for provider in PROVIDERS:
        for entry in provider.entries:
            assert entry["cost"] is None or entry["cost"]["input"] > 0


def test_the_first_two_providers() -> None:
    assert [provider.id for provider in PROVIDERS[:2]] == ["anthropic", "openai"]
    assert PROVIDERS[0].base_url_env == "ANTHROPIC_BASE_URL"
    assert CATALOG_FILE.stat().st_size < 60_000


@pytest.mark.parametrize("api", ["openai-responses", "google-generative-ai"])
def test_formats_that_are_not_there_yet(api: str) -> None:
    with pytest.raises(UnknownApi, match=api):
        provider_for(api)


@pytest.mark.parametrize("api", ["anthropic-messages", "openai-completions", "demo", "scripted"])
def test_adapters(api: str) -> None:
    assert callable(provider_for(api).stream)
