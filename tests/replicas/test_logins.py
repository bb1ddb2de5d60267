"""Logins by OpenID Connect at two replicas behind a balancer that binds no browser to either."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio
from aiohttp import hdrs
from sqlalchemy import URL

from bridge.app.server import Bridge
from tests.support.cluster.replicas import running_replicas
from tests.support.oauth.login_provider import CLIENT_ID, CLIENT_SECRET, LoginProvider, login_provider
from tests.support.running_bridge import FakePage, new_browser, public_key_of
from tests.support.stores.postgresql import PostgresServer
from tests.support.stores.redis import RedisServer
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

PUBLIC_URL = "http://127.0.0.1:1"
"""That of the balancer, which each test plays itself."""


def address_of(bridge: Bridge) -> str:
    """Where a replica listens, behind the balancer."""
    return f"http://127.0.0.1:{bridge.server.sockets[0].getsockname()[1]}"


@dataclass
class Team:
    """Two replicas with a provider, and one browser, whose requests go wherever a test sends them."""

    here: Bridge
    there: Bridge
    provider: LoginProvider
    http: aiohttp.ClientSession
    """Has the cookies of the browser."""

    async def follow(self, url: str, bridge: Bridge | None = None) -> str:
        """Where an address leads; one of the balancer is asked for at that replica."""
        if bridge is not None:
            url = address_of(bridge) + url.removeprefix(PUBLIC_URL)
        async with self.http.get(url, allow_redirects=False) as answer:
            assert answer.status == 302, await answer.text()
            return answer.headers[hdrs.LOCATION]

    async def log_in(self, begun_at: Bridge, finished_at: Bridge) -> str:
        """The ticket of a login that two replicas share."""
        came_back = await self.follow(await self.follow("/login", begun_at))
        page, _, fragment = (await self.follow(came_back, finished_at)).partition("#ticket=")
        assert page == f"{PUBLIC_URL}/"
        return fragment

    async def pair(self, ticket: str, bridge: Bridge) -> FakePage:
        """A browser that has spent the ticket at a replica, with a session."""
        page = new_browser(address_of(bridge), self.http)
        body = {"ticket": ticket, "public_key": public_key_of(page.key)}
        status, paired = await page.request("POST", "/api/devices", body)
        assert status == 201, paired
        page.device_id = paired["device_id"]
        await page.open_session()
        return page

    async def is_operator(self, page: FakePage, bridge: Bridge) -> bool:
        """What a replica thinks of the page's user."""
        page.base_url = address_of(bridge)
        return (await page.get("/api/me"))["operator"]


@pytest.fixture
def database(postgres_server: PostgresServer) -> Iterator[URL]:
    with postgres_server.database() as url:
        yield url


@pytest_asyncio.fixture
async def team(tmp_path: Path, database: URL, redis_server: RedisServer) -> AsyncIterator[Team]:
    async with AsyncExitStack() as stack:
        provider = await stack.enter_async_context(login_provider())
        replicas = running_replicas(
            tmp_path,
            database,
            redis_server.url,
            public_url=PUBLIC_URL,
            oidc_issuer=provider.issuer,
            oidc_client_id=CLIENT_ID,
            oidc_client_secret=CLIENT_SECRET,
            oidc_operator_groups=("sre",),
        )
        here, there = await stack.enter_async_context(replicas)
        jar = aiohttp.CookieJar(unsafe=True)
        http = await stack.enter_async_context(aiohttp.ClientSession(cookie_jar=jar))
        yield Team(here, there, provider, http)


async def test_a_login_begun_at_one_replica_is_finished_at_another(team: Team) -> None:
    """Nothing of it is stored before it succeeds: the cookie brings along what the other one must know."""
    ticket = await team.log_in(team.here, team.there)
    page = await team.pair(ticket, team.here)
    for bridge in (team.here, team.there):
        page.base_url = address_of(bridge)
        assert (await page.get("/api/me"))["user"].startswith("Ada at ")


async def test_a_role_that_a_login_gives_or_takes_counts_at_every_replica(team: Team) -> None:
    """The other replica learns of it within a second, although the login ended elsewhere."""
    page = await team.pair(await team.log_in(team.here, team.here), team.here)
    for groups, is_operator in ((["sre"], True), (["staff"], False)):
        team.provider.claims["groups"] = groups
        assert await team.is_operator(page, team.here) is not is_operator
        await team.log_in(team.here, team.there)
        assert await team.is_operator(page, team.there) is is_operator

        async def agrees(expected: bool = is_operator) -> bool:
            return await team.is_operator(page, team.here) is expected

        await eventually(agrees)
