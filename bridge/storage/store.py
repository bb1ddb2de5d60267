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
from bridge.settings.storage import DEFAULT_AUDIT_DAYS, StorageSettings
from bridge.storage.accounts.account_tables import AccountTables
from bridge.storage.accounts.logins import LoginTable
from bridge.storage.accounts.pairings import PairingTable
from bridge.storage.accounts.usage import UsageTable
from bridge.storage.audit_log import MAX_ROWS, AuditLog
from bridge.storage.call_journal import CallJournal, OnUnrecorded
from bridge.storage.chat.model_providers import ModelProviderTable
from bridge.storage.conversations import ConversationTables
from bridge.storage.database import (
    Engines,
    FolderInUse,
    StoreError,
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
from bridge.storage.encryption import Encryption
from bridge.storage.items import ItemTables
from bridge.storage.mcp_tasks import McpTaskTable
from bridge.storage.preferences import ApprovalTables, LimitTables, MemoryChoiceTable
from bridge.storage.reencryption import Reencrypted, reencrypt_rows
from bridge.storage.replicas.change_counters import ChangeCounters
from bridge.storage.replicas.cluster_facts import ClusterFacts
from bridge.storage.replicas.fenced_calls import FencedCalls
from bridge.storage.replicas.fenced_writes import FencedWrites
from bridge.storage.replicas.homes import HomeTable
from bridge.storage.replicas.left_work import LeftWorkTable
from bridge.storage.replicas.relayed_records import RelayedRecords
from bridge.storage.retention import Retention
from bridge.storage.sessions import Sessions, Topic, WorkObserver
from bridge.storage.tables import (
    AcceptanceRow,
    CallSettingRow,
    SelectionRow,
    ServerRow,
    ToolNameRow,
    UserRow,
)
from bridge.storage.user_items import UserItems
from bridge.storage.users import UserStore
from bridge.storage.write_ahead_log import WriteAheadLog, WriteAheadLogInUse, WriteAheadLogUnusable
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
        self._thread = WriteThread(engines.writing)
        self._plain_session = async_sessionmaker(engines.reading, expire_on_commit=False)
        self._session = Sessions(self._plain_session, _reading_sessions(engines.reading))
        self._fenced: AsyncEngine | None = None
        self.epoch_of: EpochOf = no_epoch
        """Claim under which a user's rows are written."""
        self._origin_of: OriginOf = no_origin
        self._on_fence: Callable[[], None] = lambda: None
        self._writes = FencedWrites(self._session, self._thread, self._note_fence)
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

    def call_journal(self, folder: Path, on_unrecorded: OnUnrecorded | None = None) -> CallJournal:
        """Return the call journal in this database, with its write-ahead log in `folder`.

        `on_unrecorded`: as `CallJournal` describes it.

        Raises:
            FolderInUse: another process uses the log.
            StoreError: the folder cannot be written.
        """
        try:
            return CallJournal(self._session, self._thread, WriteAheadLog.open_log(folder), on_unrecorded)
        except WriteAheadLogInUse as error:
            raise FolderInUse(str(error)) from None
        except WriteAheadLogUnusable as error:
            raise StoreError(str(error)) from None

    def stamp_writes(self, epoch_of: EpochOf) -> None:
        """Write conversations, items and responses under claims, in all tables that are made after this."""
        self.epoch_of = epoch_of

    def mark_origin(self, origin_of: OriginOf) -> None:
        """Write where each entry of the audit log comes from, in all logs that are made after this."""
        self._origin_of = origin_of

    def on_fence(self, listener: Callable[[], None]) -> None:
        """Call `listener`, in any thread, whenever the database refuses a write under an old claim.

        Call it once, before anything is written; `listener` must not fail.
        """
        self._on_fence = listener
        watch_fence(self._engine.sync_engine, listener)
        self._thread.watch_fence(listener)

    def _note_fence(self) -> None:
        self._on_fence()

    def on_work(self, listener: WorkObserver) -> None:
        """Call `listener`, in any thread, after each session and each transaction of the writing thread.

        What replicas decide by is not among them. Call it once; `listener` must not fail.
        """
        self._session.on_work(listener)
        self._thread.on_work(partial(listener, "journal"))

    def share_claim(self) -> None:
        """Make `claim` that of a replica, beside others, in this PostgreSQL database; before it is taken."""
        self.claim = AdvisoryClaim(self._engine, shared=True)

    def home_table(self) -> HomeTable:
        """Return the homes of users in this PostgreSQL database."""
        return HomeTable(self._fenced_session())

    def fenced_calls(self) -> FencedCalls:
        """Return the calls in this PostgreSQL database, as a replica writes them."""
        return FencedCalls(self._fenced_session())

    def left_work(self) -> LeftWorkTable:
        """Return what older homes of users have left."""
        return LeftWorkTable(self._fenced_session())

    def relayed_records(self) -> RelayedRecords:
        """Return what is stored under the ids of requests that replicas passed on."""
        return RelayedRecords(self._session)

    def cluster_facts(self) -> ClusterFacts:
        """Return what must be the same in all replicas of this PostgreSQL database."""
        return ClusterFacts(self._fenced_session())

    def change_counters(self) -> ChangeCounters:
        """Return the counters of what replicas keep in memory."""
        return ChangeCounters(self._session)

    def on_commit(self, listener: Callable[[Topic], None]) -> None:
        """Call `listener` after each transaction of this process that other replicas have to hear of."""
        self._session.on_commit(listener)

    def pairing_table(self, now: Callable[[], float] = time.time) -> PairingTable:
        """Return the browsers that wait for confirmation in this database."""
        return PairingTable(self._session, now)

    def login_table(self, now: Callable[[], float] = time.time) -> LoginTable:
        """Return the logins of users in this database."""
        return LoginTable(self._session, now)

    def usage_table(self) -> UsageTable:
        """Return what users have had models do."""
        return UsageTable(self._session)

    def limit_tables(self) -> LimitTables:
        """Return the limits and call settings in this database."""
        return LimitTables(self._session)

    def audit_log(self, keep_days: int = DEFAULT_AUDIT_DAYS, *, max_rows: int = MAX_ROWS) -> AuditLog:
        """Return the audit log in this database."""
        return AuditLog(self._session, self._thread, keep_days, self._origin_of, max_rows=max_rows)

    def memory_choices(self) -> MemoryChoiceTable:
        """Return the retention preferences of users in this database."""
        return MemoryChoiceTable(self._session)

    def model_providers(self, settings: StorageSettings, secret: bytes) -> ModelProviderTable:
        """Return the providers that users set up; `secret` of the bridge seals their keys."""
        return ModelProviderTable(self._session, Encryption(settings), secret)

    def approval_tables(self) -> ApprovalTables:
        """Return the approval modes and grants in this database."""
        return ApprovalTables(self._session)

    def item_store(
        self, settings: StorageSettings | None = None, now: Callable[[], float] = time.time
    ) -> ItemTables:
        """Return the stored items and responses in this database."""
        encryption = Encryption(settings or StorageSettings())
        return ItemTables(self._plain_session, self._writes, encryption, now, self.epoch_of)

    def retention_sweep(self, settings: StorageSettings, now: Callable[[], float] = time.time) -> Retention:
        """Return the sweeper that deletes expired and superfluous responses."""
        return Retention(self._plain_session, self._thread, settings, now)

    def conversation_tables(self, settings: StorageSettings | None = None) -> ConversationTables:
        """Return the conversations in this database."""
        encryption = Encryption(settings or StorageSettings())
        return ConversationTables(self._session, self._writes, encryption, self.epoch_of)

    def mcp_tasks(self, settings: StorageSettings) -> McpTaskTable:
        """Return the tasks of MCP clients in this database."""
        return McpTaskTable(self._session, Encryption(settings))

    def user_items(self, settings: StorageSettings) -> UserItems:
        """Return the summary, export and deletion of what is stored of one user."""
        return UserItems(self._session, self._thread, Encryption(settings))

    def account_tables(self, settings: StorageSettings) -> AccountTables:
        """Return the export and deletion of users over all tables."""
        return AccountTables(self._session, self._thread, Encryption(settings))

    async def replica_key_ids(self) -> Set[str] | None:
        """Return the ids of the keys of the replicas that use this database now; None: none does.

        Raises:
            StoreError: the database cannot be used.
            BridgeError: `database_unavailable`.
        """
        if not await serves_replicas(self._engine):
            return None
        return await self.cluster_facts().read_key_ids()

    async def reencrypt_items(
        self, encryption: Encryption, on_progress: Callable[[Reencrypted], None] | None = None
    ) -> Reencrypted:
        """Re-encrypt what is stored; see `reencryption`."""
        return await reencrypt_rows(self._thread, encryption, on_progress or (lambda _: None))

    async def accepts_writes(self) -> bool:
        """Return whether the database can be written now, as far as it says so without a write.

        Raises:
            BridgeError: `database_unavailable`.
        """
        async with self._session() as session:
            return await accepts_writes(session)

    async def close(self) -> None:
        """Close all connections, after pending writes."""
        await asyncio.to_thread(self._thread.close)
        await self.claim.release_claim()
        await self._engine.dispose()
        if self._connections is not None:
            await self._connections.wait_ended()
        if self._fenced is not None:
            await self._fenced.dispose()

    def _fenced_session(self) -> Sessions:
        """Return sessions of replicas, in which every statement commits."""
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
