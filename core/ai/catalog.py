"""The models that are known without asking anybody: `catalog.json` beside this file.

A price that is not known is null there and None here, never 0. Read on first use, models are built per provider.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from core.ai.model import Model, Prices, PriceTier
from core.ai.wire import Json

CATALOG_FILE = Path(__file__).with_name("catalog.json")


@dataclass(frozen=True, slots=True)
class KnownProvider:
    """One provider: its wire format, where it is, which variables hold its key and base URL, its default model."""

    id: str
    name: str
    api: str
    base_url: str
    env: tuple[str, ...]
    default_model: str
    base_url_env: str | None = None
    entries: tuple[dict[str, Json], ...] = field(default=(), repr=False)
    """The models as JSON objects with the keys of `Model`, newest first, without what all share."""

    def models(self) -> tuple[Model, ...]:
        """Return the models of this provider, newest first."""
        shared = {"api": self.api, "provider": self.id, "baseUrl": self.base_url}
        return tuple(model_from_json({**shared, **entry}) for entry in self.entries)


def model_from_json(data: Mapping[str, Json]) -> Model:
    """Return the model of checked JSON with the keys of pi's models.json; unknown keys are kept.

    Nothing is validated here: pydantic's validator for `Model` takes longer to build than all else at the start.
    """
    fields = dict(data)
    if "input" in fields:
        fields["input"] = tuple(fields["input"])
    for name in ("contextWindow", "maxTokens"):
        if name in fields:
            fields[name] = int(fields[name])
    cost = fields.get("cost")
    if cost is not None:
        tiers = cost.get("tiers")
        prices: dict[str, Json] = dict(cost)
        prices["tiers"] = None if tiers is None else tuple(PriceTier.model_construct(**tier) for tier in tiers)
        fields["cost"] = Prices.model_construct(**prices)
    return Model.model_construct(**fields)


@cache
def known_providers() -> dict[str, KnownProvider]:
    """Return the providers by id, in the order in which a start model is looked for."""
    data = json.loads(CATALOG_FILE.read_bytes())
    return {
        entry["id"]: KnownProvider(
            id=entry["id"],
            name=entry["name"],
            api=entry["api"],
            base_url=entry["baseUrl"],
            env=tuple(entry["env"]),
            default_model=entry["default"],
            base_url_env=entry.get("baseUrlEnv"),
            entries=tuple(entry["models"]),
        )
        for entry in data["providers"]
    }
