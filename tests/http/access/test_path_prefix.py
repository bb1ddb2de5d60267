"""A bridge below a path of its origin: what it answers, and every address that it hands out."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.http_application import ROUTES
from bridge.app.server import Bridge
from bridge.settings.path_prefix import OWN_SEGMENTS
from tests.support.running_bridge import pair_browser, running_bridge
from tests.support.tcp_servers import free_port

pytestmark = pytest.mark.asyncio

PREFIX = "/team/bridge"


@pytest_asyncio.fixture
async def below(tmp_path: Path) -> AsyncIterator[Bridge]:
    """A bridge with a path prefix, and no proxy before it."""
    port = free_port()
    async with running_bridge(tmp_path, port=port, public_url=f"http://127.0.0.1:{port}{PREFIX}") as bridge:
        yield bridge


async def get(http: aiohttp.ClientSession, url: str) -> tuple[int, str]:
    async with http.get(url, allow_redirects=False) as answer:
        return answer.status, await answer.text()


async def test_a_prefix_never_begins_as_a_route_does(below: Bridge) -> None:
    """A new route has to be added to what a prefix may not begin with, or one of the two is not reached."""
    paths = [route.path for route in below.runner.app[ROUTES]]
    first = {path.strip("/").partition("/")[0] for path in paths} | {"ws"}
    assert first - {""} == OWN_SEGMENTS


async def test_the_bridge_answers_below_its_prefix_and_where_a_proxy_has_taken_it_away(
    below: Bridge, http: aiohttp.ClientSession
) -> None:
    """Finding W-47: both are usual; monitors of this machine know no prefix at all."""
    origin = below.base_url.removesuffix(PREFIX)
    assert await get(http, f"{below.base_url}/healthz") == (200, '{"status": "ok"}')
    assert await get(http, f"{origin}/healthz") == (200, '{"status": "ok"}')
    for page in (f"{below.base_url}/", below.base_url, f"{origin}/"):
        status, text = await get(http, page)
        assert status == 200
        assert f'src="{PREFIX}/static/' in text
        assert '"/static/' not in text
    assert (await get(http, f"{origin}/team/bridges/healthz"))[0] == 404


async def test_another_name_of_the_host_leads_to_the_page_below_the_prefix(
    below: Bridge, http: aiohttp.ClientSession
) -> None:
    """What a browser stores belongs to an origin (ruling 25), and the page to its prefix."""
    port = below.server.sockets[0].getsockname()[1]
    for path in ("/", f"{PREFIX}/", PREFIX):
        async with http.get(f"http://localhost:{port}{path}", allow_redirects=False) as answer:
            assert (answer.status, answer.headers["Location"]) == (307, f"{below.base_url}/")


async def test_addresses_that_the_bridge_hands_out_have_the_prefix(
    below: Bridge, http: aiohttp.ClientSession
) -> None:
    """Finding W-47: one that lacks it leads to another program of the origin, perhaps with a secret."""
    assert (await below.page_url()).startswith(f"{below.base_url}/#ticket=")
    status, text = await get(http, f"{below.base_url}/oauth/client.json")
    about = json.loads(text)
    assert (status, about["redirect_uris"]) == (200, [f"{below.base_url}/oauth/callback"])
    assert (about["client_id"], about["client_uri"]) == (
        f"{below.base_url}/oauth/client.json",
        f"{below.base_url}/",
    )
    ticket = await below.components.users.add_ticket(below.local_user.id)
    page = await pair_browser(below.base_url, http, ticket)
    await page.open_session()
    script = (await page.post("/api/executor", {}))["script_url"]
    assert script.startswith(f"{PREFIX}/executor/")
    status, text = await get(http, below.base_url.removesuffix(PREFIX) + script)
    assert (status, text.partition('"')[2].startswith(f"{PREFIX}/static/")) == (200, True)
    assert (await page.get("/api/me"))["base_url"] == below.base_url
    assert (await page.get("/api/connect"))["base_url"] == below.base_url
