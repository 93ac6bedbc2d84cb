"""All models a person can use: the catalogue, models.json over it, and who has a key for what."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import NamedTuple

from core.ai.catalog import KnownProvider, known_providers, model_from_json
from core.ai.messages import THINKING_LEVELS, ThinkingLevel
from core.ai.model import Model
from core.ai.thinking import clamp_level
from core.ai.wire import Json
from core.config.auth_json import StoredCredentials, read_auth
from core.config.json_file import ConfigWarning
from core.config.models_json import CustomModels, CustomProvider, read_models
from core.config.paths import ConfigPaths
from core.config.settings import Settings
from core.config.values import Unresolved, is_command, missing_variables, resolve

DEMO_REF = "demo/guide"
KEYLESS_APIS = ("demo", "scripted")
KEY_HEADERS = ("authorization", "x-api-key", "api-key")
"""Headers that can stand for a key."""

_DATED = re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2})$")


class KeyUnavailable(Exception):
    """A model's key or header cannot be had; the text names where it is configured, never a value."""


class Found(NamedTuple):
    """A model, the thinking level that the pattern asked for, and a warning for the person."""

    model: Model
    level: ThinkingLevel | None = None
    warning: str | None = None


class RequestAuth(NamedTuple):
    """What one request needs. Both are secrets: never logged, never stored."""

    api_key: str | None
    headers: Mapping[str, str | None]


@dataclass(slots=True)
class ModelRegistry:
    """Models and credentials of one start. Nothing is sent and no command is run before `credentials`."""

    settings: Settings
    known: Mapping[str, KnownProvider]
    custom: CustomModels
    stored: StoredCredentials
    env: Mapping[str, str]
    warnings: tuple[ConfigWarning, ...] = ()
    _free_key: str | None = field(default=None, repr=False)
    """The key of the command line until it is known for which provider it is."""
    _runtime_keys: dict[str, str] = field(default_factory=dict, repr=False)
    _command_values: dict[str, str] = field(default_factory=dict, repr=False)
    _models: dict[str, tuple[Model, ...]] = field(default_factory=dict, repr=False)

    @classmethod
    def load(
        cls,
        paths: ConfigPaths,
        settings: Settings,
        *,
        api_key: str | None = None,
        env: Mapping[str, str] = os.environ,
    ) -> ModelRegistry:
        """Read models.json and auth.json. Never raises; what was left aside stands in `warnings`.

        `api_key` is the command line's. It goes to one provider only: that of the first model which `find` returns.
        """
        known = known_providers()
        custom = read_models(paths.models, known)
        stored = read_auth(paths.auth)
        return cls(settings, known, custom, stored, env, (*custom.warnings, *stored.warnings), api_key)

    # Models

    def all(self) -> tuple[Model, ...]:
        """Return every model, provider by provider in a fixed order, custom providers last."""
        return tuple(model for provider in self.providers for model in self.models_of(provider))

    def available(self) -> tuple[Model, ...]:
        """Return the models whose provider has credentials."""
        return tuple(m for provider in self.providers if self.has_key(provider) for m in self.models_of(provider))

    @property
    def providers(self) -> tuple[str, ...]:
        """Provider ids, the catalogue's first."""
        return tuple(dict.fromkeys((*self.known, *self.custom.providers)))

    def models_of(self, provider: str) -> tuple[Model, ...]:
        """Return the models of one provider, empty when there is no such provider."""
        if provider not in self._models:
            self._models[provider] = tuple(self._build(provider))
        return self._models[provider]

    @property
    def demo(self) -> Model:
        """The scripted guide that needs no key; never among `all` or `available`."""
        from core.ai.demo import DEMO_MODEL

        return DEMO_MODEL

    def find(self, pattern: str, provider: str | None = None) -> Found | None:
        """Return the model that a person means by `pattern`, None when there is none.

        `provider/id`, an id, or a part of an id or name; `:level` at the end asks for a thinking level. Exact matches
        come before parts, models with credentials before others, then the catalogue's order. An id that is not known
        is taken as it is when its provider is named: providers have more models than any list.
        """
        wanted = pattern.strip()
        if not wanted:
            return None
        if wanted == DEMO_REF and provider in (None, "demo"):
            return Found(self.demo)
        base, level = _split_level(wanted)
        found: Found | None = None
        if (model := self._match(wanted, provider)) is not None:
            found = Found(model)
        elif level and (model := self._match(base, provider)) is not None:
            found = Found(model, level)
        else:
            found = self._unlisted(base, provider, level)
        if found is not None and self._free_key is not None:
            self._runtime_keys[found.model.provider], self._free_key = self._free_key, None
        return found

    def usable(self, ref: str) -> Model | None:
        """Return the model with exactly this `provider/id` if there are credentials for it."""
        provider, _, model_id = ref.partition("/")
        return self._exact(model_id, provider) if self.has_key(provider) else None

    def level_for(self, model: Model, wanted: str | None = None) -> ThinkingLevel:
        """Return the level to use `model` with: `wanted`, else the saved one, made to fit what the model supports."""
        level = next((each for each in THINKING_LEVELS if each == wanted), None)
        return clamp_level(model, level or self.settings.thinking_level_for(model.ref))

    def scope(self, patterns: Iterable[str]) -> tuple[Found, ...]:
        """Return the available models for patterns as of `enabledModels`: globs, ids, parts, each with `:level`."""
        out: dict[str, Found] = {}
        available = self.available()
        for pattern in patterns:
            base, level = _split_level(pattern)
            glob = base.lower()
            if any(sign in glob for sign in "*?["):
                hits = [m for m in available if fnmatchcase(m.ref.lower(), glob) or fnmatchcase(m.id.lower(), glob)]
                for model in hits:
                    out.setdefault(model.ref, Found(model, level))
                continue
            found = self.find(pattern)
            if found is not None and self.has_key(found.model.provider):
                out.setdefault(found.model.ref, found)
        return tuple(out.values())

    def default(self) -> Model | None:
        """Return the model to start with, None when no provider has credentials.

        The saved default if it is in scope, else the first in scope; without a scope the saved default, the default of
        the first provider with credentials, or its first model.
        """
        provider, model_id = self.settings.default_provider, self.settings.default_model
        saved = self.usable(f"{provider}/{model_id}") if provider and model_id else None
        if self.settings.enabled_models and (scope := self.scope(self.settings.enabled_models)):
            refs = [found.model.ref for found in scope]
            return saved if saved is not None and saved.ref in refs else scope[0].model
        if saved is not None:
            return saved
        usable = [provider for provider in self.providers if self.has_key(provider) and self.models_of(provider)]
        for provider in usable:
            known = self.known.get(provider)
            if known is not None and (model := self._exact(known.default_model, provider)) is not None:
                return model
        return self.models_of(usable[0])[0] if usable else None

    def _exact(self, model_id: str, provider: str) -> Model | None:
        return next((model for model in self.models_of(provider) if model.id == model_id), None)

    def _match(self, text: str, provider: str | None) -> Model | None:
        lower = text.lower()
        models = [*self.available(), *self.all()]
        if provider is not None:
            models = [model for model in models if model.provider.lower() == provider.lower()]
        for model in models:
            if lower in (model.ref.lower(), model.id.lower(), model.id.lower().rpartition("/")[2]):
                return model
        head, slash, rest = lower.partition("/")
        if slash and any(each.lower() == head for each in self.providers):
            models = [model for model in models if model.provider.lower() == head]
            lower = rest
        if not lower:
            return None
        parts = [model for model in models if lower in model.id.lower() or lower in model.name.lower()]
        undated = [model for model in parts if not _DATED.search(model.id)]
        return next(iter(undated or parts), None)

    def _unlisted(self, text: str, provider: str | None, level: ThinkingLevel | None) -> Found | None:
        """A model that no list has, made like the first one of its provider."""
        head, slash, rest = text.partition("/")
        named = next((each for each in self.providers if slash and each.lower() == head.lower()), None)
        owner = next((each for each in self.providers if provider and each.lower() == provider.lower()), None)
        if provider is None:
            owner = named
        model_id = rest if named is not None and owner == named else text
        like = self.models_of(owner)[:1] if owner else ()
        if not like or not model_id:
            return None
        plain = {"id": model_id, "name": model_id, "cost": None, "thinking_level_map": None}
        model = like[0].model_copy(update=plain)
        return Found(model, level, f'"{model_id}" is not in the list of {owner}; it is asked for as it is')

    # Building

    def _build(self, provider: str) -> Iterable[Model]:
        known, custom = self.known.get(provider), self.custom.providers.get(provider)
        base = known.models() if known else ()
        if known and known.base_url_env and (url := self.env.get(known.base_url_env, "").strip()):
            base = tuple(model.model_copy(update={"base_url": url}) for model in base)
        if custom is None:
            return base
        if custom.base_url:
            base = tuple(model.model_copy(update={"base_url": custom.base_url}) for model in base)
        if custom.compat:
            base = tuple(
                model.model_copy(update={"compat": {**custom.compat, **(model.compat or {})}}) for model in base
            )
        models = {model.id: _overridden(model, custom.overrides.get(model.id)) for model in base}
        for entry in custom.models:
            models[entry["id"]] = _custom_model(entry, custom, known)
        return models.values()

    # Credentials

    def has_key(self, provider: str) -> bool:
        """True when a key for `provider` is configured; a `!command` counts, it is not run."""
        if provider in self._runtime_keys:
            return True
        stored = self.stored.keys.get(provider)
        if stored is not None and not missing_variables(stored.key, {**self.env, **stored.env}):
            return True
        custom = self.custom.providers.get(provider)
        if custom is not None and custom.api_key and not missing_variables(custom.api_key, self.env):
            return True
        known = self.known.get(provider)
        return known is not None and any(self.env.get(name) for name in known.env)

    async def credentials(self, model: Model) -> RequestAuth:
        """Return the key and headers for a request to `model`; runs `!commands` in a thread. Raises KeyUnavailable."""
        if model.api in KEYLESS_APIS:
            return RequestAuth(None, {})
        provider = model.provider
        custom = self.custom.providers.get(provider)
        key = await self._key(provider, custom)
        headers: dict[str, str | None] = {}
        sources: list[Mapping[str, str | None]] = [custom.headers] if custom else []
        sources.append(model.headers or {})
        for source in sources:
            for name, text in source.items():
                where = f'the header "{name}" of {provider} in models.json'
                headers[name] = None if text is None else await self._value(text, self.env, where)
        if custom is not None and custom.auth_header and key is not None:
            headers.setdefault("Authorization", f"Bearer {key}")
        if key is None and not any(headers[name] for name in headers if name.lower() in KEY_HEADERS):
            raise KeyUnavailable(self.how_to_add_key(provider))
        return RequestAuth(key, headers)

    async def _key(self, provider: str, custom: CustomProvider | None) -> str | None:
        if provider in self._runtime_keys:
            return self._runtime_keys[provider]
        stored = self.stored.keys.get(provider)
        if stored is not None:
            where = f'the key of "{provider}" in auth.json'
            if not is_command(stored.key):
                return await self._value(stored.key, {**self.env, **stored.env}, where)
            if stored.key not in self._command_values:
                self._command_values[stored.key] = await self._value(stored.key, self.env, where)
            return self._command_values[stored.key]
        if custom is not None and custom.api_key:
            return await self._value(custom.api_key, self.env, f'"apiKey" of {provider} in models.json')
        known = self.known.get(provider)
        return next((self.env[name].strip() for name in known.env if self.env.get(name)), None) if known else None

    async def _value(self, text: str, env: Mapping[str, str], where: str) -> str:
        try:
            if is_command(text):
                return await asyncio.to_thread(resolve, text, env)
            return resolve(text, env)
        except Unresolved as error:
            raise KeyUnavailable(f"{where} cannot be used: {error}") from error

    def how_to_add_key(self, provider: str) -> str:
        """Return one sentence that tells how a person gives a key for `provider`."""
        known = self.known.get(provider)
        login = " (its OAuth login in auth.json is not supported yet)" if provider in self.stored.logins else ""
        ways = [f"set {' or '.join(known.env)}"] if known else []
        ways.append(f'add "apiKey" for "{provider}" to models.json, or a key to auth.json')
        return f"There is no API key for {provider}{login}: {', or '.join(ways)}"


def _overridden(model: Model, override: Mapping[str, Json] | None) -> Model:
    """Objects merge field by field, everything else is replaced."""
    if not override:
        return model
    fields = model.to_wire()
    for key, value in override.items():
        below = fields.get(key)
        fields[key] = {**below, **value} if isinstance(below, dict) and isinstance(value, dict) else value
    return model_from_json({**fields, "id": model.id, "provider": model.provider})


def _custom_model(entry: Mapping[str, Json], custom: CustomProvider, known: KnownProvider | None) -> Model:
    fields: dict[str, Json] = {
        "name": entry["id"],
        "api": custom.api or (known.api if known else None),
        "baseUrl": custom.base_url or (known.base_url if known else None),
        **{key: value for key, value in entry.items() if value is not None},
        "provider": custom.id,
    }
    compat = {**custom.compat, **(entry.get("compat") or {})}
    if compat:
        fields["compat"] = compat
    return model_from_json(fields)


def _split_level(pattern: str) -> tuple[str, ThinkingLevel | None]:
    """Take a thinking level off the end: `id:high` is ("id", "high"); what is no level stays part of the id."""
    base, colon, suffix = pattern.rpartition(":")
    level = next((each for each in THINKING_LEVELS if each == suffix.lower()), None) if colon and base else None
    return (base, level) if level else (pattern, None)
