"""A journal of calls on real files, as they are or as a crash would leave them."""

import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bridge.calls.open_call import CallRecord, CallRequest
from bridge.calls.outcome import CallOutcome
from bridge.calls.state_machine import CallState
from bridge.storage.call_journal import CallJournal, StoredCall
from bridge.storage.store import Store
from bridge.storage.users import User
from tests.support.stores.databases import Where


def record(
    user: User,
    call_id: str,
    *,
    safe: bool = False,
    state: CallState = CallState.SENT,
    may_begin: bool = True,
    arguments: str = "{}",
) -> CallRecord:
    request = CallRequest(
        user_id=user.id,
        tool_name="addProduct",
        server_id="shop",
        operation_key="POST /products",
        operation_digest="d",
        origin="http://shop.example",
        safe=safe,
        arguments_text=arguments,
    )
    outcome = CallOutcome(call_id, state, None, None) if state is CallState.SUCCEEDED else None
    return CallRecord(call_id, request, state, may_begin, "laptop", 1000.0, outcome)


@dataclass
class Desk:
    """A journal on real files."""

    folder: Path
    store: Store
    journal: CallJournal
    ann: User
    bob: User

    async def open(self, call_id: str, **facts: Any) -> None:
        await self.journal.record_opened(record(self.ann, call_id, **facts), 1.0)

    def end(self, call_id: str, **facts: Any) -> None:
        self.journal.record_ended(record(self.ann, call_id, state=CallState.SUCCEEDED, **facts))

    async def kept(self, call_id: str) -> StoredCall:
        kept = await self.journal.find_call(self.ann.id, call_id)
        assert kept is not None
        return kept


@asynccontextmanager
async def desk_at(folder: Path, database: Where | None = None) -> AsyncGenerator[Desk]:
    store = Store.open_store(database or folder / "bridge.sqlite3")
    journal = store.call_journal(folder)
    yield Desk(folder, store, journal, await store.ensure_user("ann"), await store.ensure_user("bob"))
    await journal.close()
    await store.close()


@asynccontextmanager
async def after_a_crash(desk: Desk) -> AsyncGenerator[Desk]:
    """On the files as they would be left if the process were killed now."""
    left = desk.folder.with_name("left")
    shutil.copytree(desk.folder, left)
    async with desk_at(left) as later:
        yield later
