"""What a response costs."""

import pytest

from core.ai.messages import Cost, Usage
from core.ai.model import Prices, PriceTier
from core.ai.usage import priced

BASE = {"input": 1, "output": 10, "cache_read": 0.1, "cache_write": 1.25}
TIERS = (
    PriceTier(input_tokens_above=1000, input=2, output=20, cache_read=0.2, cache_write=2.5),
    PriceTier(input_tokens_above=5000, input=4, output=40, cache_read=0.4, cache_write=5),
)


@pytest.mark.parametrize(
    ("read", "factor"),
    [(0, 1), (890, 1), (891, 2), (4890, 2), (4891, 4)],
)
def test_149_the_highest_tier_below_the_prompt_prices_the_whole_request(read: int, factor: int) -> None:
    usage = Usage(input=100, output=50, cache_read=read, cache_write=10)
    cost = priced(usage, Prices(**BASE, tiers=TIERS)).cost
    assert cost.input == pytest.approx(100 * factor / 1e6)
    assert cost.output == pytest.approx(500 * factor / 1e6)
    assert cost.cache_write == pytest.approx(12.5 * factor / 1e6)
    assert cost.total == pytest.approx((100 + 500 + 12.5 + read * 0.1) * factor / 1e6)


def test_without_prices_nothing_is_made_up() -> None:
    assert priced(Usage(input=5), None).cost == Cost()


def test_the_mark_of_an_estimate_stays() -> None:
    assert priced(Usage(cost=Cost(total_from_provider=False)), Prices()).cost.total_from_provider is False
