"""Answers that a replica keeps in its own folder, asked for when their user is at home elsewhere."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from sqlalchemy import URL

from bridge.app.server import Bridge
from tests.support.cluster.replicas import running_replicas
from tests.support.running_bridge import json_answer, page_of, pair_browser
from tests.support.stores.postgresql import PostgresServer
from tests.support.stores.redis import RedisServer
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

LONG = [{"id": number, "name": "tea" * 100} for number in range(2000)]


@pytest.fixture
def database(postgres_server: PostgresServer) -> Iterator[URL]:
    with postgres_server.database() as url:
        yield url


@pytest_asyncio.fixture
async def replicas(tmp_path: Path, database: URL, redis_server: RedisServer) -> AsyncIterator[list[Bridge]]:
    async with running_replicas(tmp_path, database, redis_server.url) as running:
        yield running


async def call(bridge: Bridge, key: str, tool: str, arguments: object) -> tuple[int, dict[str, Any]]:
    async with (
        aiohttp.ClientSession(bridge.base_url, headers={"Authorization": f"Bearer {key}"}) as http,
        http.post(f"/tools/{tool}", json=arguments) as answer,
    ):
        return answer.status, await answer.json()


async def link_status(bridge: Bridge, url: str) -> int:
    path = "/files/" + url.rpartition("/")[2]
    async with aiohttp.ClientSession(bridge.base_url) as http, http.get(path) as answer:
        await answer.read()
        return answer.status


async def keep_answer(here: Bridge, there: Bridge, http: aiohttp.ClientSession) -> dict[str, Any]:
    """What the caller at one replica reads, cut, while the page and the whole answer are at the other."""
    page = await pair_browser(here.base_url, http, await here.components.users.add_ticket(here.local_user.id))
    await page.open_session()
    await page.accept_everything()

    async def answer(_call: dict[str, Any]) -> dict[str, Any]:
        return json_answer(LONG)

    await page.connect(answer)
    status, cut = await call(there, here.key, "listProducts", {})
    assert status == 200
    await page.close()
    return cut


async def is_alone(bridge: Bridge) -> bool:
    assert bridge.replica is not None
    return (await bridge.replica.check_ready()).endswith("alone.")


async def test_an_answer_is_read_where_its_user_has_moved_to(
    replicas: list[Bridge], http: aiohttp.ClientSession
) -> None:
    """Its id names the replica that keeps it, which gives it out for as long as it lives."""
    here, there = replicas
    cut = await keep_answer(here, there, http)
    read_on = {"call_id": cut["call_id"], "offset": cut["next_offset"]}
    status, before = await call(there, here.key, "read_result", read_on)
    assert status == 200
    await here.replica.leaving.drain(here.components, 1.0)  # type: ignore[union-attr]
    assert await call(there, here.key, "read_result", read_on) == (200, before)
    assert await link_status(there, cut["file"]["url"]) == 200
    assert await link_status(here, cut["file"]["url"]) == 200
    here.relay.stop_listening()  # type: ignore[union-attr]
    assert await call(there, here.key, "read_result", read_on) == (200, before), "it was copied"


async def test_an_answer_kept_by_a_replica_that_is_gone_is_told_as_lost(
    replicas: list[Bridge], http: aiohttp.ClientSession
) -> None:
    """`not_found` would say that there was none."""
    here, there = replicas
    cut = await keep_answer(here, there, http)
    read_on = {"call_id": cut["call_id"], "offset": cut["next_offset"]}
    await here.replica.leaving.drain(here.components, 1.0)  # type: ignore[union-attr]
    await here.replica.close()  # type: ignore[union-attr]
    await eventually(lambda: is_alone(there))
    status, lost = await call(there, here.key, "read_result", read_on)
    assert (status, lost["error"]["code"]) == (410, "answer_lost")
    assert lost["error"]["detail"] == {"call_id": cut["call_id"]}
    assert await link_status(there, cut["file"]["url"]) == 410
    made_up = {"call_id": f"call_{'0' * 32}", "offset": 0}
    assert (await call(there, here.key, "read_result", made_up))[0] == 404


async def test_a_short_answer_was_kept_nowhere_and_is_not_told_as_lost(
    replicas: list[Bridge], http: aiohttp.ClientSession
) -> None:
    """A bridge alone says `not_found`, too; whoever is told of a loss looks for damage."""
    here, there = replicas
    async with page_of(here, here.local_user.id, answer_shortly) as page:
        status, _ = await call(there, here.key, "listProducts", {})
        assert status == 200
        call_id = page.calls[0]["id"]
        for bridge in replicas:
            found = await call(bridge, here.key, "read_result", {"call_id": call_id, "offset": 0})
            assert (found[0], found[1]["error"]["code"]) == (404, "not_found")


async def answer_shortly(_call: dict[str, Any]) -> dict[str, Any]:
    return json_answer({"ok": 1})


async def test_an_answer_in_a_folder_of_all_replicas_outlives_the_one_that_kept_it(
    tmp_path: Path, database: URL, redis_server: RedisServer, http: aiohttp.ClientSession
) -> None:
    """Its link and `read_result` work wherever the user is at home."""
    shared = tmp_path / "answers"
    async with running_replicas(tmp_path, database, redis_server.url, answers_dir=shared) as (here, there):
        cut = await keep_answer(here, there, http)
        read_on = {"call_id": cut["call_id"], "offset": cut["next_offset"]}
        await here.replica.leaving.drain(here.components, 1.0)  # type: ignore[union-attr]
        assert (await call(there, here.key, "read_result", read_on))[0] == 200
        assert await link_status(there, cut["file"]["url"]) == 200
