"""The life of a tool call as one table. Pure: no clock, no sockets; the dispatcher feeds it events.

`TRANSITIONS` holds all transitions. A terminal state never changes; an event that the table does not have for
the current state is refused with `UnexpectedEvent`, so that a late or duplicate message can do no harm.
"""

from __future__ import annotations

from enum import StrEnum


class CallState(StrEnum):
    """The state of a call. Everything from `succeeded` on is terminal."""

    QUEUED = "queued"
    """The call waits for a slot, or for a page."""
    SENT = "sent"
    AWAITING_APPROVAL = "awaiting_approval"
    """The page shows an approval card, or its user has approved and the call waits for a slot. Nothing is
    fetched before the bridge has given the go-ahead."""
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    DENIED = "denied"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    OUTCOME_UNKNOWN = "outcome_unknown"


class CallEvent(StrEnum):
    """What can happen to a call, as its reporter sees it."""

    SENT = "sent"
    """The message was sent to a page."""
    ACCEPTED = "accepted"
    """The page acknowledged the message and runs the call."""
    ASKED = "asked"
    """The page acknowledged the message and asks its user first."""
    APPROVED = "approved"
    """The user approved, and the bridge gave the go-ahead."""
    ANSWERED = "answered"
    """The API answered with a status below 400."""
    FAILED = "failed"
    """An answer of 400 or more, or a proven failure."""
    REFUSED = "refused"
    """The page or its user will not run the call; nothing was sent to the API."""
    TURNED_AWAY = "turned_away"
    """The call may not begin: no slot became free, its circuit breaker is open, or it cannot be recorded."""
    DEADLINE = "deadline"
    STOPPED = "stopped"
    """The caller went away or somebody pressed Stop."""
    PAGE_LOST = "page_lost"
    """The page went away and did not come back in time."""
    DOUBTFUL = "doubtful"
    """The request failed in a way that does not prove it was not performed."""
    WITHDRAWN = "withdrawn"
    """Stopped before the request left the browser."""
    UNSEEN = "unseen"
    """The page proved that it never began the call, or repeating it does no harm: it is sent again."""


TERMINAL = frozenset(
    {
        CallState.SUCCEEDED,
        CallState.FAILED,
        CallState.DENIED,
        CallState.CANCELLED,
        CallState.EXPIRED,
        CallState.OUTCOME_UNKNOWN,
    }
)

_AT_A_PAGE = (CallState.SENT, CallState.AWAITING_APPROVAL, CallState.RUNNING)

_CERTAIN: dict[tuple[CallState, CallEvent], CallState] = {
    (CallState.QUEUED, CallEvent.SENT): CallState.SENT,
    (CallState.QUEUED, CallEvent.STOPPED): CallState.CANCELLED,
    (CallState.QUEUED, CallEvent.DEADLINE): CallState.EXPIRED,
    (CallState.QUEUED, CallEvent.PAGE_LOST): CallState.FAILED,
    (CallState.QUEUED, CallEvent.TURNED_AWAY): CallState.FAILED,
    (CallState.QUEUED, CallEvent.REFUSED): CallState.DENIED,
    (CallState.SENT, CallEvent.ACCEPTED): CallState.RUNNING,
    (CallState.SENT, CallEvent.ASKED): CallState.AWAITING_APPROVAL,
    (CallState.SENT, CallEvent.APPROVED): CallState.RUNNING,
    (CallState.SENT, CallEvent.REFUSED): CallState.DENIED,
    (CallState.SENT, CallEvent.TURNED_AWAY): CallState.FAILED,
    (CallState.AWAITING_APPROVAL, CallEvent.APPROVED): CallState.RUNNING,
    (CallState.AWAITING_APPROVAL, CallEvent.REFUSED): CallState.DENIED,
    (CallState.AWAITING_APPROVAL, CallEvent.TURNED_AWAY): CallState.FAILED,
    **{
        (state, event): target
        for state in _AT_A_PAGE
        for event, target in {
            CallEvent.ANSWERED: CallState.SUCCEEDED,
            CallEvent.FAILED: CallState.FAILED,
            CallEvent.DOUBTFUL: CallState.FAILED,
            CallEvent.STOPPED: CallState.CANCELLED,
            CallEvent.DEADLINE: CallState.EXPIRED,
            CallEvent.PAGE_LOST: CallState.FAILED,
            CallEvent.WITHDRAWN: CallState.CANCELLED,
            CallEvent.UNSEEN: CallState.QUEUED,
        }.items()
    },
}

_DOUBT = (CallEvent.DOUBTFUL, CallEvent.STOPPED, CallEvent.DEADLINE, CallEvent.PAGE_LOST)

TRANSITIONS: dict[bool, dict[tuple[CallState, CallEvent], CallState]] = {
    False: _CERTAIN,
    True: _CERTAIN
    | {
        (state, event): CallState.OUTCOME_UNKNOWN
        for state in (CallState.SENT, CallState.RUNNING)
        for event in _DOUBT
    },
}
"""Keyed by whether the call is in doubt: an unsafe request that the page was allowed to begin. What may have
changed something is never called failed without proof (ruling 4)."""


class UnexpectedEvent(Exception):
    """An event that the table does not have for this state: late, duplicate, or a bug of ours."""


def next_state(state: CallState, event: CallEvent, *, in_doubt: bool) -> CallState:
    """Return the state after `event`; `in_doubt`: the call is unsafe and its page was allowed to begin it.

    Raises:
        UnexpectedEvent: the table has no such transition; the state stays as it is.
    """
    try:
        return TRANSITIONS[in_doubt][state, event]
    except KeyError:
        raise UnexpectedEvent(f"{event.value} in state {state.value}") from None
