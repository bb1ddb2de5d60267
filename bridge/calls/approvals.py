"""Users' approval modes and grants, cached so that no call waits for the database."""

from __future__ import annotations

import secrets
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, TypeAlias

from bridge.audit import Audit, AuditKind
from bridge.calls.approval_policy import Grant, Subject, grant_of, needs_approval, waives_approval
from bridge.calls.open_call import ApprovalVerdict
from bridge.calls.request import CallRequest
from bridge.settings.approvals import ApprovalMode
from bridge.shared_work import SingleFlight

MAX_REMEMBERED_USERS = 10_000

MAX_GRANTS = 1_000
"""Maximum number of grants of one user; beyond it the oldest is dropped."""


Announce: TypeAlias = Callable[[str], Awaitable[None]]
"""Announces to a user's pages that their mode or grants changed."""


class ApprovalStore(Protocol):
    """Stores modes and grants across restarts."""

    async def load_approvals(self, user_id: str) -> tuple[ApprovalMode | None, Sequence[Grant]]:
        """Return what a user chose, None for nothing, and the user's grants, oldest first, some expired."""
        ...

    async def choose_approval_mode(self, user_id: str, mode: ApprovalMode | None) -> None:
        """Store a user's choice; None: the bridge's default applies."""
        ...

    async def keep_grant(self, grant: Grant) -> None:
        """Store a grant, replacing the one in the same slot."""
        ...

    async def delete_grants(self, user_id: str, grant_ids: Sequence[str]) -> None:
        """Delete grants of a user."""
        ...


@dataclass(slots=True)
class _Remembered:
    mode: ApprovalMode | None
    grants: dict[str, Grant] = field(default_factory=dict[str, Grant])


class Approvals:
    """The modes and grants of all users."""

    def __init__(
        self,
        store: ApprovalStore,
        default: ApprovalMode,
        audit: Audit,
        *,
        start: Callable[[Coroutine[Any, Any, None], str], object],
        announce: Announce | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`start` runs a coroutine in the background and logs its failure.

        `announce` tells a user's pages that their mode or grants changed.
        """
        self.default: ApprovalMode = default
        self._store = store
        self._audit = audit
        self._start = start
        self._now = now
        self._users: dict[str, _Remembered] = {}
        self._reading = SingleFlight[_Remembered]()
        self._clearings = 0
        self._announce = announce

    async def mode_of_user(self, user_id: str) -> ApprovalMode:
        """Return the mode that applies to a user."""
        return (await self._of(user_id)).mode or self.default

    async def chosen_mode(self, user_id: str) -> ApprovalMode | None:
        """Return what a user chose; None: the default applies."""
        return (await self._of(user_id)).mode

    async def choose_mode(self, user_id: str, mode: ApprovalMode | None) -> None:
        """Choose a mode, or None: the default."""
        await self._store.choose_approval_mode(user_id, mode)
        (await self._of(user_id)).mode = mode
        self._changed(user_id)

    async def list_grants(self, user_id: str) -> list[Grant]:
        """Return a user's valid grants, oldest first."""
        now = self._now()
        return [grant for grant in (await self._of(user_id)).grants.values() if not grant.is_over(now)]

    async def revoke_grants(self, user_id: str, grant_ids: Sequence[str]) -> int:
        """Revoke grants; returns how many of them existed."""
        remembered = await self._of(user_id)
        known = [grant_id for grant_id in grant_ids if remembered.grants.pop(grant_id, None) is not None]
        if known:
            await self._store.delete_grants(user_id, known)
            self._changed(user_id)
        return len(known)

    async def is_needed(self, request: CallRequest) -> bool:
        """Whether the user of a call has to be asked first."""
        user_id = request.context.user_id
        remembered = self._users.get(user_id) or await self._of(user_id)
        mode = remembered.mode or self.default
        if request.always_asks or waives_approval(mode, safe=request.safe):
            return request.always_asks
        return needs_approval(mode, _subject(request), remembered.grants.values(), self._now())

    def remember_decision(self, call_id: str, request: CallRequest, verdict: ApprovalVerdict) -> None:
        """Remember the grant that a decision implies beyond its call; never fails and never waits.

        A denial because the bridge itself gave up waiting is added to the audit log here, since no page
        reported it.
        """
        now = self._now()
        if verdict.by_bridge:
            self._note_own(call_id, request, verdict)
        user_id = request.context.user_id
        grant = grant_of(verdict.decision, secrets.token_hex(8), user_id, _subject(request), now)
        if grant is None:
            return
        made = {"grant": grant.id, "scope": grant.scope, "expires_at": grant.expires_at}
        self._audit.add_entry(
            AuditKind.GRANT,
            user_id,
            f"page {verdict.device_id}",
            call_id=call_id,
            server_id=request.server_id,
            operation_key=request.operation_key,
            detail=made,
        )
        if (remembered := self._users.get(user_id)) is not None:
            _put(remembered, grant, now)
        self._start(self._store.keep_grant(grant), f"keep a grant of {user_id}")
        self._changed(user_id)

    def _note_own(self, call_id: str, request: CallRequest, verdict: ApprovalVerdict) -> None:
        self._audit.add_entry(
            AuditKind.DECISION,
            request.context.user_id,
            "bridge",
            call_id=call_id,
            server_id=request.server_id,
            operation_key=request.operation_key,
            detail={
                "decision": verdict.decision,
                "reason": verdict.reason,
                **request.context.origin,
                "go": False,
            },
        )

    def clear_cache(self) -> None:
        """Drop all cached modes and grants: another replica, or a removed server, has changed some."""
        self._clearings += 1
        self._users.clear()

    async def _of(self, user_id: str) -> _Remembered:
        if (remembered := self._users.get(user_id)) is not None:
            return remembered
        return await self._reading.run(user_id, partial(self._read, user_id))

    async def _read(self, user_id: str) -> _Remembered:
        while (remembered := self._users.get(user_id)) is None:
            clearings = self._clearings
            mode, grants = await self._store.load_approvals(user_id)
            fresh = _Remembered(mode, {grant.id: grant for grant in grants})
            if clearings != self._clearings:
                continue  # This may be older than what the cache was cleared for.
            if len(self._users) >= MAX_REMEMBERED_USERS:
                self._users.clear()
            self._users.setdefault(user_id, fresh)
        return remembered

    def _changed(self, user_id: str) -> None:
        if self._announce is not None:
            announcing = self._announce(user_id)
            self._start(_awaited(announcing), f"announce approvals of {user_id}")


async def _awaited(work: Awaitable[None]) -> None:
    await work


def _put(remembered: _Remembered, grant: Grant, now: float) -> None:
    others = [
        each for each in remembered.grants.values() if each.slot != grant.slot and not each.is_over(now)
    ]
    remembered.grants = {each.id: each for each in [*others[-(MAX_GRANTS - 1) :], grant]}


def _subject(request: CallRequest) -> Subject:
    return Subject(
        request.server_id,
        request.operation_key,
        request.operation_digest,
        request.safe,
        request.context.chat_id,
        request.context.caller_id,
        request.always_asks,
    )
