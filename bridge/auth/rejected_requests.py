"""Rejected requests for the audit log: the first one at once, a burst as one entry a minute."""

from __future__ import annotations

import time
from collections.abc import Callable

from bridge.audit import Audit, AuditKind
from bridge.errors import ErrorCode

WINDOW_S = 60.0
"""Seconds between two entries of the same refusal for the same address."""

MAX_REMEMBERED = 1_000
"""Maximum number of remembered addresses and reasons; further ones share an entry."""

ACCESS_DENIED = frozenset(
    {
        ErrorCode.UNAUTHORIZED,
        ErrorCode.UNVERIFIED_USER,
        ErrorCode.PAGE_ONLY,
        ErrorCode.OPERATOR_ONLY,
        ErrorCode.INSUFFICIENT_SCOPE,
        ErrorCode.RATE_LIMITED,
        ErrorCode.FOREIGN_HOST,
        ErrorCode.FOREIGN_ORIGIN,
    }
)
"""Error codes of callers without the right to what they requested."""


class RejectedRequests:
    """Counts refusals, so that a flood of them cannot fill the log."""

    def __init__(self, audit: Audit, clock: Callable[[], float] = time.monotonic) -> None:
        self._audit = audit
        self._clock = clock
        self._recent: dict[tuple[str, str, str], tuple[float, int]] = {}

    def record_rejection(self, reason: str, actor: str, *, endpoint: str, user_id: str | None = None) -> None:
        """Count that `actor` was refused at `endpoint`: a route, or an event of the socket."""
        now = self._clock()
        key = (reason, actor, endpoint)
        if key not in self._recent and len(self._recent) >= MAX_REMEMBERED:
            self._forget(now)
            if len(self._recent) >= MAX_REMEMBERED:
                key = (reason, "many addresses", "any")
        last, times = self._recent.get(key, (now - WINDOW_S, 0))
        if now - last < WINDOW_S:
            self._recent[key] = (last, times + 1)
            return
        self._recent[key] = (now, 0)
        detail = {"code": reason, "door": key[2], "times": times + 1}
        self._audit.add_entry(AuditKind.REFUSED, user_id, key[1], detail=detail)

    def _forget(self, now: float) -> None:
        self._recent = {
            key: last_entry for key, last_entry in self._recent.items() if now - last_entry[0] < WINDOW_S
        }
