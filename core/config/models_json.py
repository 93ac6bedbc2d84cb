"""Custom providers and models: `models.json` in the agent directory, pi's format.

An entry with a fault is left aside with a warning that names the file and the key; all others count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.ai.messages import THINKING_LEVELS
from core.ai.wire import Json
from core.config.json_file import ConfigWarning, read_object


@dataclass(frozen=True, slots=True)
class CustomProvider:
    """One entry of `providers`. Texts of `api_key` and `headers` are in value syntax.

    `models` and `overrides` hold checked JSON objects with pi's keys.
    """

    id: str
    name: str | None = None
    base_url: str | None = None
    api: str | None = None
    api_key: str | None = field(default=None, repr=False)
    headers: Mapping[str, str | None] = field(default_factory=dict, repr=False)
    auth_header: bool = False
    compat: Mapping[str, Json] = field(default_factory=dict)
    models: tuple[dict[str, Json], ...] = ()
    overrides: Mapping[str, dict[str, Json]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CustomModels:
    """What models.json says."""

    providers: Mapping[str, CustomProvider] = field(default_factory=dict)
    warnings: tuple[ConfigWarning, ...] = ()


class _Fault(ValueError):
    """`str()` names the key and what it must be."""


def read_models(path: Path, built_in: Mapping[str, object] | frozenset[str]) -> CustomModels:
    """Read models.json. Never raises. `built_in` names the providers that need no `baseUrl` and `api` of their own."""
    data, problem = read_object(path)
    warnings = [problem] if problem else []
    providers: dict[str, CustomProvider] = {}
    entries = data.get("providers", {})
    if not isinstance(entries, dict):
        warnings.append(ConfigWarning(path, '"providers" must be an object; it is ignored'))
        entries = {}
    for name, entry in entries.items():
        where = f"providers.{name}"
        try:
            providers[name] = _provider(name, entry, where, name in built_in, path, warnings)
        except _Fault as fault:
            warnings.append(ConfigWarning(path, f"{fault}; the provider is ignored"))
    return CustomModels(providers, tuple(warnings))


def _provider(
    name: str, entry: Json, where: str, built_in: bool, path: Path, warnings: list[ConfigWarning]
) -> CustomProvider:
    fields = _object(entry, where)
    for key, check in _PROVIDER_KEYS.items():
        if fields.get(key) is not None:
            check(fields[key], f"{where}.{key}")
    models: list[dict[str, Json]] = []
    for number, model in enumerate(fields.get("models") or ()):
        spot = f"{where}.models[{number}]"
        try:
            checked = _model(model, spot)
            if not built_in:
                _require(checked, fields, spot)
            models.append(checked)
        except _Fault as fault:
            warnings.append(ConfigWarning(path, f"{fault}; the model is ignored"))
    overrides: dict[str, dict[str, Json]] = {}
    for model_id, override in (fields.get("modelOverrides") or {}).items():
        try:
            overrides[model_id] = _model(override, f"{where}.modelOverrides.{model_id}", whole=False)
        except _Fault as fault:
            warnings.append(ConfigWarning(path, f"{fault}; the override is ignored"))
    return CustomProvider(
        id=name,
        name=fields.get("name"),
        base_url=fields.get("baseUrl"),
        api=fields.get("api"),
        api_key=fields.get("apiKey"),
        headers=fields.get("headers") or {},
        auth_header=fields.get("authHeader") or False,
        compat=fields.get("compat") or {},
        models=tuple(models),
        overrides=overrides,
    )


def _require(model: Mapping[str, Json], provider: Mapping[str, Json], where: str) -> None:
    for key in ("baseUrl", "api"):
        if not (model.get(key) or provider.get(key)):
            raise _Fault(f'{where}: a new provider needs "{key}", at the provider or at the model')


def _model(value: Json, where: str, *, whole: bool = True) -> dict[str, Json]:
    fields = _object(value, where)
    if whole:
        _text(fields.get("id"), f"{where}.id")
    for key, check in _MODEL_KEYS.items():
        if fields.get(key) is not None:
            check(fields[key], f"{where}.{key}")
    cost = fields.get("cost")
    if whole and cost is not None:
        for key in ("input", "output", "cacheRead", "cacheWrite"):
            _price(cost.get(key), f"{where}.cost.{key}")
    return fields


def _object(value: Json, where: str) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise _Fault(f"{where} must be an object")
    return value


def _text(value: Json, where: str) -> None:
    if not isinstance(value, str) or not value.strip():
        raise _Fault(f"{where} must be a text that is not empty")


def _flag(value: Json, where: str) -> None:
    if not isinstance(value, bool):
        raise _Fault(f"{where} must be true or false")


def _count(value: Json, where: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0 or value != int(value):
        raise _Fault(f"{where} must be a whole number above 0")


def _price(value: Json, where: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise _Fault(f"{where} must be a number of US dollars per million tokens")


def _list(value: Json, where: str) -> None:
    if not isinstance(value, list):
        raise _Fault(f"{where} must be a list")


def _url(value: Json, where: str) -> None:
    """A web address; a path is the script of a scripted model."""
    if not isinstance(value, str) or not value.startswith(("http://", "https://", "/")):
        raise _Fault(f"{where} must be a URL that begins with http:// or https://")


def _mapping(value: Json, where: str) -> None:
    _object(value, where)


def _headers(value: Json, where: str) -> None:
    for name, text in _object(value, where).items():
        if text is not None and not isinstance(text, str):
            raise _Fault(f"{where}.{name} must be a text, or null to send no such header")


def _modalities(value: Json, where: str) -> None:
    if not isinstance(value, list) or not all(item in ("text", "image") for item in value):
        raise _Fault(f'{where} must be a list of "text" and "image"')


def _levels(value: Json, where: str) -> None:
    for level, mapped in _object(value, where).items():
        if level not in THINKING_LEVELS:
            raise _Fault(f"{where}.{level}: no such level; there are {', '.join(THINKING_LEVELS)}")
        if mapped is not None and not isinstance(mapped, str):
            raise _Fault(f"{where}.{level} must be a text or null")


def _prices(value: Json, where: str) -> None:
    fields = _object(value, where)
    for key in ("input", "output", "cacheRead", "cacheWrite"):
        if key in fields:
            _price(fields[key], f"{where}.{key}")
    tiers = fields.get("tiers")
    if tiers is None:
        return
    _list(tiers, f"{where}.tiers")
    for number, tier in enumerate(tiers):
        spot = f"{where}.tiers[{number}]"
        for key in ("input", "output", "cacheRead", "cacheWrite"):
            _price(_object(tier, spot).get(key), f"{spot}.{key}")
        _count(tier.get("inputTokensAbove"), f"{spot}.inputTokensAbove")


_Check = Callable[[Json, str], None]

_PROVIDER_KEYS: Mapping[str, _Check] = {
    "name": _text,
    "baseUrl": _url,
    "apiKey": _text,
    "api": _text,
    "headers": _headers,
    "compat": _mapping,
    "authHeader": _flag,
    "models": _list,
    "modelOverrides": _mapping,
}
_MODEL_KEYS: Mapping[str, _Check] = {
    "name": _text,
    "api": _text,
    "baseUrl": _url,
    "reasoning": _flag,
    "thinkingLevelMap": _levels,
    "input": _modalities,
    "cost": _prices,
    "contextWindow": _count,
    "maxTokens": _count,
    "samplingParams": _mapping,
    "samplingParamsByThinkingLevel": _mapping,
    "headers": _headers,
    "compat": _mapping,
}
