"""Two replicas with PostgreSQL and Redis: one user, one home, whatever the load balancer does."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from sqlalchemy import URL

from bridge.app.parts.documents import DocumentsPart
from bridge.app.server import Bridge
from bridge.cluster.redis_connection import RedisConnection
from bridge.cluster.redis_directory import RedisDirectory
from tests.support.cluster.replica_settings import replica_settings
from tests.support.cluster.replicas import running_replicas, settle_home
from tests.support.documents.compiled import document_text, operation
from tests.support.mcp_messages import begin_session, legacy_request, post_message
from tests.support.prometheus import metric
from tests.support.running_bridge import FakePage, json_answer, pair_browser, running_bridge
from tests.support.stores.databases import execute
from tests.support.stores.postgresql import PostgresServer
from tests.support.stores.redis import RedisServer
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

LIST, ADD = "/tools/listProducts", "/tools/addProduct"


@dataclass
class TwoReplicas:
    """A page that connected at the first replica, and callers at either."""

    here: Bridge
    there: Bridge
    database: URL
    page: FakePage
    http: aiohttp.ClientSession

    async def call(self, bridge: Bridge, path: str = LIST, **arguments: Any) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {self.here.key}"}
        async with self.http.post(bridge.base_url + path, json=arguments, headers=headers) as response:
            return response.status, await response.json()


@pytest.fixture
def database(postgres_server: PostgresServer) -> Iterator[URL]:
    with postgres_server.database() as url:
        yield url


@pytest_asyncio.fixture
async def two(
    tmp_path: Path, database: URL, redis_server: RedisServer, http: aiohttp.ClientSession
) -> AsyncGenerator[TwoReplicas]:
    async with running_replicas(tmp_path, database, redis_server.url) as (here, there):
        ticket = await here.components.users.add_ticket(here.local_user.id)
        page = await pair_browser(here.base_url, http, ticket)
        await page.open_session()
        await page.accept_everything()
        yield TwoReplicas(here, there, database, page, http)
        await page.close()


async def products(_call: dict[str, Any]) -> dict[str, Any]:
    return json_answer([{"id": 1, "name": "tea"}])


async def test_a_caller_at_another_replica_reaches_the_page(two: TwoReplicas) -> None:
    """The page decides where its user is at home; everybody else is passed on (31, 32)."""
    await two.page.connect(products)
    for bridge in (two.here, two.there):
        assert await two.call(bridge) == (200, {"result": [{"id": 1, "name": "tea"}]})
    assert [
        bridge.components.gateway.pages.count_pages(two.here.local_user.id)
        for bridge in (two.here, two.there)
    ] == [1, 0]
    assert [_count_homes(bridge) for bridge in (two.here, two.there)] == [1, 0]


def _count_homes(bridge: Bridge) -> float:
    instruments = bridge.components.metrics.instruments
    bridge.components.set_gauges(instruments.state)
    return metric(instruments.registry, "homes")


async def test_an_unsafe_call_is_two_commits_under_the_claim(two: TwoReplicas) -> None:
    """Opening and ending, each before anybody acts on it (33)."""
    await two.page.connect(products)
    status, _ = await two.call(two.there, ADD, name="cup", price=2)
    assert status == 200
    ((epoch, state, ended),) = execute(two.database, "SELECT epoch, state, ended_at IS NOT NULL FROM calls")
    assert (epoch, state, ended) == (1, "succeeded", True)


async def test_an_mcp_session_keeps_its_names_at_each_replica_and_without_its_first(
    tmp_path: Path, database: URL, redis_server: RedisServer, http: aiohttp.ClientSession
) -> None:
    """Finding W-18: a new home had not heard which client it is, and listed other names in mid-chat."""
    long = document_text(
        "Long", paths={"/long": operation("read_every_product_of_each_shop_that_we_ever_had")}
    )
    async with running_replicas(tmp_path, database, redis_server.url, count=3) as replicas:
        first, *others = replicas
        for replica in replicas:
            await replica.components.registry.share_document("long.json", long, source_url=None)

        async def names(replica: Bridge) -> list[str]:
            body, headers = legacy_request("tools/list")
            _, answer = await post_message(replica, http, body, headers | session, key=first.key)
            return [tool["name"] for tool in answer["result"]["tools"]]

        client = {"name": "claude-code (via mcp-remote 0.1)", "version": "1"}
        session = await begin_session(first, http, client)
        await settle_home(first, first.local_user.id)
        shown = [await names(replica) for replica in replicas]
        await first.replica.leaving.drain(first.components, 1.0)  # type: ignore[union-attr]
        shown += [await names(replica) for replica in others]
        assert [shown[0]] * 5 == shown
        assert max(map(len, shown[0])) <= 46


async def test_a_replica_that_stops_hands_its_users_over(two: TwoReplicas) -> None:
    """A rolling restart: the page comes back at the new home, and calls go on."""
    await two.page.connect(products)
    await two.call(two.here)
    await two.here.replica.leaving.drain(two.here.components, 1.0)  # type: ignore[union-attr]
    page = FakePage(two.there.base_url, two.http, two.page.device_id, two.page.key)
    await page.connect(products)
    assert await two.call(two.there) == (200, {"result": [{"id": 1, "name": "tea"}]})
    assert execute(two.database, "SELECT replica FROM homes") == [(two.there.replica.id,)]  # type: ignore[union-attr]
    await page.close()


async def test_a_home_that_is_not_reached_keeps_its_page_and_nobody_else(two: TwoReplicas) -> None:
    """Who asks elsewhere hears that nothing was sent; once the page has left, its user is handed over."""
    await two.page.connect(products)
    two.here.relay.stop_listening()  # type: ignore[union-attr]
    for _ in range(2):
        status, told = await two.call(two.there, ADD, name="cup", price=2)
        assert (status, told["error"]["code"]) == (503, "cluster_unavailable")
        assert "Nothing was sent" in told["error"]["message"]
    assert execute(two.database, "SELECT count(*) FROM calls") == [(0,)]
    route = two.there.relay.make_route(two.here.local_user.id)  # type: ignore[union-attr]
    socket = f"{two.there.base_url}/ws/socket.io/?EIO=4&transport=websocket&route={route}"
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await two.http.ws_connect(socket, origin=two.there.base_url)
    assert refused.value.status == 503, "so that the page comes again through the balancer"
    assert (await two.call(two.here))[0] == 200
    await two.page.close()
    page = FakePage(two.there.base_url, two.http, two.page.device_id, two.page.key)
    await eventually(lambda: two.here.components.gateway.pages.count_pages(two.here.local_user.id) == 0)
    await two.call(two.there)
    await page.connect(products)
    assert await two.call(two.there, ADD, name="cup", price=2) == (
        200,
        {"result": [{"id": 1, "name": "tea"}]},
    )
    assert execute(two.database, "SELECT replica FROM homes") == [(two.there.replica.id,)]  # type: ignore[union-attr]
    await page.close()


async def test_a_replica_offers_its_documents_before_it_takes_users(
    tmp_path: Path, database: URL, redis_server: RedisServer
) -> None:
    """Users are handed over to whoever seems ready, and a call of a tool not yet loaded would be unknown."""
    connection = RedisConnection(redis_server.url)
    listed: list[int] = []

    async def offer(documents: DocumentsPart) -> None:
        listed.append(len(await RedisDirectory(connection).list_replicas()))
        await documents.registry.share_document("shop.json", document_text(), source_url=None)

    settings = replica_settings(redis_server.url, "ab" * 32)
    async with running_bridge(tmp_path, database=database, offer=offer, **settings):
        listed.append(len(await RedisDirectory(connection).list_replicas()))
    await connection.close()
    assert listed == [0, 1]
