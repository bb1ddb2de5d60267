"""A page that reads nothing of what it is sent, on a real socket."""

import asyncio
import gc
import json
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from bridge.browsers.socket_io import Outbox
from bridge.browsers.unread_messages import UnreadLimits
from tests.fuzz.hostile_frames import TEXT, masked
from tests.fuzz.search import HANDSHAKE
from tests.support.cluster.bridge_pairs import home_url
from tests.support.documents.compiled import document_text
from tests.support.running_bridge import json_answer, page_of, pair_browser, running_bridge
from tests.support.waiting import eventually

pytestmark = [pytest.mark.asyncio, pytest.mark.both_event_loops]

MIB = 1024 * 1024

LARGE = json.dumps({"name": "x" * 900_000})
"""Arguments; several of these do not fit into the buffers of a connection."""


@pytest_asyncio.fixture
async def bridge(tmp_path: Path) -> AsyncGenerator[Bridge]:
    async with running_bridge(tmp_path) as running:
        await running.components.registry.share_document("shop.json", document_text(), source_url=None)
        yield running


@pytest_asyncio.fixture
async def http() -> AsyncGenerator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        yield session


Buy = Callable[[], Coroutine[Any, Any, tuple[int, Any]]]


@asynccontextmanager
async def deaf_page(bridge: Bridge, http: aiohttp.ClientSession, user: str) -> AsyncGenerator[Buy]:
    """A page of the user that greets, and then reads nothing; gives what calls it with large arguments."""
    users = bridge.components.users
    account = await users.ensure_user(user)
    _, key = await users.add_key(account.id, "test")
    page = await pair_browser(bridge.base_url, http, await users.add_ticket(account.id))
    opening = f"40{json.dumps({'token': await page.open_session()})}"
    await page.accept_everything()
    source, host = Random(1), urlsplit(home_url(bridge.base_url)).netloc
    reader, writer = await asyncio.open_connection(*host.split(":"), limit=1024)
    hello = '42["bridge:hello",{"protocol": 2,"page_id":"p"}]'
    frames = [masked(TEXT, text.encode(), source) for text in (opening, hello)]
    writer.write(HANDSHAKE.format(host=host).encode() + b"".join(frames))
    await reader.readuntil(b"\r\n\r\n")
    await eventually(lambda: bridge.components.gateway.pages.count_pages(account.id))

    async def buy() -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {key}"}
        async with http.post(f"{bridge.base_url}/tools/addProduct", data=LARGE, headers=headers) as response:
            return response.status, await response.json()

    yield buy
    writer.transport.abort()


async def test_a_page_that_reads_nothing_is_disconnected_and_its_calls_are_in_doubt(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """The bridge kept every call for it in memory, and callers could make more and more of them."""
    gateway = bridge.components.gateway
    gateway.unread.limits = UnreadLimits(page_bytes=16 * MIB)
    async with deaf_page(bridge, http, "eve") as buy:
        endings = await asyncio.gather(*(buy() for _ in range(40)))
    codes = [(status, answer["error"]["code"]) for status, answer in endings]
    assert (409, "outcome_unknown") in codes
    assert set(codes) <= {(409, "outcome_unknown"), (503, "no_browser")}
    assert (gateway.unread.total_bytes, gateway.unread.pages) == (0, {})


async def test_what_a_page_did_not_read_is_forgotten_when_its_socket_ends(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """The library held it for another 25 s, while such a page could come back as often as it liked."""
    gateway = bridge.components.gateway
    async with deaf_page(bridge, http, "eve") as buy:
        calls = [asyncio.create_task(buy()) for _ in range(20)]
        await eventually(lambda: gateway.unread.total_bytes > 8 * MIB)
        queues = [each for each in gc.get_objects() if isinstance(each, Outbox) and not each.is_empty]
    await asyncio.gather(*calls)
    await eventually(lambda: all(queue.is_empty for queue in queues))
    assert queues


async def test_a_page_that_reads_nothing_leaves_other_pages_alone(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """The page that has most goes, and it is not the one that reads."""

    async def answer(_call: dict[str, Any]) -> dict[str, Any]:
        return json_answer({"ok": 1})

    gateway = bridge.components.gateway
    gateway.unread.limits = UnreadLimits(total_bytes=16 * MIB)
    async with page_of(bridge, bridge.local_user.id, answer) as page, deaf_page(bridge, http, "eve") as buy:
        deaf = [asyncio.create_task(buy()) for _ in range(40)]
        url, headers = f"{bridge.base_url}/tools/addProduct", {"Authorization": f"Bearer {bridge.key}"}
        for _ in range(20):
            async with http.post(url, data=LARGE, headers=headers) as response:
                assert response.status == 200
        assert {status for status, _ in await asyncio.gather(*deaf)} <= {409, 503}
        assert len(page.calls) == 20


async def test_the_bridge_stops_in_time_beside_a_page_that_reads_nothing(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    """It asks its pages to hang up, but such a page never hears of it."""
    loop = asyncio.get_running_loop()
    async with AsyncExitStack() as later:
        async with running_bridge(tmp_path) as bridge:
            await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
            buy = await later.enter_async_context(deaf_page(bridge, http, "eve"))
            calls = [asyncio.create_task(buy()) for _ in range(20)]
            await eventually(lambda: bridge.components.gateway.unread.total_bytes > 8 * MIB)
            began = loop.time()
        assert loop.time() - began < 10
        assert {status for status, _ in await asyncio.gather(*calls)} <= {409, 503}
