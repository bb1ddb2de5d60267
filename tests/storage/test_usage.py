"""What users have had models do, in the database that replicas share."""

import asyncio

import pytest

from bridge.models.budgets.budgets import RoundUsage, UsageSum
from bridge.storage.chat.usage import UsageTable
from bridge.storage.store import Store
from bridge.storage.users import UserTables
from tests.support.stores.databases import Where, with_tables

pytestmark = [pytest.mark.asyncio, pytest.mark.both_databases]


async def test_what_several_replicas_count_at_once_adds_up(database: Where) -> None:
    """The database adds: two that read, add and write back would lose rounds."""
    stores = [Store.open_store(with_tables(database)) for _ in range(2)]
    tables = [UsageTable(store) for store in stores]
    ann = await UserTables(stores[0]).ensure_user("ann")
    async with asyncio.TaskGroup() as group:
        for number in range(20):
            usage = RoundUsage("m", 3, 2, is_estimated=number % 2 == 0)
            group.create_task(tables[number % 2].add_usage(ann.id, "2026-11-28", usage, 5))
    await tables[0].add_usage(ann.id, "2026-10-31", RoundUsage("m", 1000, 0), 0)
    november = UsageSum("ann", (), 20, 10, 60, 40, 100)
    assert await tables[1].sum_usage(ann.id, "2026-11-01") == november
    assert await tables[1].list_usage("2026-11-01") == [november]
    assert (await tables[1].sum_usage(ann.id, "2026-10-01") or november).input_tokens == 1060
    assert await tables[0].sum_usage("nobody", "2026-11-01") is None
    for store in stores:
        await store.close()
