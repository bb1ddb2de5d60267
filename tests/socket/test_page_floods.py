"""A page that floods the bridge, and the calls of another user beside it."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from bridge.browsers.message_budget import BURST
from tests.fuzz.hostile_frames import TEXT, masked
from tests.fuzz.search import HANDSHAKE
from tests.support.cluster.bridge_pairs import home_url
from tests.support.documents.compiled import document_text
from tests.support.running_bridge import json_answer, page_of, pair_browser, running_bridge
from tests.support.waiting import eventually

pytestmark = [pytest.mark.asyncio, pytest.mark.both_event_loops]

FLOOD = 20_000
"""Messages of one page: what the queue of the journal took before other users' calls were refused."""

CALLS = 50


@pytest_asyncio.fixture
async def bridge(tmp_path: Path) -> AsyncGenerator[Bridge]:
    async with running_bridge(tmp_path) as running:
        await running.components.registry.share_document("shop.json", document_text(), source_url=None)
        yield running


async def answer(_call: dict[str, Any]) -> dict[str, Any]:
    return json_answer({"ok": 1})


async def buy(bridge: Bridge, http: aiohttp.ClientSession) -> int:
    """A call of the local user that changes something."""
    headers = {"Authorization": f"Bearer {bridge.key}"}
    url = f"{bridge.base_url}/tools/addProduct"
    async with http.post(url, json={"name": "tea"}, headers=headers) as response:
        await response.read()
        return response.status


@asynccontextmanager
async def flooding(
    bridge: Bridge, http: aiohttp.ClientSession, event: str, said: Any
) -> AsyncGenerator[None]:
    """A page of Eve that greets, and then says one thing as fast as it is read."""
    eve = await bridge.components.users.ensure_user("eve")
    page = await pair_browser(bridge.base_url, http, await bridge.components.users.add_ticket(eve.id))
    opening = f"40{json.dumps({'token': await page.open_session()})}"
    hello = '42["bridge:hello",{"protocol": 2,"page_id":"p"}]'
    source = Random(1)
    host = urlsplit(home_url(bridge.base_url)).netloc
    _, writer = await asyncio.open_connection(*host.split(":"))
    frames = [masked(TEXT, text.encode(), source) for text in (opening, hello)]
    frames.append(masked(TEXT, f"42{json.dumps([event, said])}".encode(), source) * FLOOD)
    writer.write(HANDSHAKE.format(host=host).encode() + b"".join(frames))
    await eventually(lambda: bridge.components.gateway.pages.count_pages(eve.id))
    yield
    writer.transport.abort()
    with suppress(ConnectionError):
        await writer.wait_closed()


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ("bridge:result", {"call_id": "call_nope", "outcome": json_answer({"forged": 1})}),
        ("bridge:result", {"call_id": "call_nope", "outcome": "unreadable"}),
        ("bridge:visibility", {"visibility": "hidden"}),
        ("bridge:hello", {"protocol": 2, "page_id": "p"}),
    ],
)
async def test_a_flood_of_one_page_fails_no_call_of_another_user(
    bridge: Bridge, http: aiohttp.ClientSession, event: str, said: dict[str, Any]
) -> None:
    """Three of 92 unsafe calls were refused, others waited for six seconds; `bench hostile` has times."""
    async with page_of(bridge, bridge.local_user.id, answer), flooding(bridge, http, event, said):
        assert [await buy(bridge, http) for _ in range(CALLS)] == [200] * CALLS
        entries = bridge.components.journal._entries  # pyright: ignore[reportPrivateUsage] - what may not fill
        assert CALLS <= entries.accepted <= 2 * CALLS  # an ending finds its opening where that still waits


async def test_a_page_that_answers_its_calls_is_not_slowed_down_by_the_pace(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """It says more than a page may say unasked, and none of it waits: that would take 20 s."""
    async with page_of(bridge, bridge.local_user.id, answer) as mine:
        began = asyncio.get_running_loop().time()
        for _ in range(BURST // 20):
            async with asyncio.TaskGroup() as group:
                bought = [group.create_task(buy(bridge, http)) for _ in range(20)]
            assert [task.result() for task in bought] == [200] * 20
        assert asyncio.get_running_loop().time() - began < 20
        assert len(mine.calls) == BURST
