"""An agent directory whose models are served by the scripted server: providers `fake-anthropic` and `fake-openai`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.script import Api, JsonObject

PROVIDERS: dict[Api, str] = {"anthropic-messages": "fake-anthropic", "openai-completions": "fake-openai"}
MODEL = "scripted-1"
API_KEY = "test-key"


def model_name(api: Api) -> str:
    """The `--model` argument for the scripted model of this format."""
    return f"{PROVIDERS[api]}/{MODEL}"


def write_agent_dir(folder: Path, url: str, *, settings: JsonObject | None = None, **model_fields: object) -> Path:
    """Make `folder` an agent directory: `models.json` that points at `url` (a `ModelServer.url`), and `settings.json`.

    `model_fields` (camelCase, as in the file) are added to both models, say `reasoning=True` or `contextWindow=8000`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    providers: dict[str, object] = {}
    for api, name in PROVIDERS.items():
        model: dict[str, object] = {
            "id": MODEL,
            "name": "Scripted 1",
            "contextWindow": 200_000,
            "maxTokens": 8192,
            "cost": {"input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 3.75},
            **model_fields,
        }
        base = url if api == "anthropic-messages" else f"{url}/v1"
        providers[name] = {"name": name, "baseUrl": base, "apiKey": API_KEY, "api": api, "models": [model]}
    (folder / "models.json").write_text(json.dumps({"providers": providers}, indent=2), encoding="utf-8")
    if settings is not None:
        (folder / "settings.json").write_text(json.dumps(settings, indent=2), encoding="utf-8")
    return folder
