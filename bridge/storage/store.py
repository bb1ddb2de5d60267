"""Everything that survives a restart: users, keys, tickets, devices, servers, names, acceptances, selections.

SQLite or PostgreSQL (see `database`), through SQLAlchemy. Every method is one transaction, committed when it
returns; cancelling one rolls it back.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from functools import partial
from pathlib import Path
from typing import TypeVar

from sqlalchemy import URL, Select, delete, insert, select, text
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker

from bridge.audit import OriginOf, no_origin
from bridge.catalog.server_view import ServerRecord, UserSelection
from bridge.homes import EpochOf, no_epoch
from bridge.storage.database import (
    Engines,
    open_fenced,
    open_postgresql,
    open_sqlite,
)
from bridge.storage.database_lease import AdvisoryClaim, Claim, claim_of, serves_replicas
from bridge.storage.dialects import (
    accepts_writes,
    build_upsert,
    dialect_of,
    lock_name,
    lock_server,
    lock_user,
    watch_fence,
)
from bridge.storage.replicas.fenced_writes import FencedWrites
from bridge.storage.sessions import Sessions, Topic, WorkObserver
from bridge.storage.tables import (
    AcceptanceRow,
    CallSettingRow,
    SelectionRow,
    ServerRow,
    ToolNameRow,
    UserRow,
)
from bridge.storage.users import UserStore
from bridge.storage.write_thread import WriteThread
from bridge.tasks import yield_to_loop
from toolserver.tool.naming import OperationKey

_BATCH_ROWS = 500
_ROWS_AT_A_TIME = 2_000
_RowT = TypeVar("_RowT")


class Store(UserStore):
    """The database of one bridge."""

    def __init__(self, engines: Engines) -> None:
        self._engine = engines.reading
        self._connections = engines.connections
        self.thread = WriteThread(engines.writing)
        self.plain_sessions = async_sessionmaker(engines.reading, expire_on_commit=False)
        self.sessions = self._session = Sessions(self.plain_sessions, _reading_sessions(engines.reading))
        self._fenced: AsyncEngine | None = None
        self.epoch_of: EpochOf = no_epoch
        """Claim under which a user's rows are written."""
        self.origin_of: OriginOf = no_origin
        self._on_fence: Callable[[], None] = lambda: None
        self.writes = FencedWrites(self.sessions, self.thread, self._note_fence)
        self.claim: Claim = claim_of(engines.reading)
        """Claim of a bridge to the database, exclusive unless `share_claim` was called.

        Commands work beside a bridge that has it.
        """

    @property
    def database(self) -> str:
        """`sqlite` or `postgresql`."""
        return self._engine.dialect.name

    @classmethod
    def open_store(cls, where: Path | URL) -> Store:
        """Create or migrate the SQLite file, or the tables in the PostgreSQL database; blocks.

        Call it before the loop runs.

        Raises:
            StoreError: it cannot be used; the text says why and what to do.
        """
        return cls(open_sqlite(where) if isinstance(where, Path) else open_postgresql(where))

    def stamp_writes(self, epoch_of: EpochOf) -> None:
        """Write conversations, items and responses under claims, in all tables that are made after this."""
        self.epoch_of = epoch_of

    def mark_origin(self, origin_of: OriginOf) -> None:
        """Write where each entry of the audit log comes from, in all logs that are made after this."""
        self.origin_of = origin_of

    def on_fence(self, listener: Callable[[], None]) -> None:
        """Call `listener`, in any thread, whenever the database refuses a write under an old claim.

        Call it once, before anything is written; `listener` must not fail.
        """
        self._on_fence = listener
        watch_fence(self._engine.sync_engine, listener)
        self.thread.watch_fence(listener)

    def _note_fence(self) -> None:
        self._on_fence()

    def on_work(self, listener: WorkObserver) -> None:
        """Call `listener`, in any thread, after each session and each transaction of the writing thread.

        What replicas decide by is not among them. Call it once; `listener` must not fail.
        """
        self.sessions.on_work(listener)
        self.thread.on_work(partial(listener, "journal"))

    def share_claim(self) -> None:
        """Make `claim` that of a replica, beside others, in this PostgreSQL database; before it is taken."""
        self.claim = AdvisoryClaim(self._engine, shared=True)

    def on_commit(self, listener: Callable[[Topic], None]) -> None:
        """Call `listener` after each transaction of this process that other replicas have to hear of."""
        self.sessions.on_commit(listener)

    async def serves_replicas(self) -> bool:
        """Return whether replicas use the database now.

        Raises:
            StoreError: the database cannot be used.
        """
        return await serves_replicas(self._engine)

    async def accepts_writes(self) -> bool:
        """Return whether the database can be written now, as far as it says so without a write.

        Raises:
            BridgeError: `database_unavailable`.
        """
        async with self._session() as session:
            return await accepts_writes(session)

    async def close(self) -> None:
        """Close all connections, after pending writes."""
        await asyncio.to_thread(self.thread.close)
        await self.claim.release_claim()
        await self._engine.dispose()
        if self._connections is not None:
            await self._connections.wait_ended()
        if self._fenced is not None:
            await self._fenced.dispose()

    @property
    def fenced_sessions(self) -> Sessions:
        """Sessions for what replicas decide by, in this PostgreSQL database: every statement commits."""
        if self._fenced is None:
            self._fenced = open_fenced(self._engine.url)
            watch_fence(self._fenced.sync_engine, self._note_fence)
        return Sessions(async_sessionmaker(self._fenced))

    # Servers, names, acceptances, selections (the registry's port)

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
            return UserSelection(*lists, max_tools=row.max_tools, max_tokens=row.max_tokens)

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
        }
        async with self._session.begin_transaction(changes="selections") as session:
            await session.execute(build_upsert(dialect_of(session), SelectionRow), row)


def _fill(row: ServerRow, record: ServerRecord) -> ServerRow:
    row.owner_id, row.title, row.named = record.owner_id, record.title, record.named
    row.source_url, row.base_url = record.source_url, record.base_url
    row.text, row.inline_html = record.text, record.inline_html
    row.idempotency_key, row.trace_context = record.idempotency_key, record.trace_context
    row.is_shared = record.is_shared
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


def _reading_sessions(engine: AsyncEngine) -> async_sessionmaker[AsyncSession] | None:
    """Return what makes sessions that read without a transaction; None: they would gain nothing."""
    if engine.dialect.name != "postgresql":
        return None
    return async_sessionmaker(engine.execution_options(isolation_level="AUTOCOMMIT"), expire_on_commit=False)
