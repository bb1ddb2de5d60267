"""What a page hears from one of several replicas: that it lives, and where its user is at home."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from socketio.exceptions import ConnectionError as NotConnected

from bridge.app.part import AmongReplicas
from bridge.app.server import Bridge
from bridge.browsers.heartbeats import BEAT_S, SILENCE_S, SLOW_CHARS_PER_S
from bridge.errors import BridgeError, ErrorCode
from tests.support.documents.compiled import document_text
from tests.support.running_bridge import FakePage, json_answer, page_of, pair_browser, running_bridge
from tests.support.waiting import eventually

pytestmark = [pytest.mark.asyncio, pytest.mark.both_event_loops]

WAIT_S = 20


@dataclass
class Homes:
    """Where the user is at home."""

    route: str | None = None
    """None: at home here."""
    is_known: bool = True
    asked: list[str] = field(default_factory=list[str])

    async def find_route(self, user_id: str) -> str | None:
        self.asked.append(user_id)
        if not self.is_known:
            raise BridgeError(ErrorCode.CLUSTER_UNAVAILABLE, "Redis does not answer.", retryable=True)
        return self.route


@pytest.fixture
def homes() -> Homes:
    return Homes()


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, homes: Homes) -> AsyncGenerator[Bridge]:
    among = AmongReplicas(find_route=homes.find_route)
    async with running_bridge(tmp_path, among=lambda _store: among) as running:
        await running.components.registry.share_document("shop.json", document_text(), source_url=None)
        yield running


@pytest_asyncio.fixture
async def page(bridge: Bridge, http: aiohttp.ClientSession) -> AsyncGenerator[FakePage]:
    """A paired browser with a session, whose socket is not open yet."""
    ticket = (await bridge.page_url()).partition("#ticket=")[2]
    paired = await pair_browser(bridge.base_url, http, ticket)
    await paired.open_session()
    yield paired
    await paired.close()


async def answer(_call: dict[str, Any]) -> dict[str, Any]:
    return json_answer({"ok": 1})


Heard = asyncio.Queue[tuple[str, Any]]


async def heard_by(page: FakePage) -> Heard:
    """What the page hears from now on."""
    heard = Heard()

    def listen(event: str, data: Any = None) -> None:
        heard.put_nowait((event, data))

    page.socket.on("*", listen)
    return heard


async def next_of(heard: Heard, event: str) -> Any:
    async with asyncio.timeout(WAIT_S):
        while (said := await heard.get())[0] != event:
            pass
    return said[1]


async def call_tool(bridge: Bridge, tool: str, arguments: dict[str, Any]) -> int:
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with (
        aiohttp.ClientSession() as http,
        http.post(f"{bridge.base_url}/tools/{tool}", json=arguments, headers=headers) as response,
    ):
        await response.read()
        return response.status


async def test_the_page_of_a_single_bridge_expects_no_beat(bridge: Bridge) -> None:
    """A page that waited for one would disconnect every few seconds."""
    async with page_of(bridge, bridge.local_user.id, answer) as page:
        assert "beat_s" not in page.handshake


async def test_a_replica_tells_its_pages_that_it_lives(bridge: Bridge, page: FakePage) -> None:
    """Of a machine that is gone, a page learns nothing else for 45 s."""
    bridge.components.gateway.start_beats(every_s=0.01)
    heard = await heard_by(page)
    assert (await page.connect(answer))["beat_s"] == BEAT_S
    for _ in range(3):
        assert await next_of(heard, "bridge:beat") is None


async def test_beats_go_between_the_messages_to_a_page(bridge: Bridge, page: FakePage) -> None:
    """They are written past the queue of messages, and must damage none of them."""
    bridge.components.gateway.start_beats(every_s=0.001)
    heard = await heard_by(page)
    await page.connect(answer)
    await page.accept_everything()
    long = {"name": "t" * 300_000}
    assert await asyncio.gather(*(call_tool(bridge, "addProduct", long) for _ in range(5))) == [200] * 5
    assert len(page.calls) == 5
    await next_of(heard, "bridge:beat")


async def test_a_page_is_told_how_long_a_large_call_may_take(bridge: Bridge, page: FakePage) -> None:
    """A slow connection is silent until all of the message is there; disconnected, it would start again."""
    bridge.components.gateway.start_beats()
    heard = await heard_by(page)
    await page.connect(answer)
    await page.accept_everything()
    length = 4 * SLOW_CHARS_PER_S
    assert await call_tool(bridge, "addProduct", {"name": "t" * length}) == 200
    while (beat := await next_of(heard, "bridge:beat")) is None:
        pass
    assert beat["silence_s"] == SILENCE_S + 5


async def test_a_page_whose_user_moves_is_told_so_and_disconnected(bridge: Bridge, page: FakePage) -> None:
    """It connects again at once, and shows nothing of it."""
    heard = await heard_by(page)
    gone = asyncio.Event()
    page.socket.on("disconnect", lambda *_reason: gone.set())
    await page.connect(answer)
    await bridge.components.gateway.move_user(bridge.local_user.id)
    assert await next_of(heard, "bridge:moved") == {}
    await asyncio.wait_for(gone.wait(), WAIT_S)
    assert not bridge.components.gateway.pages.count_pages(bridge.local_user.id)


async def test_a_socket_of_a_user_who_is_at_home_elsewhere_is_told_its_route(
    bridge: Bridge, page: FakePage, homes: Homes
) -> None:
    """Its token stays good: it connects again, and any replica passes it on."""
    homes.route = "route-of-the-user"
    refusals: asyncio.Queue[Any] = asyncio.Queue()
    page.socket.on("connect_error", refusals.put)
    with pytest.raises(NotConnected):
        await page.connect(answer)
    refused = await asyncio.wait_for(refusals.get(), WAIT_S)
    assert (refused["data"]["code"], refused["data"]["detail"]) == (
        ErrorCode.WRONG_REPLICA,
        {"route": "route-of-the-user"},
    )
    assert homes.asked == [bridge.local_user.id]


async def test_a_socket_is_refused_while_nobody_can_say_where_its_user_is_at_home(
    bridge: Bridge, page: FakePage, homes: Homes
) -> None:
    """The page tries again, and meets another replica perhaps."""
    homes.is_known = False
    refusals: asyncio.Queue[Any] = asyncio.Queue()
    page.socket.on("connect_error", refusals.put)
    with pytest.raises(NotConnected):
        await page.connect(answer)
    assert (await asyncio.wait_for(refusals.get(), WAIT_S))["data"]["code"] == "cluster_unavailable"
    homes.is_known = True
    page.socket = type(page.socket)(reconnection=False)
    assert (await page.connect(answer))["protocol"]
    await eventually(lambda: bridge.components.gateway.pages.count_pages(bridge.local_user.id) == 1)
