"""A login of a real browser at a real provider, with two replicas behind a balancer that knows nobody."""

import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser
from sqlalchemy import URL

from bridge.app.server import Bridge
from tests.support.chromium import expect_connection
from tests.support.cluster.balancer import Balancer, running_balancer
from tests.support.cluster.replica_settings import free_port, replica_settings
from tests.support.oauth.identity_provider import CLIENT_ID, CLIENT_SECRET, running_provider
from tests.support.running_bridge import running_bridge
from tests.support.stores.postgresql import PostgresServer
from tests.support.stores.redis import RedisServer

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


@dataclass
class Team:
    """Replicas, and the address that everybody knows."""

    replicas: list[Bridge]
    url: str


@pytest.fixture
def database(postgres_server: PostgresServer) -> Iterator[URL]:
    with postgres_server.database() as url:
        yield url


@pytest_asyncio.fixture(loop_scope="session")
async def team(tmp_path: Path, database: URL, redis_server: RedisServer) -> AsyncIterator[Team]:
    async with AsyncExitStack() as stack:
        ports = [free_port(), free_port()]
        balancer: Balancer = await stack.enter_async_context(running_balancer(ports))
        url = f"http://127.0.0.1:{balancer.port}"
        provider = await stack.enter_async_context(running_provider(tmp_path, url))
        settings: dict[str, Any] = {
            "public_url": url,
            "oidc_issuer": provider.issuer,
            "oidc_client_id": CLIENT_ID,
            "oidc_client_secret": CLIENT_SECRET,
            "oidc_scopes": ("openid", "profile", "groups"),
        }
        secret, replicas = secrets.token_hex(32), list[Bridge]()
        for port in ports:
            folder = tmp_path / str(port)
            folder.mkdir()
            more = replica_settings(redis_server.url, secret)
            running = running_bridge(folder, database=database, port=port, **settings, **more)
            replicas.append(await stack.enter_async_context(running))
        yield Team(replicas, url)


async def test_whoever_logs_in_gets_a_page_whichever_replicas_the_balancer_chooses(
    chromium: Browser, team: Team
) -> None:
    """Beginning, end and pairing of a login are requests of their own, each at a replica by chance."""
    for account in ("ada", "bob"):
        context = await chromium.new_context()
        page = await context.new_page()
        await page.goto(team.url)
        await page.get_by_test_id("log-in").click()
        await page.get_by_label("Account").fill(account)
        await page.get_by_role("button", name="Continue").click()
        await expect_connection(page, "connected")
        assert page.url.startswith(f"{team.url}/")
        await context.close()
    names = [user.name.rpartition(":")[2] for user in await team.replicas[0].components.users.list_users()]
    assert sorted(names) == ["ada", "bob", "local"]
