"""Export and deletion of a user over all tables."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from typing import Any, cast

import orjson
from sqlalchemy import Connection, RowMapping, Table, delete, select
from sqlalchemy.exc import SQLAlchemyError

from bridge.settings.storage import StorageSettings
from bridge.storage.accounts.all_tables import ALL_TABLES
from bridge.storage.accounts.ownership import NOBODYS, STAYING, TOLD_ELSEWHERE, UNTOLD, rows_of
from bridge.storage.chat.model_providers import place_of_provider
from bridge.storage.dialects import overwrite_what_is_deleted, truncate_log
from bridge.storage.encryption import Encrypted, Encryption, Unreadable
from bridge.storage.mcp_tasks import place_of_task
from bridge.storage.sessions import database_unavailable
from bridge.storage.store import Store
from toolserver.json_types import JsonObject, JsonValue

_log = logging.getLogger(__name__)

ROWS_AT_ONCE = 200
"""Maximum number of rows that are read, or deleted, at a time."""


class AccountTables:
    """All rows of one user.

    Raises, each method:
        BridgeError: `database_unavailable`.
    """

    def __init__(self, store: Store, settings: StorageSettings) -> None:
        self._session = store.sessions
        self._thread = store.thread
        self._encryption = Encryption(settings)

    async def list_records(self, user_id: str) -> AsyncIterator[tuple[str, JsonObject]]:
        """Yield table and content of each row of a user; not what has lines of its own in an export.

        Secrets and their digests are left out.
        """
        for table in ALL_TABLES.sorted_tables:
            if table.name in NOBODYS | TOLD_ELSEWHERE:
                continue
            wanted = select(table).where(rows_of(table, user_id)).order_by(*table.primary_key.columns)
            start, found = 0, ROWS_AT_ONCE
            while found == ROWS_AT_ONCE:
                async with self._session() as session:
                    rows = (await session.execute(wanted.limit(ROWS_AT_ONCE).offset(start))).mappings().all()
                found = len(rows)
                start = start + len(rows)
                for row in rows:
                    yield table.name, self._record_of(table, row)

    async def delete_user(self, user_id: str) -> int:
        """Delete a user with all but the audit entries; returns the number of stored items.

        SQLite overwrites what is deleted; PostgreSQL's files keep it until `VACUUM FULL`. Not for a bridge
        that runs: it may have the user in memory.
        """
        items = 0
        for table in reversed(ALL_TABLES.sorted_tables):
            if table.name not in NOBODYS | STAYING:
                deleted = await self._delete_rows(table, user_id)
                items += deleted if table.name == "kept_items" else 0
        await self._write(truncate_log)
        return items

    async def _delete_rows(self, table: Table, user_id: str) -> int:
        """Delete a user's rows of one table, in small transactions; returns how many."""
        key = list(table.primary_key.columns)
        some = select(*key).where(rows_of(table, user_id)).limit(ROWS_AT_ONCE)
        counts = [0]

        def work(connection: Connection) -> None:
            overwrite_what_is_deleted(connection)
            rows = connection.execute(some).all()
            for row in rows:
                same = [column == value for column, value in zip(key, row, strict=True)]
                connection.execute(delete(table).where(*same))
            counts.append(len(rows))

        while True:
            await self._write(work)
            if not counts[-1]:
                return sum(counts)

    async def _write(self, work: Callable[[Connection], None]) -> None:
        try:
            await asyncio.wrap_future(self._thread.run_transaction(work))
        except (SQLAlchemyError, OSError) as error:
            raise database_unavailable() from error

    def _record_of(self, table: Table, row: RowMapping) -> JsonObject:
        untold = UNTOLD.get(table.name, frozenset())
        record = {name: value for name, value in row.items() if name not in untold}
        for name, value in record.items():
            if isinstance(value, bytes):
                record[name] = self._opened(table.name, row, value)
        return cast(JsonObject, record)

    def _opened(self, table: str, row: RowMapping, content: bytes) -> JsonValue:
        """Return what encrypted bytes say; None when they cannot be read."""
        is_task = table == "mcp_tasks"
        user_id = row["user_id"]
        place = place_of_task(user_id, row["id"]) if is_task else place_of_provider(user_id, row["name"])
        try:
            said: Any = orjson.loads(self._encryption.decrypt_bytes(Encrypted(content, row["key_id"]), place))
        except (Unreadable, orjson.JSONDecodeError) as error:
            _log.warning("A row of %s cannot be read: %s", table, error)
            return None
        return said if is_task else {name: value for name, value in said.items() if name != "key"}
