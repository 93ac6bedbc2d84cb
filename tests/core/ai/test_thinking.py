"""Thinking levels of a model."""

import pytest

from core.ai.messages import THINKING_LEVELS, ThinkingLevel
from core.ai.thinking import clamp_level, fit_budget, supported_levels
from tests.core.ai.build import anthropic_model


def test_levels_of_models() -> None:
    assert supported_levels(anthropic_model()) == ("off",)
    assert supported_levels(anthropic_model(reasoning=True)) == ("off", "minimal", "low", "medium", "high")
    every = anthropic_model(reasoning=True, thinking_level_map={"xhigh": "x", "max": "m"})
    assert supported_levels(every) == THINKING_LEVELS
    some = anthropic_model(
        reasoning=True, thinking_level_map={"off": None, "minimal": None, "medium": None, "max": "m"}
    )
    assert supported_levels(some) == ("low", "high", "max")


@pytest.mark.parametrize(
    ("wanted", "given"),
    [("off", "low"), ("minimal", "low"), ("low", "low"), ("medium", "high"), ("high", "high"), ("max", "high")],
)
def test_the_next_higher_level_else_the_next_lower(wanted: ThinkingLevel, given: str) -> None:
    model = anthropic_model(reasoning=True, thinking_level_map={"off": None, "minimal": None, "medium": None})
    assert clamp_level(model, wanted) == given
    assert clamp_level(anthropic_model(), wanted) == "off"


@pytest.mark.parametrize(
    ("budget", "explicit", "cap", "fitted"),
    [
        (16_384, None, 32_000, (32_000, 16_384)),
        (16_384, None, 4_096, (4_096, 3_072)),
        (2_048, 1_000, 32_000, (3_048, 2_048)),
        (16_384, 8_000, 16_384, (16_384, 15_360)),
        (16_384, None, 1_000, (1_000, 0)),
    ],
)
def test_131_budgets_fit(budget: int, explicit: int | None, cap: int, fitted: tuple[int, int]) -> None:
    assert fit_budget(budget, explicit, cap) == fitted
