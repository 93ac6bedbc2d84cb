"""Token estimates and the output cap."""

import pytest

from core.ai.estimate import clamp_output, estimate_message, estimate_request
from core.ai.messages import SystemMessage
from tests.core.ai.build import IMAGE, anthropic_model, assistant, call, result, thinking, used, user
from tests.core.ai.rich_conversation import READ

MODEL = anthropic_model()


def test_characters_images_and_calls() -> None:
    assert estimate_message(user("x" * 35)) == 10
    assert estimate_message(user("x" * 34)) == 10
    assert estimate_message(user(IMAGE)) == round(4800 / 3.5 + 0.5)
    assert estimate_message(assistant(MODEL, thinking("y" * 7), call("id", name="read"))) == 8
    assert estimate_message(SystemMessage(content="x" * 7, sections={"a": "y" * 7, "b": None})) == 4


def test_without_usage_everything_is_estimated() -> None:
    conversation = (user("x" * 35), assistant(MODEL, "y" * 35))
    assert estimate_request(conversation) == 20
    assert estimate_request(conversation, (READ,)) > 20 + 40


def test_the_last_usage_counts_and_what_came_after_it() -> None:
    conversation = (user("x" * 3500), assistant(MODEL, "a", usage=used(500)), result("r", "z" * 35), user("w" * 35))
    assert estimate_request(conversation, (READ,)) == 520


@pytest.mark.parametrize("stop", ["error", "aborted"])
def test_usage_of_failed_and_empty_replies_does_not_count(stop: str) -> None:
    good = assistant(MODEL, "a", usage=used(500))
    assert estimate_request((good, assistant(MODEL, "", stop_reason=stop, usage=used(9)))) == 500
    assert estimate_request((good, assistant(MODEL, "x" * 7, usage=used(0)))) == 502


def test_usage_older_than_a_message_before_it_does_not_count() -> None:
    summary = user("x" * 35).model_copy(update={"timestamp": 10})
    kept = assistant(MODEL, "y" * 35, usage=used(90_000))
    assert estimate_request((summary, kept)) == 20
    later = assistant(MODEL, "z", usage=used(300)).model_copy(update={"timestamp": 11})
    assert estimate_request((summary, kept, later)) == 300


@pytest.mark.parametrize(
    ("window", "tokens", "wanted", "cap"),
    [
        (200_000, 1_000, 32_000, 32_000),
        (200_000, 100_000, 128_000, 85_000),
        (200_000, 160_000, 128_000, 32_768),
        (200_000, 190_000, 128_000, 5_904),
        (200_000, 300_000, 128_000, 1),
        (0, 300_000, 128_000, 128_000),
        (8_192, 1_000, 16_384, 3_096),
    ],
)
def test_the_output_cap_fits_the_window(window: int, tokens: int, wanted: int, cap: int) -> None:
    assert clamp_output(anthropic_model(context_window=window), wanted, tokens) == cap
