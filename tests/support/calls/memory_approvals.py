"""A second implementation of the approval store, and work in the background that waits for a test."""

from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bridge.audit import AuditKind
from bridge.calls.approval_policy import Grant
from bridge.calls.approvals import Approvals
from bridge.settings.approvals import ApprovalMode


@dataclass
class MemoryApprovalStore:
    """Modes and grants in lists; counts how often it was read."""

    modes: dict[str, ApprovalMode] = field(default_factory=dict[str, ApprovalMode])
    grants: list[Grant] = field(default_factory=list[Grant])
    reads: int = 0

    async def load_approvals(self, user_id: str) -> tuple[ApprovalMode | None, Sequence[Grant]]:
        self.reads += 1
        grants = [grant for grant in self.grants if grant.user_id == user_id]
        return self.modes.get(user_id), grants

    async def choose_approval_mode(self, user_id: str, mode: ApprovalMode | None) -> None:
        self.modes.pop(user_id, None)
        if mode is not None:
            self.modes[user_id] = mode

    async def keep_grant(self, grant: Grant) -> None:
        same = [each for each in self.grants if (each.user_id, each.slot) != (grant.user_id, grant.slot)]
        self.grants = [*same, grant]

    async def delete_grants(self, user_id: str, grant_ids: Sequence[str]) -> None:
        self.grants = [each for each in self.grants if each.user_id != user_id or each.id not in grant_ids]


@dataclass
class BackgroundWork:
    """Work that was started, until a test lets it happen."""

    waiting: list[Coroutine[Any, Any, None]] = field(default_factory=list[Coroutine[Any, Any, None]])

    def start(self, work: Coroutine[Any, Any, None], _name: str) -> None:
        self.waiting.append(work)

    async def done(self) -> None:
        while self.waiting:
            await self.waiting.pop(0)


@dataclass
class FakeAudit:
    """Keeps what was noted: kind, actor, facts."""

    notes: list[tuple[str, str, Mapping[str, Any]]] = field(
        default_factory=list[tuple[str, str, Mapping[str, Any]]]
    )

    def add_entry(
        self,
        kind: AuditKind,
        user_id: str | None,
        actor: str,
        *,
        call_id: str | None = None,
        server_id: str | None = None,
        operation_key: str | None = None,
        detail: Mapping[str, Any] | None = None,
    ) -> None:
        self.notes.append((kind.value, actor, detail or {}))


def approve_everything() -> Approvals:
    """Approvals for tests that are about something else."""
    return Approvals(MemoryApprovalStore(), "all", FakeAudit(), start=BackgroundWork().start)
