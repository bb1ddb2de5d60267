"""Servers, names of tools, and what users accepted and selected, in the database.

Each method is one transaction, committed when it returns; cancelling one rolls it back.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from typing import TypeVar

from sqlalchemy import Select, delete, insert, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from bridge.catalog.server_view import ServerRecord, UserSelection
from bridge.storage.dialects import build_upsert, dialect_of, lock_name, lock_server, lock_user
from bridge.storage.store import Store
from bridge.storage.tables import (
    AcceptanceRow,
    CallSettingRow,
    SelectionRow,
    ServerRow,
    ToolNameRow,
    UserRow,
)
from bridge.tasks import yield_to_loop
from toolserver.tool.naming import OperationKey

_BATCH_ROWS = 500
_ROWS_AT_A_TIME = 2_000
_RowT = TypeVar("_RowT")


class ServerTables:
    """Implements the port `ServerStore`."""

    def __init__(self, store: Store) -> None:
        self._session = store.sessions

    async def list_servers(self) -> Sequence[ServerRecord]:
        """Return all servers of all users, oldest first."""
        async with self._session() as session:
            rows = await session.scalars(select(ServerRow).order_by(ServerRow.added_at))
            return [_record(row) for row in rows]

    async def server_versions(self) -> Mapping[str, str]:
        """Return the ids of all servers of all users in PostgreSQL, each with what every change changes."""
        async with self._session() as session:
            rows = await session.execute(text("SELECT id, xmin::text AS version FROM servers"))
            return {row.id: row.version for row in rows}

    async def read_servers(self, server_ids: Collection[str]) -> Sequence[ServerRecord]:
        """Return those of these servers that there are, in any order."""
        async with self._session() as session:
            rows = await session.scalars(select(ServerRow).where(ServerRow.id.in_(server_ids)))
            return [_record(row) for row in rows]

    async def server_ids(self) -> Set[str]:
        """Return the ids of all servers of all users."""
        async with self._session() as session:
            return set(await session.scalars(select(ServerRow.id)))

    async def disabled_sharers(self) -> Set[str]:
        """Return the ids of users who share a server and whom an operator has disabled."""
        shares = select(ServerRow.owner_id).where(ServerRow.is_shared.is_(True))
        disabled = select(UserRow.id).where(UserRow.disabled_at.is_not(None), UserRow.id.in_(shares))
        async with self._session() as session:
            return set(await session.scalars(disabled))

    async def add_server(self, record: ServerRecord) -> bool:
        """Add a server; False, and nothing is changed: its id is taken, or what a command line calls it."""
        taken = ServerRow.id == record.id
        if record.named is not None:
            taken |= ServerRow.named == record.named
        async with self._session.begin_transaction(changes="servers") as session:
            await lock_name(session, "servers")
            if await session.scalar(select(ServerRow.id).where(taken).limit(1)) is not None:
                return False
            session.add(_fill(ServerRow(id=record.id, added_at=time.time()), record))
            return True

    async def save_server(self, record: ServerRecord, *, seen: ServerRecord) -> bool:
        """Replace a server's facts; False, and nothing is changed: they are not those that were `seen`."""
        async with self._session.begin_transaction(changes="servers") as session:
            row = await session.get(ServerRow, record.id, with_for_update=True)
            if row is None or _record(row) != seen:
                return False
            _fill(row, record)
            return True

    async def delete_server(self, server_id: str) -> None:
        """Delete a server and, with it, every acceptance and setting of its operations."""
        async with self._session.begin_transaction(changes="servers") as session:
            await session.execute(delete(CallSettingRow).where(CallSettingRow.server_id == server_id))
            await session.execute(delete(ServerRow).where(ServerRow.id == server_id))

    async def load_names(self, scope: str) -> Mapping[OperationKey, str]:
        """Return the name map of a scope: (server id, operation key) to tool name."""
        async with self._session() as session:
            return await _names_of(session, scope)

    async def add_names(
        self, scope: str, names: Mapping[OperationKey, str], *, seen: Mapping[OperationKey, str]
    ) -> bool:
        """Store names, replacing those of the same operations.

        False, and nothing is stored: the names of the scope are not those that were `seen` any more.
        """
        async with self._session.begin_transaction() as session:
            await lock_name(session, f"tool names {scope}")
            if await _names_of(session, scope) != seen:
                return False
            for batch in _batches([*names.items()]):
                rows = [
                    {"scope": scope, "server_id": server_id, "operation_key": key, "name": name}
                    for (server_id, key), name in batch
                ]
                await session.execute(build_upsert(dialect_of(session), ToolNameRow), rows)
            return True

    async def list_acceptances(self, user_id: str) -> Mapping[OperationKey, str]:
        """Return the operations that a user accepted: (server id, operation key) to digest."""
        async with self._session() as session:
            decided = select(AcceptanceRow.server_id, AcceptanceRow.operation_key, AcceptanceRow.digest)
            return await _by_operation(session, decided.where(AcceptanceRow.user_id == user_id))

    async def replace_acceptances(self, user_id: str, server_id: str, digests: Mapping[str, str]) -> None:
        """Replace what a user accepts of one server: operation key to digest."""
        mine = (AcceptanceRow.user_id == user_id, AcceptanceRow.server_id == server_id)
        common = {"user_id": user_id, "server_id": server_id, "accepted_at": time.time()}
        async with self._session.begin_transaction(changes="acceptances") as session:
            await lock_user(session, user_id)
            await lock_server(session, server_id)
            await session.execute(delete(AcceptanceRow).where(*mine))
            for batch in _batches([*digests.items()]):
                rows = [{**common, "operation_key": key, "digest": digest} for key, digest in batch]
                await session.execute(insert(AcceptanceRow), rows)

    async def load_selection(self, user_id: str) -> UserSelection:
        """Return a user's choice of tools to show to models; an empty one when there is none."""
        async with self._session() as session:
            row = await session.get(SelectionRow, user_id)
            if row is None:
                return UserSelection()
            lists = (tuple(stored) for stored in (row.servers, row.tags, row.names, row.pinned))
            return UserSelection(
                *lists,
                max_tools=row.max_tools,
                max_tokens=row.max_tokens,
                listed=tuple(row.listed or ()),
                searched=tuple(row.searched or ()),
            )

    async def save_selection(self, user_id: str, selection: UserSelection) -> None:
        """Store a user's selection, replacing the previous one."""
        row = {
            "user_id": user_id,
            "servers": list(selection.servers),
            "tags": list(selection.tags),
            "names": list(selection.names),
            "pinned": list(selection.pinned),
            "max_tools": selection.max_tools,
            "max_tokens": selection.max_tokens,
            "listed": list(selection.listed),
            "searched": list(selection.searched),
        }
        async with self._session.begin_transaction(changes="selections") as session:
            await session.execute(build_upsert(dialect_of(session), SelectionRow), row)


def _fill(row: ServerRow, record: ServerRecord) -> ServerRow:
    row.owner_id, row.title, row.named = record.owner_id, record.title, record.named
    row.source_url, row.base_url = record.source_url, record.base_url
    row.text, row.inline_html = record.text, record.inline_html
    row.idempotency_key, row.trace_context = record.idempotency_key, record.trace_context
    row.is_shared = record.is_shared
    row.overlays = list(record.overlays)
    return row


def _record(row: ServerRow) -> ServerRecord:
    return ServerRecord(
        id=row.id,
        owner_id=row.owner_id,
        title=row.title,
        named=row.named,
        source_url=row.source_url,
        base_url=row.base_url,
        text=row.text,
        inline_html=row.inline_html,
        idempotency_key=row.idempotency_key,
        trace_context=bool(row.trace_context),
        is_shared=bool(row.is_shared),
        overlays=tuple(row.overlays or ()),
    )


async def _names_of(session: AsyncSession, scope: str) -> Mapping[OperationKey, str]:
    named = select(ToolNameRow.server_id, ToolNameRow.operation_key, ToolNameRow.name)
    return await _by_operation(session, named.where(ToolNameRow.scope == scope))


async def _by_operation(
    session: AsyncSession, statement: Select[str, str, str]
) -> Mapping[OperationKey, str]:
    """Return a text by server id and operation key; ten thousand rows would keep the event loop too long."""
    found: dict[OperationKey, str] = {}
    connection = await session.connection()  # a session would read all rows at once
    for rows in (await connection.execute(statement)).partitions(_ROWS_AT_A_TIME):
        found |= {(server_id, key): value for server_id, key, value in rows}
        await yield_to_loop()
    return found


def _batches(rows: Sequence[_RowT]) -> Iterator[Sequence[_RowT]]:
    """The rows in parts, each of which keeps the event loop for a few milliseconds only."""
    return (rows[start : start + _BATCH_ROWS] for start in range(0, len(rows), _BATCH_ROWS))
