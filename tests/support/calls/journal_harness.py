"""A journal of calls on real files, as they are or as a crash would leave them."""

import json
import shutil
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from bridge.calls.call_facts import CallFacts
from bridge.calls.limits.settings import Deadline
from bridge.calls.open_call import OpenCall
from bridge.calls.outcome import CallOutcome
from bridge.calls.request import CallContext, CallRequest, RepeatIdentity
from bridge.calls.state_machine import TERMINAL, CallPhase
from bridge.storage.call_journal import CallJournal, OnUnrecorded
from bridge.storage.store import Store
from bridge.storage.users import User, UserTables
from bridge.storage.write_ahead_log import NAMES
from bridge.storage.write_thread import Transactions
from tests.support.calls.dispatcher_harness import FreeSlot
from tests.support.calls.fake_browser import page
from tests.support.stores.databases import Where


def open_call(
    user: User,
    call_id: str,
    *,
    safe: bool = False,
    phase: CallPhase = CallPhase.SENT,
    arguments: str = "{}",
    repeat: RepeatIdentity | None = None,
    opened_at: float = 1000.0,
    relayed_id: str | None = None,
) -> OpenCall:
    request = CallRequest(
        CallContext(user.id, relayed_id=relayed_id),
        tool_name="addProduct",
        server_id="shop",
        operation_key="POST /products",
        operation_digest="d",
        origin="http://shop.example",
        safe=safe,
        arguments_text=arguments,
        repeat=repeat,
    )
    call = OpenCall(
        call_id, request, "token", FreeSlot(Deadline(60, "call")), opened_at=opened_at, phase=phase
    )
    call.page = page("page-a", device="laptop")
    if phase in TERMINAL:
        call.outcome = CallOutcome(call_id, call.state, None, None)
    return call


def states_ahead(folder: Path) -> list[tuple[str, str]]:
    """Call and state of each line in the first file of the write-ahead log."""
    *complete, _torn = (folder / NAMES[0]).read_bytes().split(b"\n")
    lines = [json.loads(line) for line in complete]
    return [(line[0], line[2]) if isinstance(line, list) else (line["id"], line["state"]) for line in lines]


@dataclass
class JournalHarness:
    """A journal on real files."""

    folder: Path
    store: Store
    journal: CallJournal
    ann: User
    bob: User

    async def open(self, call_id: str, *, may_begin: bool = True, **facts: Any) -> None:
        await self.journal.record_opened(open_call(self.ann, call_id, **facts), 1.0, may_begin=may_begin)

    def end(self, call_id: str, *, may_begin: bool = True, **facts: Any) -> None:
        ended = open_call(self.ann, call_id, phase=CallPhase.SUCCEEDED, **facts)
        self.journal.record_ended(ended, may_begin=may_begin)

    async def stored_call(self, call_id: str) -> CallFacts:
        stored = await self.journal.find_call(self.ann.id, call_id)
        assert stored is not None
        return stored


def store_with(thread: Transactions) -> Store:
    """A store whose database a test plays."""
    return cast(Store, SimpleNamespace(sessions=None, thread=thread))


@asynccontextmanager
async def open_journal(
    folder: Path, database: Where | None = None, on_unrecorded: OnUnrecorded | None = None
) -> AsyncGenerator[JournalHarness]:
    store = Store.open_store(database or folder / "bridge.sqlite3")
    users = UserTables(store)
    journal = CallJournal(store, folder, on_unrecorded)
    yield JournalHarness(
        folder, store, journal, await users.ensure_user("ann"), await users.ensure_user("bob")
    )
    await journal.close_journal()
    await store.close()


@asynccontextmanager
async def reopen_after_crash(
    harness: JournalHarness, *, logs: Sequence[bytes] = ()
) -> AsyncGenerator[JournalHarness]:
    """On the files as they would be left if the process were killed now, but for those of the log."""
    left = harness.folder.with_name("left")
    shutil.rmtree(left, ignore_errors=True)
    shutil.copytree(harness.folder, left)
    for name, content in zip(NAMES, logs, strict=False):
        (left / name).write_bytes(content)
    async with open_journal(left) as later:
        yield later
