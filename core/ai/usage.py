"""What a response costs."""

from __future__ import annotations

from core.ai.messages import Cost, Usage
from core.ai.model import Prices

PER_MILLION = 1_000_000


def priced(usage: Usage, prices: Prices | None) -> Usage:
    """Return `usage` with its cost in US dollars.

    The highest tier below the prompt size (input + cache read + cache write) prices the whole request. Cache writes
    kept for one hour cost twice the input rate (Anthropic's price list). Without prices the cost stays zero.
    """
    if prices is None:
        return usage
    prompt = usage.input + usage.cache_read + usage.cache_write
    tiers = [tier for tier in prices.tiers or () if tier.input_tokens_above < prompt]
    rate = max(tiers, key=lambda tier: tier.input_tokens_above) if tiers else prices
    long_write = usage.cache_write_1h or 0
    parts = {
        "input": usage.input * rate.input / PER_MILLION,
        "output": usage.output * rate.output / PER_MILLION,
        "cache_read": usage.cache_read * rate.cache_read / PER_MILLION,
        "cache_write": ((usage.cache_write - long_write) * rate.cache_write + long_write * 2 * rate.input)
        / PER_MILLION,
    }
    cost = Cost(**parts, total=sum(parts.values()), total_from_provider=usage.cost.total_from_provider)
    return usage.model_copy(update={"cost": cost})
