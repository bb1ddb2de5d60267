"""How much a page may say."""

from hypothesis import given
from hypothesis import strategies as st

from bridge.browser_protocol import INLINE_RESULT_BYTES
from bridge.browsers.message_budget import (
    BURST,
    BYTES_PER_MESSAGE,
    MAX_CALL_ALLOWANCE,
    MESSAGES_PER_CALL,
    RATE_PER_S,
    MessageBudget,
    weight_of,
)


class Clock:
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_what_comes_with_a_call_is_enough_for_all_that_is_said_of_it() -> None:
    """An ack, a decision, and a result of the largest size that is not uploaded, with what JSON adds."""
    assert 1 + 1 + weight_of("x" * (INLINE_RESULT_BYTES + BYTES_PER_MESSAGE)) <= MESSAGES_PER_CALL


def test_what_is_said_unasked_comes_back_with_time_and_no_further_than_full() -> None:
    """A page that was silent for a year may not flood for an hour."""
    clock = Clock()
    budget = MessageBudget(clock)
    assert budget.spend_messages(BURST) == 0
    assert budget.spend_messages(RATE_PER_S) == 1
    clock.now += 1_000_000
    assert budget.spend_messages(BURST) == 0
    assert budget.spend_messages(1) > 0


def test_calls_are_paid_from_first_and_kept_for_no_more_than_may_be_open() -> None:
    """A page that answers its calls keeps its own for the day it needs them."""
    budget = MessageBudget(Clock())
    for _ in range(10 * MAX_CALL_ALLOWANCE):
        budget.earn_messages()
    assert budget.spend_messages(MAX_CALL_ALLOWANCE) == 0
    assert budget.spend_messages(BURST) == 0
    assert budget.spend_messages(1) > 0


@given(st.lists(st.tuples(st.integers(1, 40), st.floats(0, 2)), max_size=200))
def test_nobody_says_more_than_the_rate_in_the_long_run(said: list[tuple[int, float]]) -> None:
    """Who waits as told has said at most the burst and what came back meanwhile."""
    clock = Clock()
    budget = MessageBudget(clock)
    total = 0
    for count, silence_s in said:
        clock.now += silence_s
        total += count
        clock.now += budget.spend_messages(count)
    assert total <= BURST + (clock.now - 100.0) * RATE_PER_S + 1e-3
