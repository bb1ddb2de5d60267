"""The life of a tool call as one table. Pure: no clock, no sockets; the dispatcher feeds it events.

`TRANSITIONS` holds all transitions between phases. A call that has ended never changes; an event that the
table does not have for the current phase is refused with `UnexpectedEvent`, so that a late or duplicate
message can do no harm. `STATE_OF` says which `CallState` a phase is for callers and in the journal, which
need less detail.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeAlias


class CallState(StrEnum):
    """The state of a call, as callers and the journal know it. Everything from `succeeded` on is terminal."""

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


class CallPhase(StrEnum):
    """Where a call is in its life, with what the bridge must know to send, repeat or end it.

    Everything from `succeeded` on is terminal.
    """

    UNAPPROVED = "unapproved"
    """Waits for a page that will ask its user; needs no slot for that."""
    QUEUED = "queued"
    """Waits for a slot, then for a page; nobody has to be asked, or the user has approved already."""
    ASKING = "asking"
    """Was sent to a page that must ask its user."""
    SENT = "sent"
    """Was sent to a page that may begin it."""
    AWAITING_APPROVAL = "awaiting_approval"
    """Its page shows an approval card."""
    APPROVED = "approved"
    """Its user has approved; its page waits for the go-ahead, which needs a slot."""
    RUNNING = "running"
    """Its page was given the go-ahead, or has begun what it was allowed to begin."""
    RUNNING_UNASKED = "running_unasked"
    """Its page says that it runs, although it was told to ask. No page of ours does this."""
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
    """The user approved."""
    STARTED = "started"
    """The bridge gave the go-ahead."""
    ANSWERED = "answered"
    """The API answered with a status below 400."""
    FAILED = "failed"
    """An answer of 400 or more, or a proven failure."""
    REFUSED = "refused"
    """The page or its user will not run the call; nothing was sent to the API."""
    DECLINED = "declined"
    """The page cannot take the call at the moment and has not begun it: it is sent again."""
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


Transitions: TypeAlias = Mapping[tuple[CallPhase, CallEvent], CallPhase]

TERMINAL = frozenset(
    {
        CallPhase.SUCCEEDED,
        CallPhase.FAILED,
        CallPhase.DENIED,
        CallPhase.CANCELLED,
        CallPhase.EXPIRED,
        CallPhase.OUTCOME_UNKNOWN,
    }
)

WITHOUT_PAGE = frozenset({CallPhase.UNAPPROVED, CallPhase.QUEUED})
"""Phases in which no page has the call."""

UNDECIDED = frozenset({CallPhase.UNAPPROVED, CallPhase.ASKING, CallPhase.AWAITING_APPROVAL})
"""Phases in which the user has still to be asked, or is being asked."""

RUNNING = frozenset({CallPhase.RUNNING, CallPhase.RUNNING_UNASKED})
"""Phases in which the page has begun the request, or may at any moment."""

MAY_BEGIN = RUNNING | {CallPhase.SENT}
"""Phases in which the page may have begun the request: an ending without a report leaves an unsafe one in
doubt. In any other phase every ending is certain."""

STATE_OF: Mapping[CallPhase, CallState] = {
    CallPhase.UNAPPROVED: CallState.QUEUED,
    CallPhase.QUEUED: CallState.QUEUED,
    CallPhase.ASKING: CallState.SENT,
    CallPhase.SENT: CallState.SENT,
    CallPhase.AWAITING_APPROVAL: CallState.AWAITING_APPROVAL,
    CallPhase.APPROVED: CallState.AWAITING_APPROVAL,
    CallPhase.RUNNING: CallState.RUNNING,
    CallPhase.RUNNING_UNASKED: CallState.RUNNING,
    **{phase: CallState(phase.value) for phase in TERMINAL},
}

_OPEN = [phase for phase in CallPhase if phase not in TERMINAL]
_AT_A_PAGE = [phase for phase in _OPEN if phase not in WITHOUT_PAGE]
_NOT_BEGUN = [phase for phase in _OPEN if phase not in MAY_BEGIN]

_CERTAIN: Transitions = {
    **{(phase, CallEvent.STOPPED): CallPhase.CANCELLED for phase in _OPEN},
    **{(phase, CallEvent.DEADLINE): CallPhase.EXPIRED for phase in _OPEN},
    **{(phase, CallEvent.PAGE_LOST): CallPhase.FAILED for phase in _OPEN},
    **{(phase, CallEvent.TURNED_AWAY): CallPhase.FAILED for phase in _NOT_BEGUN},
    **{(phase, CallEvent.REFUSED): CallPhase.DENIED for phase in (*_NOT_BEGUN, CallPhase.SENT)},
    **{(phase, CallEvent.ANSWERED): CallPhase.SUCCEEDED for phase in _AT_A_PAGE},
    **{(phase, CallEvent.FAILED): CallPhase.FAILED for phase in _AT_A_PAGE},
    **{(phase, CallEvent.DOUBTFUL): CallPhase.FAILED for phase in _AT_A_PAGE},
    **{(phase, CallEvent.WITHDRAWN): CallPhase.CANCELLED for phase in _AT_A_PAGE},
    (CallPhase.UNAPPROVED, CallEvent.SENT): CallPhase.ASKING,
    (CallPhase.QUEUED, CallEvent.SENT): CallPhase.SENT,
    (CallPhase.ASKING, CallEvent.ASKED): CallPhase.AWAITING_APPROVAL,
    (CallPhase.SENT, CallEvent.ASKED): CallPhase.AWAITING_APPROVAL,
    (CallPhase.ASKING, CallEvent.APPROVED): CallPhase.APPROVED,
    (CallPhase.SENT, CallEvent.APPROVED): CallPhase.APPROVED,
    (CallPhase.AWAITING_APPROVAL, CallEvent.APPROVED): CallPhase.APPROVED,
    (CallPhase.APPROVED, CallEvent.STARTED): CallPhase.RUNNING,
    (CallPhase.SENT, CallEvent.ACCEPTED): CallPhase.RUNNING,
    (CallPhase.APPROVED, CallEvent.ACCEPTED): CallPhase.RUNNING,
    (CallPhase.ASKING, CallEvent.ACCEPTED): CallPhase.RUNNING_UNASKED,
    (CallPhase.AWAITING_APPROVAL, CallEvent.ACCEPTED): CallPhase.RUNNING_UNASKED,
    (CallPhase.ASKING, CallEvent.DECLINED): CallPhase.UNAPPROVED,
    (CallPhase.SENT, CallEvent.DECLINED): CallPhase.QUEUED,
    (CallPhase.APPROVED, CallEvent.DECLINED): CallPhase.QUEUED,
    (CallPhase.ASKING, CallEvent.UNSEEN): CallPhase.UNAPPROVED,
    (CallPhase.AWAITING_APPROVAL, CallEvent.UNSEEN): CallPhase.UNAPPROVED,
    (CallPhase.RUNNING_UNASKED, CallEvent.UNSEEN): CallPhase.UNAPPROVED,
    (CallPhase.SENT, CallEvent.UNSEEN): CallPhase.QUEUED,
    (CallPhase.APPROVED, CallEvent.UNSEEN): CallPhase.QUEUED,
    (CallPhase.RUNNING, CallEvent.UNSEEN): CallPhase.QUEUED,
}

_DOUBT = (CallEvent.DOUBTFUL, CallEvent.STOPPED, CallEvent.DEADLINE, CallEvent.PAGE_LOST)

TRANSITIONS: Mapping[bool, Transitions] = {
    True: _CERTAIN,
    False: {
        **_CERTAIN,
        **{(phase, event): CallPhase.OUTCOME_UNKNOWN for phase in MAY_BEGIN for event in _DOUBT},
    },
}
"""Keyed by whether the request is safe. What may have changed something is never called failed without proof
(ruling 4)."""

PROOFS = frozenset({CallEvent.ASKED, CallEvent.APPROVED, CallEvent.DECLINED})
"""Events that prove that a page which was allowed to begin the request has not begun it."""


class UnexpectedEvent(Exception):
    """An event that the table does not have for this phase: late, duplicate, or a bug of ours."""


def next_phase(phase: CallPhase, event: CallEvent, *, safe: bool) -> CallPhase:
    """Return the phase after `event`; `safe`: repeating the request does no harm.

    Raises:
        UnexpectedEvent: the table has no such transition; the phase stays as it is.
    """
    try:
        return TRANSITIONS[safe][phase, event]
    except KeyError:
        raise UnexpectedEvent(f"{event.value} in phase {phase.value}") from None
