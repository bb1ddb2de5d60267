"""Preferences of users, and limits, in the database: call settings, approvals.

Each method is one transaction, committed when it returns.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from sqlalchemy import delete, select

from bridge.calls.approval_policy import Grant, GrantScope
from bridge.calls.limits.call_settings import CallSetting, SettingScope
from bridge.settings.approvals import APPROVAL_MODES, ApprovalMode
from bridge.settings.limits import Number
from bridge.storage.dialects import build_upsert, dialect_of, lock_server, lock_user
from bridge.storage.store import Store
from bridge.storage.tables import (
    ApprovalModeRow,
    CallSettingRow,
    GrantRow,
    LimitRow,
)


class LimitTables:
    """Implements the ports `LimitStore` and `CallSettingStore`."""

    def __init__(self, store: Store) -> None:
        self._session = store.sessions

    async def load_limits(self) -> Mapping[str, Number]:
        """Return the stored limits, name to value."""
        async with self._session() as session:
            return {row.name: row.value for row in await session.scalars(select(LimitRow))}

    async def save_limits(self, values: Mapping[str, Number | None]) -> None:
        """Store these values; delete those that are None."""
        async with self._session.begin_transaction(changes="limits") as session:
            for name, value in values.items():
                if value is None:
                    await session.execute(delete(LimitRow).where(LimitRow.name == name))
                else:
                    row = {"name": name, "value": float(value)}
                    await session.execute(build_upsert(dialect_of(session), LimitRow), row)

    async def call_settings(self, user_id: str) -> Mapping[SettingScope, CallSetting]:
        """Return a user's call settings."""
        query = select(CallSettingRow).where(CallSettingRow.user_id == user_id)
        async with self._session() as session:
            return {
                SettingScope(row.server_id, row.operation_key): CallSetting(
                    row.deadline_s, row.max_parallel, row.in_order
                )
                for row in await session.scalars(query)
            }

    async def save_call_setting(self, user_id: str, scope: SettingScope, setting: CallSetting) -> None:
        """Store a setting, or delete it when it is empty."""
        row = {
            "user_id": user_id,
            "server_id": scope.server_id,
            "operation_key": scope.operation_key,
            "deadline_s": setting.deadline_s,
            "max_parallel": setting.max_parallel,
            "in_order": setting.in_order,
        }
        mine = (
            CallSettingRow.user_id == user_id,
            CallSettingRow.server_id == scope.server_id,
            CallSettingRow.operation_key == scope.operation_key,
        )
        async with self._session.begin_transaction(changes="call_settings") as session:
            if setting.is_empty:
                await session.execute(delete(CallSettingRow).where(*mine))
            else:
                await session.execute(build_upsert(dialect_of(session), CallSettingRow), row)


class ApprovalTables:
    """Stores approval modes and grants. Every method is one transaction, committed when it returns."""

    def __init__(self, store: Store) -> None:
        self._session = store.sessions

    async def load_approvals(self, user_id: str) -> tuple[ApprovalMode | None, Sequence[Grant]]:
        """Return a user's choice and valid grants, oldest first; deletes the expired ones.

        The choice is None when there is none, or it is unknown here.
        """
        async with self._session() as session:
            row = await session.get(ApprovalModeRow, user_id)
            mine = select(GrantRow).where(GrantRow.user_id == user_id).order_by(GrantRow.granted_at)
            grants = [_grant(found) for found in await session.scalars(mine)]
        now = time.time()
        if over := [grant.id for grant in grants if grant.is_over(now)]:
            await self.delete_grants(user_id, over)
        chosen: Iterator[ApprovalMode] = (mode for mode in APPROVAL_MODES if row and row.mode == mode)
        return next(chosen, None), [grant for grant in grants if grant.id not in over]

    async def choose_approval_mode(self, user_id: str, mode: ApprovalMode | None) -> None:
        """Store a user's choice; None: the bridge's default applies."""
        async with self._session.begin_transaction(changes="approvals") as session:
            await lock_user(session, user_id)
            await session.execute(delete(ApprovalModeRow).where(ApprovalModeRow.user_id == user_id))
            if mode is not None:
                session.add(ApprovalModeRow(user_id=user_id, mode=mode))

    async def keep_grant(self, grant: Grant) -> None:
        """Store a grant, replacing the one with the same scope, unless its server is gone."""
        same = (
            GrantRow.user_id == grant.user_id,
            GrantRow.server_id == grant.server_id,
            GrantRow.operation_key == grant.operation_key,
            GrantRow.scope == grant.scope,
            GrantRow.chat_id.is_not_distinct_from(grant.chat_id),
            GrantRow.caller_id.is_not_distinct_from(grant.caller_id),
        )
        async with self._session.begin_transaction(changes="approvals") as session:
            await lock_user(session, grant.user_id)
            if await lock_server(session, grant.server_id):
                await session.execute(delete(GrantRow).where(*same))
                session.add(_row(grant))

    async def delete_grants(self, user_id: str, grant_ids: Sequence[str]) -> None:
        """Delete grants of a user."""
        async with self._session.begin_transaction(changes="approvals") as session:
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
        caller_id=row.caller_id,
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
        caller_id=grant.caller_id,
    )
