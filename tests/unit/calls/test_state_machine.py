"""The life of a call: one table, checked as a whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.calls.state_machine import (
    MAY_BEGIN,
    STATE_OF,
    TERMINAL,
    TRANSITIONS,
    UNDECIDED,
    CallEvent,
    CallPhase,
    CallState,
    UnexpectedEvent,
    next_phase,
)

OPEN = [phase for phase in CallPhase if phase not in TERMINAL]
DOUBTS = [CallEvent.DEADLINE, CallEvent.STOPPED, CallEvent.PAGE_LOST, CallEvent.DOUBTFUL]


@pytest.mark.parametrize("safe", [True, False])
@pytest.mark.parametrize("phase", OPEN)
@pytest.mark.parametrize("event", [CallEvent.DEADLINE, CallEvent.STOPPED, CallEvent.PAGE_LOST])
def test_every_open_call_ends_by_a_deadline_a_stop_or_a_lost_page(
    safe: bool, phase: CallPhase, event: CallEvent
) -> None:
    """Nothing hangs: whatever phase a call is in, these three end it."""
    assert next_phase(phase, event, safe=safe) in TERMINAL


@pytest.mark.parametrize("safe", [True, False])
def test_a_call_that_has_ended_never_changes(safe: bool) -> None:
    """One ending per call: a late result must not turn a failure into a success."""
    assert not [phase for phase, _ in TRANSITIONS[safe] if phase in TERMINAL]


@pytest.mark.parametrize("phase", sorted(MAY_BEGIN))
@pytest.mark.parametrize("event", DOUBTS)
def test_an_unsafe_call_that_may_have_been_performed_is_never_called_failed(
    phase: CallPhase, event: CallEvent
) -> None:
    """Telling a model that an order failed when it may have been placed makes it order twice (ruling 4)."""
    assert next_phase(phase, event, safe=False) is CallPhase.OUTCOME_UNKNOWN


def test_a_call_that_its_page_may_not_begin_is_never_in_doubt() -> None:
    """Before the go-ahead every ending is certain, so nobody has to check what happened."""
    doubtful = {
        phase for (phase, _), after in TRANSITIONS[False].items() if after is CallPhase.OUTCOME_UNKNOWN
    }
    assert doubtful == MAY_BEGIN


def test_a_safe_call_under_doubt_is_plainly_failed_or_expired() -> None:
    """Reading twice does no harm, so the model gets the simpler word."""
    assert next_phase(CallPhase.RUNNING, CallEvent.DOUBTFUL, safe=True) is CallPhase.FAILED
    assert next_phase(CallPhase.RUNNING, CallEvent.DEADLINE, safe=True) is CallPhase.EXPIRED
    assert next_phase(CallPhase.RUNNING, CallEvent.STOPPED, safe=True) is CallPhase.CANCELLED


def test_what_was_stopped_before_it_left_is_cancelled_even_if_unsafe() -> None:
    """Non-delivery is proven, so there is nothing to doubt."""
    assert next_phase(CallPhase.RUNNING, CallEvent.WITHDRAWN, safe=False) is CallPhase.CANCELLED


def test_an_unknown_transition_is_refused() -> None:
    """An answer before the call was sent is somebody's mistake and must not settle the call."""
    with pytest.raises(UnexpectedEvent):
        next_phase(CallPhase.QUEUED, CallEvent.ANSWERED, safe=True)


def test_a_call_that_needs_approval_runs_only_after_a_decision_or_against_the_protocol() -> None:
    """However often pages come and go, the way from "must ask" to "may begin" leads through an approval."""
    table = TRANSITIONS[False]
    reached = {CallPhase.UNAPPROVED}
    while (
        fresh := {
            after
            for (phase, event), after in table.items()
            if phase in reached and event not in (CallEvent.APPROVED, CallEvent.ACCEPTED)
        }
        - reached
    ):
        reached |= fresh
    assert not reached & (MAY_BEGIN | {CallPhase.APPROVED, CallPhase.QUEUED})
    assert reached & UNDECIDED == UNDECIDED


def test_a_page_that_ran_a_call_unasked_does_not_approve_it_for_the_next_page() -> None:
    """The call that is sent again still has to ask its user."""
    unasked = next_phase(CallPhase.ASKING, CallEvent.ACCEPTED, safe=True)
    assert next_phase(unasked, CallEvent.UNSEEN, safe=True) is CallPhase.UNAPPROVED


def test_an_approved_call_is_not_asked_about_again() -> None:
    """Its page may have gone before it heard the go-ahead; the next one gets the call as granted."""
    assert next_phase(CallPhase.APPROVED, CallEvent.UNSEEN, safe=False) is CallPhase.QUEUED


def test_every_phase_has_a_state_for_callers() -> None:
    """Nothing that the bridge knows inside is missing outside, and every state can come up."""
    assert set(STATE_OF) == set(CallPhase)
    assert set(STATE_OF.values()) == set(CallState)


@given(st.booleans(), st.lists(st.sampled_from(CallEvent), max_size=30))
def test_any_history_reaches_at_most_one_ending(safe: bool, history: list[CallEvent]) -> None:
    """Messages come late, twice and in any order; the first ending stands."""
    phase, endings = CallPhase.QUEUED, set[CallPhase]()
    for event in history:
        try:
            phase = next_phase(phase, event, safe=safe)
        except UnexpectedEvent:
            continue
        if phase in TERMINAL:
            endings.add(phase)
    assert len(endings) <= 1
