"""Which calls wait for their user's approval, and what an approval covers. Pure: no clock, no store.

The page applies the same rules to its own copy of what was accepted and granted; the user is asked if either
side requires it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from bridge.settings.approvals import ApprovalMode

GrantScope = Literal["chat", "timed", "always"]

TIMED_S = 30 * 60.0
"""Seconds that a grant for "30 minutes" holds; offered when no chat is known."""

CHAT_S = 24 * 3600.0
"""Seconds that a grant for "this chat" holds: a chat resumed days later asks again. Chosen by feel."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The operation a call wants to run, as its user accepted it, and who asks for it in which chat."""

    server_id: str
    operation_key: str
    digest: str
    safe: bool
    chat_id: str | None = None
    caller_id: str | None = None
    """See `CallContext`."""
    always_asks: bool = False
    """Whether its document or an edit says that each call waits for its user."""


@dataclass(frozen=True, slots=True)
class Grant:
    """A user's permission for calls of one operation, in its current version, to run without asking.

    Times are UTC seconds since 1970.
    """

    id: str
    user_id: str
    server_id: str
    operation_key: str
    digest: str
    scope: GrantScope
    chat_id: str | None
    """Set only with the scope `chat`."""
    granted_at: float
    expires_at: float | None
    """None: valid until it is revoked or the operation changes."""
    caller_id: str | None = None
    """Set only with the scope `chat`, whose id any caller can name: the one that asked."""

    def covers_subject(self, subject: Subject, now: float) -> bool:
        """Whether calls of this subject need not ask."""
        is_it = (self.server_id, self.operation_key, self.digest) == (
            subject.server_id,
            subject.operation_key,
            subject.digest,
        )
        here, there = (self.chat_id, self.caller_id), (subject.chat_id, subject.caller_id)
        is_here = self.scope != "chat" or (None not in here and here == there)
        return is_it and is_here and not self.is_over(now)

    def is_over(self, now: float) -> bool:
        """Whether the grant has expired."""
        return self.expires_at is not None and self.expires_at <= now

    @property
    def slot(self) -> tuple[str, str, GrantScope, str | None, str | None]:
        """What the grant is about; a later grant with the same slot replaces it."""
        return self.server_id, self.operation_key, self.scope, self.chat_id, self.caller_id


def needs_approval(mode: ApprovalMode, subject: Subject, grants: Iterable[Grant], now: float) -> bool:
    """Whether a call waits for its user. Grants count in the mode `ask` too, being more specific."""
    return subject.always_asks or not (
        waives_approval(mode, safe=subject.safe)
        or any(grant.covers_subject(subject, now) for grant in grants)
    )


def waives_approval(mode: ApprovalMode, *, safe: bool) -> bool:
    """Whether no call of an operation waits in this mode, whatever was granted; but one that always asks."""
    return mode == "all" or (mode == "safe" and safe)


def grant_of(decision: str, grant_id: str, user_id: str, subject: Subject, now: float) -> Grant | None:
    """Return the grant that a decision implies beyond its call; None for `once`, or a `chat` not named."""
    ends: dict[str, float | None] = {"chat": now + CHAT_S, "timed": now + TIMED_S, "always": None}
    is_nameless = None in (subject.chat_id, subject.caller_id)
    if decision not in ends or (decision == "chat" and is_nameless):
        return None
    scope: GrantScope = "chat" if decision == "chat" else "timed" if decision == "timed" else "always"
    return Grant(
        id=grant_id,
        user_id=user_id,
        server_id=subject.server_id,
        operation_key=subject.operation_key,
        digest=subject.digest,
        scope=scope,
        chat_id=subject.chat_id if scope == "chat" else None,
        granted_at=now,
        expires_at=ends[decision],
        caller_id=subject.caller_id if scope == "chat" else None,
    )
