"""Homes of users in PostgreSQL: who gets a user when several replicas want it, and what waits for what."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager

import psycopg
import pytest
import pytest_asyncio
from sqlalchemy import URL

from bridge.errors import BridgeError, ErrorCode
from bridge.homes import Home
from bridge.storage.replicas.homes import HomeTable
from bridge.storage.store import Store
from tests.support.stores.databases import execute
from tests.support.stores.postgresql import PostgresServer

pytestmark = pytest.mark.asyncio

CALL = (
    "INSERT INTO calls (id, user_id, tool, server_id, operation_key, safe, state, may_begin, opened_at)"
    " VALUES ('call-{0}', '{0}', 't', 's', 'o', false, 'sent', true, 1)"
)


@pytest.fixture
def where(postgres_server: PostgresServer) -> Iterator[URL]:
    with postgres_server.database() as url:
        people = [f"('{name}', '{name}', 0)" for name in ("ann", "bob", "cleo")]
        execute(url, f"INSERT INTO users (id, name, created_at) VALUES {', '.join(people)}")
        yield url


@asynccontextmanager
async def table_at(where: URL) -> AsyncGenerator[HomeTable]:
    store = Store.open_store(where)
    yield HomeTable(store.fenced_sessions)
    await store.close()


@pytest_asyncio.fixture
async def homes(where: URL) -> AsyncIterator[HomeTable]:
    async with table_at(where) as table:
        yield table


async def test_of_two_replicas_that_claim_a_new_user_one_gets_it(where: URL, homes: HomeTable) -> None:
    """Both learn the same home."""
    async with table_at(where) as others:
        first, second = await asyncio.gather(
            homes.claim_home("ann", "a", None), others.claim_home("ann", "b", None)
        )
    assert first == second
    assert first.epoch == 1


async def test_of_two_replicas_that_claim_from_a_dead_one_one_gets_it(where: URL, homes: HomeTable) -> None:
    """Each epoch has one owner."""
    held = await homes.claim_home("ann", "dead", None)
    async with table_at(where) as others:
        first, second = await asyncio.gather(
            homes.claim_home("ann", "a", held), others.claim_home("ann", "b", held)
        )
    assert first == second
    assert first.epoch == held.epoch + 1
    assert await homes.find_home("ann") == first


async def test_a_home_that_was_released_is_nowhere_and_its_epoch_is_spent(homes: HomeTable) -> None:
    """What was written under the old epoch is refused from then on."""
    held = await homes.claim_home("ann", "a", None)
    assert await homes.release_home(held)
    assert await homes.find_home("ann") == Home("ann", "", held.epoch + 1)
    assert not await homes.release_home(held)


async def test_a_replica_lists_its_users_and_nobody_elses(homes: HomeTable) -> None:
    """It compares them with its memory every five seconds."""
    await homes.claim_home("ann", "a", None)
    await homes.claim_home("bob", "b", None)
    assert await homes.list_homes("a") == {"ann": 1}
    assert await homes.find_home("cleo") is None


async def test_a_deleted_user_is_claimed_by_nobody(where: URL, homes: HomeTable) -> None:
    """The request that caused the claim came from somebody who is gone now."""
    held = await homes.claim_home("ann", "a", None)
    execute(where, "DELETE FROM users WHERE id = 'ann'")
    for before in (None, held):
        with pytest.raises(BridgeError) as refused:
            await homes.claim_home("ann", "b", before)
        assert refused.value.error.code is ErrorCode.UNAUTHORIZED


async def test_a_claim_waits_for_an_opening_that_is_being_committed(where: URL, homes: HomeTable) -> None:
    """The new home must see the call; if the opening takes longer than a second, there is no claim."""
    held = await homes.claim_home("ann", "a", None)
    address = where.set(drivername="postgresql").render_as_string(hide_password=False)
    async with await psycopg.AsyncConnection.connect(address) as opening:
        await opening.execute("SELECT FROM homes WHERE user_id = 'ann' FOR SHARE")
        with pytest.raises(BridgeError) as refused:
            await homes.claim_home("ann", "b", held)
        assert refused.value.error.code is ErrorCode.DATABASE_UNAVAILABLE
        claiming = asyncio.create_task(homes.claim_home("ann", "b", held))
        await opening.commit()
        assert (await claiming).replica == "b"


async def test_users_left_with_open_work_are_claimed_those_with_calls_first(
    where: URL, homes: HomeTable
) -> None:
    """Somebody must end their calls, although nobody comes."""
    response = (
        "INSERT INTO kept_responses (id, user_id, model, status, body, request, size, background,"
        " created_at, used_at) VALUES ('r', 'ann', 'm', 'queued', '', '', 0, true, 0, 0)"
    )
    execute(where, response, CALL.format("bob"), CALL.format("cleo"))
    left = [await homes.claim_home(name, "dead", None) for name in ("ann", "bob")]
    await homes.claim_home("cleo", "alive", None)
    assert await homes.claim_left("b", ["alive"], 1) == [(left[1], Home("bob", "b", 2))]
    assert await homes.claim_left("b", ["alive"], 32) == [(left[0], Home("ann", "b", 2))]
    assert await homes.claim_left("b", ["alive"], 32) == []


async def test_users_whom_another_replica_is_claiming_are_left_to_it(where: URL, homes: HomeTable) -> None:
    """Replicas that notice a death at once share its users without waiting for each other."""
    execute(where, CALL.format("ann"), CALL.format("bob"))
    await homes.claim_home("ann", "dead", None)
    await homes.claim_home("bob", "dead", None)
    address = where.set(drivername="postgresql").render_as_string(hide_password=False)
    async with await psycopg.AsyncConnection.connect(address) as other:
        await other.execute("SELECT FROM homes WHERE user_id = 'ann' FOR UPDATE")
        assert [now.user_id for _, now in await homes.claim_left("b", [], 32)] == ["bob"]


async def test_what_a_single_bridge_left_open_is_claimed_the_second_time(
    where: URL, homes: HomeTable
) -> None:
    """A database that served one bridge before has calls and no homes."""
    execute(where, CALL.format("ann"))
    assert await homes.claim_left("a", [], 32) == []
    assert await homes.claim_left("a", [], 32) == [(Home("ann", "", 0), Home("ann", "a", 1))]


async def test_users_with_a_run_that_moves_are_claimed(where: URL, homes: HomeTable) -> None:
    """Its next home may be lost before it has gone on with it."""
    run = (
        "INSERT INTO conversations (id, user_id, created_at, updated_at, settings, size, run_id, run_state)"
        " VALUES ('c', 'ann', 0, 0, '', 0, 'run-1', 'moving')"
    )
    execute(where, run)
    left = await homes.claim_home("ann", "dead", None)
    assert await homes.claim_left("b", [], 32) == [(left, Home("ann", "b", 2))]
