"""What users have had models do, by days."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select

from bridge.models.budgets.budgets import RoundUsage, UsageSum
from bridge.storage.dialects import build_addition, dialect_of
from bridge.storage.store import Store
from bridge.storage.tables import ModelUsageRow, UserRow
from bridge.storage.user_mapping import groups_of

_COUNTED = ("rounds", "estimated_rounds", "input_tokens", "output_tokens", "cost_micros")


class UsageTable:
    """Implements the port `UsageStore`."""

    def __init__(self, store: Store) -> None:
        self._session = store.sessions

    async def sum_usage(self, user_id: str, since: str) -> UsageSum | None:
        """Return what a user has used since a day; None: there is no such user."""
        async with self._session() as session:
            user = await session.get(UserRow, user_id)
            if user is None:
                return None
            sums = [func.coalesce(func.sum(getattr(ModelUsageRow, name)), 0) for name in _COUNTED]
            query = select(*sums).where(ModelUsageRow.user_id == user_id, ModelUsageRow.day >= since)
            return _usage_sum(user, (await session.execute(query)).one())

    async def list_usage(self, since: str) -> list[UsageSum]:
        """Return what each user has used since a day who has used anything, by name."""
        sums = [func.sum(getattr(ModelUsageRow, name)) for name in _COUNTED]
        query = select(ModelUsageRow.user_id, *sums).where(ModelUsageRow.day >= since)
        async with self._session() as session:
            rows = (await session.execute(query.group_by(ModelUsageRow.user_id))).all()
            users = {user.id: user for user in await session.scalars(select(UserRow))}
        found = [_usage_sum(users[row[0]], row[1:]) for row in rows if row[0] in users]
        return sorted(found, key=lambda each: each.name)

    async def add_usage(self, user_id: str, day: str, usage: RoundUsage, cost_micros: int) -> None:
        """Add what a round used; several replicas may do so at once."""
        row = {
            "user_id": user_id,
            "day": day,
            "rounds": 1,
            "estimated_rounds": int(usage.is_estimated),
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cost_micros": cost_micros,
        }
        async with self._session.begin_transaction() as session:
            await session.execute(build_addition(dialect_of(session), ModelUsageRow), row)


def _usage_sum(user: UserRow, sums: Sequence[int]) -> UsageSum:
    rounds, estimated, read, written, cost = (int(each) for each in sums)
    return UsageSum(user.name, groups_of(user), rounds, estimated, read, written, cost)
