"""Thinking levels: which a model supports, and what a level means to a provider."""

from __future__ import annotations

from collections.abc import Mapping

from core.ai.messages import THINKING_LEVELS, ThinkingLevel
from core.ai.model import Model

DEFAULT_BUDGETS: Mapping[str, int] = {"minimal": 1024, "low": 2048, "medium": 8192, "high": 16_384}
"""Thinking tokens per level; levels above `high` share its budget."""

NEEDS_MAPPING = ("xhigh", "max")
"""Levels that exist only where the model's map names them."""

ANSWER_RESERVE = 1024
"""Tokens that a budget leaves for the answer."""


def supported_levels(model: Model) -> tuple[ThinkingLevel, ...]:
    """Return the levels that `model` supports, lowest first; a model without reasoning has only `off`."""
    if not model.reasoning:
        return ("off",)
    mapping = model.thinking_level_map or {}
    levels: list[ThinkingLevel] = []
    for level in THINKING_LEVELS:
        if level in mapping:
            if mapping[level] is not None:
                levels.append(level)
        elif level not in NEEDS_MAPPING:
            levels.append(level)
    return tuple(levels)


def clamp_level(model: Model, level: ThinkingLevel) -> ThinkingLevel:
    """Return `level`, else the next higher supported level, else the next lower one."""
    supported = supported_levels(model)
    if level in supported or not supported:
        return level if supported else "off"
    wanted = THINKING_LEVELS.index(level)
    higher = [each for each in supported if THINKING_LEVELS.index(each) > wanted]
    return higher[0] if higher else supported[-1]


def mapped_level(model: Model, level: ThinkingLevel) -> str | None:
    """Return the provider's value that the model's map gives for `level`, None where the map is silent."""
    return (model.thinking_level_map or {}).get(level)


def can_disable(model: Model) -> bool:
    """Return False for models that always think: their map says null for `off`."""
    mapping = model.thinking_level_map or {}
    return not ("off" in mapping and mapping["off"] is None)


def budget_for(level: ThinkingLevel, overrides: Mapping[str, int]) -> int:
    """Return the thinking budget of `level` in tokens, 0 for `off`."""
    if level == "off":
        return 0
    key = "high" if level in NEEDS_MAPPING else level
    return overrides.get(level, overrides.get(key, DEFAULT_BUDGETS[key]))


def fit_budget(budget: int, explicit_cap: int | None, model_cap: int) -> tuple[int, int]:
    """Return `(max_tokens, budget)` such that both fit.

    An explicit cap is for the answer alone, so the budget is added to it; without one the budget is taken out of the
    model's cap. What does not fit shrinks the budget, down to 0.
    """
    max_tokens = model_cap if explicit_cap is None else min(explicit_cap + budget, model_cap)
    if max_tokens <= budget:
        budget = max(0, max_tokens - ANSWER_RESERVE)
    return max_tokens, budget
