"""The part of the store that knows what users said about asking: modes and grants."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import cast

from sqlalchemy import delete, select

from bridge.calls.approval_policy import APPROVAL_MODES, ApprovalMode, Grant, GrantScope
from bridge.storage.dialects import lock_user
from bridge.storage.sessions import Sessions
from bridge.storage.tables import ApprovalModeRow, GrantRow, ServerRow


class ApprovalTables:
    """Modes and grants. Every method is one transaction, committed when it returns."""

    def __init__(self, session: Sessions) -> None:
        self._session = session

    async def approval_mode(self, user_id: str) -> ApprovalMode | None:
        """What a user chose."""
        async with self._session() as session:
            row = await session.get(ApprovalModeRow, user_id)
            return next((mode for mode in APPROVAL_MODES if row is not None and row.mode == mode), None)

    async def choose_approval_mode(self, user_id: str, mode: ApprovalMode | None) -> None:
        """Keep a user's choice; None: the bridge's default holds."""
        async with self._session.begin() as session:
            await lock_user(session, user_id)
            await session.execute(delete(ApprovalModeRow).where(ApprovalModeRow.user_id == user_id))
            if mode is not None:
                session.add(ApprovalModeRow(user_id=user_id, mode=mode))

    async def grants(self, user_id: str) -> Sequence[Grant]:
        """A user's grants that hold, oldest first; forgets the others."""
        over = GrantRow.expires_at <= time.time()
        async with self._session.begin() as session:
            await session.execute(delete(GrantRow).where(GrantRow.user_id == user_id, over))
            mine = select(GrantRow).where(GrantRow.user_id == user_id).order_by(GrantRow.granted_at)
            return [_grant(row) for row in await session.scalars(mine)]

    async def keep_grant(self, grant: Grant) -> None:
        """Keep a grant in place of the one in the same slot, unless its server is gone."""
        same = (
            GrantRow.user_id == grant.user_id,
            GrantRow.server_id == grant.server_id,
            GrantRow.operation_key == grant.operation_key,
            GrantRow.scope == grant.scope,
            GrantRow.chat_id.is_not_distinct_from(grant.chat_id),
        )
        async with self._session.begin() as session:
            await lock_user(session, grant.user_id)
            await session.execute(delete(GrantRow).where(*same))
            if await session.get(ServerRow, grant.server_id) is not None:
                session.add(_row(grant))

    async def delete_grants(self, user_id: str, grant_ids: Sequence[str]) -> None:
        """Forget grants of a user."""
        async with self._session.begin() as session:
            named = (GrantRow.user_id == user_id, GrantRow.id.in_(grant_ids))
            await session.execute(delete(GrantRow).where(*named))


def _grant(row: GrantRow) -> Grant:
    return Grant(
        id=row.id,
        user_id=row.user_id,
        server_id=row.server_id,
        operation_key=row.operation_key,
        digest=row.digest,
        scope=cast("GrantScope", row.scope),
        chat_id=row.chat_id,
        granted_at=row.granted_at,
        expires_at=row.expires_at,
    )


def _row(grant: Grant) -> GrantRow:
    return GrantRow(
        id=grant.id,
        user_id=grant.user_id,
        server_id=grant.server_id,
        operation_key=grant.operation_key,
        digest=grant.digest,
        scope=grant.scope,
        chat_id=grant.chat_id,
        granted_at=grant.granted_at,
        expires_at=grant.expires_at,
    )
