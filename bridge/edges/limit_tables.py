"""Limits and settings of calls in the database. Each method is one transaction, committed when it returns."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import delete, select

from bridge.limits.call_settings import CallSetting, Scope
from bridge.limits.settings import Number
from bridge.storage.dialects import dialect_of, upsert
from bridge.storage.sessions import Sessions
from bridge.storage.tables import CallSettingRow, LimitRow


class LimitTables:
    """The ports of `bridge.limits.settings` and `bridge.limits.call_settings`."""

    def __init__(self, session: Sessions) -> None:
        self._session = session

    async def limits(self) -> Mapping[str, Number]:
        """Name to value."""
        async with self._session() as session:
            return {row.name: row.value for row in await session.scalars(select(LimitRow))}

    async def save_limits(self, values: Mapping[str, Number | None]) -> None:
        """Keep these, forget those that are None."""
        async with self._session.begin() as session:
            for name, value in values.items():
                if value is None:
                    await session.execute(delete(LimitRow).where(LimitRow.name == name))
                else:
                    row = {"name": name, "value": float(value)}
                    await session.execute(upsert(dialect_of(session), LimitRow), row)

    async def call_settings(self, user_id: str) -> Mapping[Scope, CallSetting]:
        """What a user has set."""
        query = select(CallSettingRow).where(CallSettingRow.user_id == user_id)
        async with self._session() as session:
            return {
                Scope(row.server_id, row.operation_key): CallSetting(
                    row.deadline_s, row.max_parallel, row.in_order
                )
                for row in await session.scalars(query)
            }

    async def save_call_setting(self, user_id: str, scope: Scope, setting: CallSetting) -> None:
        """Put a setting in place, or delete it when it is empty."""
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
        async with self._session.begin() as session:
            if setting.is_empty:
                await session.execute(delete(CallSettingRow).where(*mine))
            else:
                await session.execute(upsert(dialect_of(session), CallSettingRow), row)
