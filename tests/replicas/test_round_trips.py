"""What one call has PostgreSQL and Redis do, counted on the wire: the promise of issue 19, and no more.

What replicas do whether or not somebody calls is known by its words, and left out; so are the rows that a
bridge alone writes behind its calls, too, in groups for which no caller waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from sqlalchemy import URL

from bridge.app.server import Bridge
from bridge.storage.database import MAX_OVERFLOW, POOL_SIZE
from bridge.timings import Timings
from tests.support.cluster.replicas import running_replicas
from tests.support.documents.compiled import document_text
from tests.support.running_bridge import FakePage, json_answer, page_of, running_bridge
from tests.support.stores.postgresql import PostgresServer
from tests.support.stores.redis import RedisServer
from tests.support.stores.wire_counters import (
    ExecutedCommands,
    ExecutedStatements,
    Statement,
    counted_postgres,
    counted_redis,
)

pytestmark = pytest.mark.asyncio

LIST, ADD = "/tools/listProducts", "/tools/addProduct"

WARMING = 8
"""Calls of each kind before it counts: what is read once is in memory then, and pages and homes are known."""

COUNTED = 3
BURSTS = 4
CONNECTIONS = POOL_SIZE + MAX_OVERFLOW

SWEEPS = ("FROM homes WHERE replica =", "WITH open_work AS", "FROM change_counters")
"""Parts of the statements that each replica repeats every five seconds."""

LOOKS = ("api_keys.id IN", "devices.id IN", "users.id IN")
"""Of those that ask every second whether callers who wait may still get in."""

REPEATED = ("ZADD", "ZRANGE", "INFO", "tool-bridge:counts:")
"""Words of the scripts that each replica repeats every second, and of its counters, told every five."""

BELL = ("SUBSCRIBE", "PING", "CLIENT")
"""Commands of the bell, and of a connection that is opened."""

WRITE = "INSERT INTO calls"
PING = ";"
OF_GROUPS = (PING, "BEGIN", "COMMIT", WRITE, "INSERT INTO audit")


KNOWN_KEYS = Timings(key_s=3600)
"""Keys are looked up once, however long the calls take."""


@dataclass
class Wires:
    """What was executed by all replicas."""

    postgres: ExecutedStatements
    redis: ExecutedCommands

    def forget(self) -> None:
        """Count from now on."""
        self.postgres.statements.clear()
        self.redis.commands.clear()

    def statements_of_calls(self) -> Sequence[Statement]:
        """All but what replicas repeat, and what is written behind calls."""
        return _without_groups(_without_repeated(self.postgres.statements))

    def commits_of_calls(self) -> Sequence[str]:
        """The beginning of each statement; every one has to be a commit of its own."""
        statements = self.statements_of_calls()
        assert all(one.is_committed_alone for one in statements), statements
        return [one.text[: len(WRITE)] for one in statements]

    def commands_of_calls(self) -> Sequence[str]:
        """All but what replicas repeat."""
        return [
            words[0]
            for words in self.redis.commands
            if words[0] not in BELL and not any(part in " ".join(words) for part in REPEATED)
        ]


def _without_repeated(statements: Sequence[Statement]) -> Sequence[Statement]:
    """Leave out what replicas repeat, each with the ping before it on its connection."""
    kept: list[Statement] = []
    for one in statements:
        if not any(part in one.text for part in (*SWEEPS, *LOOKS)):
            kept.append(one)
            continue
        before = next((each for each in reversed(kept) if each.connection == one.connection), None)
        if before is not None and before.text == PING:
            kept.remove(before)
    return kept


def _without_groups(statements: Sequence[Statement]) -> Sequence[Statement]:
    """Leave out the transactions in which the writing thread inserts rows of calls and of the audit log.

    A ping belongs to what follows it on its connection.
    """
    kept: list[Statement] = []
    unfinished: dict[int, list[Statement]] = {}
    for one in statements:
        begun = unfinished.setdefault(one.connection, [])
        begun.append(one)
        is_alone = one.is_committed_alone and one.text != PING
        if is_alone or one.text.startswith(("COMMIT", "ROLLBACK")):
            is_group = not is_alone and all(part.text.startswith(OF_GROUPS) for part in begun)
            kept += [] if is_group else begun
            begun.clear()
    return kept


@contextmanager
def counted_engines(
    postgres_server: PostgresServer, redis_server: RedisServer
) -> Generator[tuple[URL, str, Wires]]:
    with (
        postgres_server.database() as url,
        counted_postgres(postgres_server.network_url(str(url.database))) as (database, statements),
        counted_redis(redis_server.port) as (redis_url, commands),
    ):
        yield database, redis_url, Wires(statements, commands)


@dataclass
class Two:
    """A page at the first of two replicas, and what both have executed."""

    here: Bridge
    there: Bridge
    wires: Wires
    page: FakePage
    http: aiohttp.ClientSession

    async def call(self, bridge: Bridge, path: str, times: int = 1) -> None:
        for _ in range(times):
            await call(self.http, bridge, self.here.key, path)

    async def count_calls(self, bridge: Bridge, path: str) -> None:
        """Calls of which nothing is special any more."""
        await self.call(bridge, path, WARMING)
        await self.here.components.journal.catch_up()
        self.wires.forget()
        await self.call(bridge, path, COUNTED)


async def call(http: aiohttp.ClientSession, bridge: Bridge, key: str, path: str) -> None:
    headers = {"Authorization": f"Bearer {key}"}
    body = {"name": "cup"} if path == ADD else {}
    async with http.post(bridge.base_url + path, json=body, headers=headers) as response:
        assert response.status == 200, await response.text()


async def answered(_call: object) -> dict[str, Any]:
    return json_answer({"ok": True})


@asynccontextmanager
async def two_replicas(
    folder: Path, postgres_server: PostgresServer, redis_server: RedisServer, **settings: Any
) -> AsyncGenerator[Two]:
    with counted_engines(postgres_server, redis_server) as (database, redis_url, wires):
        async with (
            running_replicas(folder, database, redis_url, timings=KNOWN_KEYS, **settings) as (here, there),
            page_of(here, here.local_user.id, answered) as page,
            aiohttp.ClientSession() as http,
        ):
            yield Two(here, there, wires, page, http)


async def test_a_safe_call_asks_neither_engine_at_any_replica(
    tmp_path: Path, postgres_server: PostgresServer, redis_server: RedisServer
) -> None:
    """It is performed as in one process; the other replica has the home in memory."""
    async with two_replicas(tmp_path, postgres_server, redis_server) as two:
        for bridge in (two.here, two.there):
            await two.count_calls(bridge, LIST)
            assert two.wires.commits_of_calls() == []
            assert two.wires.commands_of_calls() == []


async def test_an_unsafe_call_is_two_commits_and_no_other_statement(
    tmp_path: Path, postgres_server: PostgresServer, redis_server: RedisServer
) -> None:
    """Its opening and its ending, wherever it arrives (33)."""
    async with two_replicas(tmp_path, postgres_server, redis_server) as two:
        for bridge in (two.here, two.there):
            await two.count_calls(bridge, ADD)
            assert two.wires.commits_of_calls() == [WRITE, WRITE] * COUNTED
            assert two.wires.commands_of_calls() == []


async def test_an_unsafe_call_whose_user_is_asked_is_three_commits(
    tmp_path: Path, postgres_server: PostgresServer, redis_server: RedisServer
) -> None:
    """Its go is committed before the page hears of it, because a claim may have come meanwhile."""
    async with two_replicas(tmp_path, postgres_server, redis_server, approve="safe") as two:
        two.page.socket.on("events", _asking_user(two.page))
        for bridge in (two.here, two.there):
            await two.count_calls(bridge, ADD)
            assert two.wires.commits_of_calls() == [WRITE, WRITE, WRITE] * COUNTED
            assert two.wires.commands_of_calls() == []


async def test_bursts_of_unsafe_calls_keep_the_connections_of_the_first_one(
    tmp_path: Path, postgres_server: PostgresServer, redis_server: RedisServer
) -> None:
    """To open one costs PostgreSQL a process, and each call of the burst a wait."""
    async with two_replicas(tmp_path, postgres_server, redis_server) as two:
        for _ in range(BURSTS):
            await asyncio.gather(*(two.call(two.here, ADD) for _ in range(2 * CONNECTIONS)))
        writing = {one.connection for one in two.wires.postgres.statements if one.is_commit_of(WRITE)}
        assert len(writing) <= CONNECTIONS


async def test_a_bridge_alone_commits_nothing_that_its_caller_waits_for(
    tmp_path: Path, postgres_server: PostgresServer, redis_server: RedisServer
) -> None:
    """What the two commits are compared with: one process has a file of its own for what must not be lost."""
    with counted_engines(postgres_server, redis_server) as (database, _, wires):
        async with (
            running_bridge(tmp_path, database=database) as alone,
            aiohttp.ClientSession() as http,
        ):
            await alone.components.registry.share_document("shop.json", document_text(), source_url=None)
            async with page_of(alone, alone.local_user.id, answered):
                for _ in range(WARMING):
                    await call(http, alone, alone.key, ADD)
                await alone.components.journal.catch_up()
                wires.forget()
                await call(http, alone, alone.key, ADD)
                assert wires.commits_of_calls() == []
                await alone.components.journal.catch_up()
                assert any(one.text.startswith(WRITE) for one in wires.postgres.statements)


async def test_a_replica_that_does_not_know_the_home_asks_redis_once(
    tmp_path: Path, postgres_server: PostgresServer, redis_server: RedisServer
) -> None:
    """The hint spares the question to PostgreSQL, and from then on the home is in memory."""
    async with two_replicas(tmp_path, postgres_server, redis_server) as two:
        await two.call(two.here, LIST, WARMING)
        await two.here.components.journal.catch_up()
        asked: list[Sequence[str]] = []
        for _ in range(2):
            two.wires.forget()
            await two.call(two.there, LIST)
            asked.append(two.wires.commands_of_calls())
            assert not any("homes" in one.text for one in two.wires.statements_of_calls())
        assert asked == [["HMGET"], []]


def _asking_user(page: FakePage) -> Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]:
    """What a page does whose user allows everything once."""

    async def decide(call_id: str) -> None:
        said = {"call_id": call_id, "decision": "once"}
        reply = await page.socket.call("bridge:decision", said, timeout=20)
        assert reply["may_begin"], reply
        await page.socket.emit("bridge:result", {"call_id": call_id, "outcome": json_answer({"ok": True})})

    async def received(envelope: dict[str, Any]) -> dict[str, Any]:
        call_id = envelope["data"]["data"]["id"]
        page.socket.start_background_task(decide, call_id)
        return {"call_id": call_id, "awaiting_approval": True}

    return received
