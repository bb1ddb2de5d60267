"""What ended calls add up to: their number, failures and times, by time, server and tool. Pure."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bridge.calls.state_machine import CallState

_FAILED = frozenset({CallState.FAILED, CallState.EXPIRED, CallState.OUTCOME_UNKNOWN})
_NOT_MADE = frozenset({CallState.DENIED, CallState.CANCELLED})
"""Ended because somebody wanted it so, which is no failure; their time says nothing of the API."""

_FIRST_ERROR_STATUS = 400


@dataclass(frozen=True, slots=True)
class EndedCall:
    """A call that has ended. Times are UTC seconds since 1970."""

    tool: str
    server_id: str
    state: CallState
    http_status: int | None
    opened_at: float
    began_at: float
    """When its user had decided, or when it was opened: what came before was no wait for the API."""
    ended_at: float

    @property
    def has_failed(self) -> bool:
        """Whether it brought no answer, or one of a status that means an error."""
        return self.state in _FAILED or (self.http_status or 0) >= _FIRST_ERROR_STATUS


@dataclass(frozen=True, slots=True)
class CallFigures:
    """Figures of some calls. Milliseconds count from the decision to the end; None: no call was made."""

    calls: int
    failed: int
    not_made: int
    median_ms: float | None
    p95_ms: float | None


def figures_of(calls: Sequence[EndedCall]) -> CallFigures:
    """Return the figures of some calls."""
    not_made = sum(call.state in _NOT_MADE for call in calls)
    times = sorted(1000 * (call.ended_at - call.began_at) for call in calls if call.state not in _NOT_MADE)
    return CallFigures(
        calls=len(calls),
        failed=sum(call.has_failed for call in calls),
        not_made=not_made,
        median_ms=_percentile(times, 0.5),
        p95_ms=_percentile(times, 0.95),
    )


def group_figures(
    calls: Iterable[EndedCall], key: Callable[[EndedCall], tuple[str, ...]]
) -> list[tuple[tuple[str, ...], CallFigures]]:
    """Return the figures of calls with an equal key, most calls first."""
    groups: defaultdict[tuple[str, ...], list[EndedCall]] = defaultdict(list)
    for call in calls:
        groups[key(call)].append(call)
    figures = [(name, figures_of(group)) for name, group in groups.items()]
    return sorted(figures, key=lambda pair: (-pair[1].calls, pair[0]))


def count_by_time(calls: Iterable[EndedCall], *, since: float, until: float, parts: int) -> list[CallFigures]:
    """Return the figures of `parts` equal stretches of time, oldest first; other calls are left out."""
    stretches: list[list[EndedCall]] = [[] for _ in range(parts)]
    for call in calls:
        place = math.floor((call.opened_at - since) / (until - since) * parts)
        if 0 <= place < parts:
            stretches[place].append(call)
    return [figures_of(stretch) for stretch in stretches]


def _percentile(sorted_times: Sequence[float], share: float) -> float | None:
    if not sorted_times:
        return None
    return sorted_times[math.ceil(share * len(sorted_times)) - 1]
