"""Which of a user's calls a reader wants to see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from bridge.calls.call_facts import CallFacts
from bridge.calls.state_machine import CallState

CallKind: TypeAlias = Literal["good", "bad", "not_made"]
"""Kinds of ended calls that a reader tells apart: `not_made` ones were denied or cancelled."""

CALL_KINDS: tuple[CallKind, ...] = get_args(CallKind)

STATES_OF: Mapping[CallKind, frozenset[CallState]] = {
    "good": frozenset({CallState.SUCCEEDED}),
    "bad": frozenset({CallState.FAILED, CallState.EXPIRED, CallState.OUTCOME_UNKNOWN}),
    "not_made": frozenset({CallState.DENIED, CallState.CANCELLED}),
}


@dataclass(frozen=True, slots=True)
class CallFilter:
    """What all calls of a list have in common; None and "": anything."""

    server_id: str | None = None
    operation_key: str | None = None
    asked_by: str | None = None
    kind: CallKind | None = None
    since: float | None = None
    """Time at which the oldest may have been opened."""
    words: str = ""
    """Part of the name of a tool, or of the key of an operation, in small or capital letters."""

    def includes(self, call: CallFacts) -> bool:
        """Return whether a call, open or ended, belongs into the list."""
        return (
            self.server_id in (None, call.server)
            and self.operation_key in (None, call.operation)
            and self.asked_by in (None, call.asked_by)
            and (self.kind is None or call.state in STATES_OF[self.kind])
            and (self.since or 0.0) <= call.opened_at
            and any(self.words.lower() in each.lower() for each in (call.tool, call.operation))
        )


ALL_CALLS = CallFilter()
