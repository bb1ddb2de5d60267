"""PostgreSQL stops under a bridge that runs, and starts again: who is refused, who goes on, how it heals."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from sqlalchemy import URL, text

from bridge.app.server import Bridge
from bridge.errors import BridgeError, ErrorCode
from bridge.storage import sessions
from bridge.storage.store import Store
from bridge.storage.users import UserTables
from bridge.timings import Timings
from tests.support.documents.compiled import document_text
from tests.support.running_bridge import FakePage, json_answer, page_of, running_bridge
from tests.support.stores.databases import engine_of, execute
from tests.support.stores.postgresql import PostgresServer
from tests.support.waiting import eventually

pytestmark = [pytest.mark.asyncio, pytest.mark.slow]

READS, CHANGES = "/tools/listProducts", "/tools/addProduct"


@asynccontextmanager
async def stopped(server: PostgresServer) -> AsyncGenerator[None]:
    await asyncio.to_thread(server.stop)
    try:
        yield
    finally:
        server.start()


@pytest.fixture
def address(postgres_server: PostgresServer) -> Iterator[URL]:
    with postgres_server.database() as url:
        yield url


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, address: URL, timings: Timings) -> AsyncIterator[Bridge]:
    """Whoever asks is looked up each time."""
    async with running_bridge(tmp_path, database=address, timings=replace(timings, key_s=0)) as running:
        await running.components.registry.share_document("shop.json", document_text(), source_url=None)
        yield running


@pytest_asyncio.fixture
async def page(bridge: Bridge) -> AsyncIterator[FakePage]:
    async def answer(_call: dict[str, Any]) -> dict[str, Any]:
        return json_answer({"done": True})

    async with page_of(bridge, bridge.local_user.id, answer) as connected:
        yield connected


async def ask(bridge: Bridge, path: str, *, key: str | None = None) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {key or bridge.key}"}
    body = {READS: "{}", CHANGES: '{"name": "tea"}'}.get(path)
    async with (
        aiohttp.ClientSession() as http,
        http.request("POST" if body else "GET", bridge.base_url + path, data=body, headers=headers) as answer,
    ):
        return answer.status, await answer.json()


async def test_a_bridge_outlives_its_database_and_heals_by_itself(
    bridge: Bridge,
    page: FakePage,
    address: URL,
    postgres_server: PostgresServer,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """What must be written down first is refused, what only reads goes on, and nobody reloads anything."""
    succeeded = "SELECT tool, count(*) FROM calls WHERE state = 'succeeded' GROUP BY tool"

    async def is_written(**calls: int) -> bool:
        await ask(bridge, "/api/calls")  # who reads hurries what is written behind
        return dict(map(tuple, execute(address, succeeded))) == calls

    assert (await ask(bridge, READS))[0] == 200
    assert (await ask(bridge, CHANGES))[0] == 200
    await eventually(lambda: is_written(addProduct=1, listProducts=1))  # else that would notice the stop
    performed = 1

    async def is_refused() -> Any:
        nonlocal performed
        status, told = await ask(bridge, CHANGES)
        performed += status == 200
        return told if status == 503 else None

    async with stopped(postgres_server):
        assert await is_refused() is None, "nobody has noticed; it is in the file of intents"
        told = await eventually(is_refused)
        assert (told["error"]["code"], told["error"]["retryable"]) == ("database_unavailable", True)
        assert (await ask(bridge, READS))[0] == 200
        refused = [
            await ask(bridge, "/api/calls"),
            await ask(bridge, "/api/me", key="tbk_" + "x" * 43),
            await page.request("GET", "/api/audit"),
            await page.request("PUT", "/api/approval", {"mode": "ask"}),
        ]
        assert [(status, told["error"]["code"]) for status, told in refused] == [
            (503, "database_unavailable")
        ] * 4

    async def heals() -> bool:
        return (await ask(bridge, CHANGES))[0] == 200

    await eventually(heals)

    await eventually(lambda: is_written(addProduct=performed + 1, listProducts=2))
    assert caplog.text.count("The database does not answer: ") == 1
    assert caplog.text.count("The database answers again.") == 1


@pytest.mark.timings(away_s=0)
async def test_who_was_known_is_believed_for_a_while_and_not_for_ever(
    bridge: Bridge, page: FakePage, postgres_server: PostgresServer
) -> None:
    """Nobody can be revoked while the database is away, but it may be away for this bridge alone."""
    assert (await ask(bridge, READS))[0] == 200
    async with stopped(postgres_server):
        status, told = await ask(bridge, READS)
    assert (status, told["error"]["code"]) == (503, "database_unavailable")


@pytest.mark.timings(patience_s=0.1)
async def test_a_frozen_database_holds_nobody_up_without_end(
    bridge: Bridge, page: FakePage, postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stopped process keeps its connections. The driver gives one up ten seconds after it was told to."""
    monkeypatch.setattr(sessions, "PATIENCE_S", 0.2)
    assert (await ask(bridge, READS))[0] == 200
    with postgres_server.frozen():
        known, listed = await asyncio.gather(ask(bridge, READS), page.request("GET", "/api/audit"))
    assert known[0] == 200
    assert (listed[0], listed[1]["error"]["code"]) == (503, "database_unavailable")
    assert (await ask(bridge, CHANGES))[0] == 200


async def test_a_revoked_key_does_not_work_again_when_the_database_goes_away(
    bridge: Bridge, page: FakePage, postgres_server: PostgresServer
) -> None:
    """Its holder was known, and then was not."""
    key_id, key = await bridge.components.users.add_key(bridge.local_user.id, "short-lived")
    assert (await ask(bridge, READS, key=key))[0] == 200
    await bridge.components.users.delete_key(bridge.local_user.id, key_id)
    assert (await ask(bridge, READS, key=key))[0] == 401
    async with stopped(postgres_server):
        assert (await ask(bridge, READS, key=key))[0] == 503


async def test_queries_that_are_cancelled_leave_the_connections_usable(address: URL) -> None:
    """Callers hang up at any moment; the pool is small."""
    store = Store.open_store(address)
    users = UserTables(store)
    for _ in range(30):
        looking = asyncio.create_task(users.list_users())
        await asyncio.sleep(0)
        looking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await looking
    async with asyncio.TaskGroup() as group:
        for number in range(30):
            group.create_task(users.ensure_user(f"user {number}"))
    assert len(await users.list_users()) == 30
    await store.close()


async def test_a_lock_of_another_program_is_not_waited_for_without_end(address: URL) -> None:
    """The request that meets it is told so, and the next one works."""
    impatient = address.update_query_dict({"options": "-c lock_timeout=50"})
    store = Store.open_store(impatient)
    users = UserTables(store)
    ann = await users.ensure_user("ann")
    engine = engine_of(address)
    with engine.begin() as connection:
        connection.execute(text("LOCK TABLE api_keys"))
        with pytest.raises(BridgeError) as told:
            await users.add_key(ann.id, "label")
    assert told.value.error.code is ErrorCode.DATABASE_UNAVAILABLE
    engine.dispose()
    await users.add_key(ann.id, "label")
    assert len(await users.list_keys(ann.id)) == 1
    await store.close()
