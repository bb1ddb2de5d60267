"""The life of a call: one table, checked as a whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.calls.state_machine import (
    TERMINAL,
    TRANSITIONS,
    CallEvent,
    CallState,
    UnexpectedEvent,
    next_state,
)

OPEN = [state for state in CallState if state not in TERMINAL]


@pytest.mark.parametrize("in_doubt", [True, False])
@pytest.mark.parametrize("state", OPEN)
@pytest.mark.parametrize("event", [CallEvent.DEADLINE, CallEvent.STOPPED, CallEvent.PAGE_LOST])
def test_every_open_call_ends_by_a_deadline_a_stop_or_a_lost_page(
    in_doubt: bool, state: CallState, event: CallEvent
) -> None:
    """Nothing hangs: whatever state a call is in, these three end it."""
    assert next_state(state, event, in_doubt=in_doubt) in TERMINAL


@pytest.mark.parametrize("in_doubt", [True, False])
def test_a_terminal_state_never_changes(in_doubt: bool) -> None:
    """Exactly one terminal state per call: a late result must not turn a failure into a success."""
    assert not [state for state, _ in TRANSITIONS[in_doubt] if state in TERMINAL]


@pytest.mark.parametrize("state", [CallState.SENT, CallState.RUNNING])
@pytest.mark.parametrize(
    "event", [CallEvent.DEADLINE, CallEvent.STOPPED, CallEvent.PAGE_LOST, CallEvent.DOUBTFUL]
)
def test_an_unsafe_call_that_may_have_been_performed_is_never_called_failed(
    state: CallState, event: CallEvent
) -> None:
    """Telling a model that an order failed when it may have been placed makes it order twice (ruling 4)."""
    assert next_state(state, event, in_doubt=True) is CallState.OUTCOME_UNKNOWN


def test_a_safe_call_under_doubt_is_plainly_failed_or_expired() -> None:
    """Reading twice does no harm, so the model gets the simpler word."""
    assert next_state(CallState.RUNNING, CallEvent.DOUBTFUL, in_doubt=False) is CallState.FAILED
    assert next_state(CallState.RUNNING, CallEvent.DEADLINE, in_doubt=False) is CallState.EXPIRED
    assert next_state(CallState.RUNNING, CallEvent.STOPPED, in_doubt=False) is CallState.CANCELLED


def test_what_was_stopped_before_it_left_is_cancelled_even_if_unsafe() -> None:
    """Non-delivery is proven, so there is nothing to doubt."""
    assert next_state(CallState.RUNNING, CallEvent.WITHDRAWN, in_doubt=True) is CallState.CANCELLED


def test_an_unknown_transition_is_refused() -> None:
    """An answer before the call was sent is somebody's mistake and must not settle the call."""
    with pytest.raises(UnexpectedEvent):
        next_state(CallState.QUEUED, CallEvent.ANSWERED, in_doubt=False)


@given(st.booleans(), st.lists(st.sampled_from(CallEvent), max_size=30))
def test_any_history_reaches_at_most_one_terminal_state(in_doubt: bool, history: list[CallEvent]) -> None:
    """Messages come late, twice and in any order; the first ending stands."""
    state, endings = CallState.QUEUED, set[CallState]()
    for event in history:
        try:
            state = next_state(state, event, in_doubt=in_doubt)
        except UnexpectedEvent:
            continue
        if state in TERMINAL:
            endings.add(state)
    assert len(endings) <= 1
