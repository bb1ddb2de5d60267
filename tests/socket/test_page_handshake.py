"""How a page introduces itself, with its connection or after it, and how it learns of what it missed."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from bridge.browser_protocol import PROTOCOL
from tests.support.cluster.bridge_pairs import home_url
from tests.support.documents.compiled import document_text
from tests.support.running_bridge import FakePage, json_answer, pair_browser, running_bridge
from tests.support.stores.databases import execute

pytestmark = [pytest.mark.asyncio, pytest.mark.both_event_loops]

WAIT_S = 20
WELCOME_S = 8
"""Less than a socket has for its handshake, and than a page waits for its welcome."""
HELLO: dict[str, Any] = {"protocol": PROTOCOL, "page_id": "p1", "instance": "w1", "epoch": "e1"}


@pytest_asyncio.fixture
async def bridge(tmp_path: Path) -> AsyncGenerator[Bridge]:
    async with running_bridge(tmp_path) as running:
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


async def greet(page: FakePage, hello: object) -> dict[str, Any]:
    """Connect with a handshake inside, and return the welcome."""
    welcomes: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    page.socket.on("bridge:welcome", welcomes.put)
    auth = {"token": page.token, "hello": hello}
    await page.socket.connect(
        home_url(page.base_url),
        socketio_path="ws/socket.io",
        transports=["websocket"],
        auth=auth,
        wait_timeout=WAIT_S,
    )
    return await asyncio.wait_for(welcomes.get(), WAIT_S)


async def test_a_page_that_introduces_itself_while_it_connects_is_welcomed(
    bridge: Bridge, page: FakePage
) -> None:
    """One round trip less until it may be called."""
    welcome = await greet(page, HELLO)
    assert (welcome["protocol"], welcome["user"], welcome["ended_calls"]) == (PROTOCOL, "local", [])
    assert set(welcome["limits"]) == {"inline_result_bytes", "result_bytes", "file_bytes"}
    assert bridge.components.gateway.pages.newest_page(bridge.local_user.id)


async def test_both_forms_of_the_handshake_are_answered_alike(bridge: Bridge, page: FakePage) -> None:
    """A worker of before an update of the bridge goes on with the form that it knows."""
    welcome = await greet(page, HELLO)
    assert await page.socket.call("bridge:hello", HELLO, timeout=WAIT_S) == welcome


@pytest.mark.parametrize("hello", [{**HELLO, "protocol": 99}, {"protocol": PROTOCOL}, "hello", 5, []])
async def test_an_introduction_that_does_not_fit_is_refused_in_the_welcome(
    bridge: Bridge, page: FakePage, hello: object
) -> None:
    """The page shows the message to its user, and is sent no call."""
    welcome = await greet(page, hello)
    assert welcome["error"]["code"] == "invalid_request"
    assert bridge.components.gateway.pages.newest_page(bridge.local_user.id) is None


async def test_a_page_that_cannot_be_welcomed_is_disconnected_so_that_it_tries_again(
    bridge: Bridge, page: FakePage, tmp_path: Path
) -> None:
    """The database may be away for a moment; a page that only waits is called by nobody."""
    gone = asyncio.Event()
    page.socket.on("disconnect", lambda *_reason: gone.set())
    auth = {"token": page.token, "hello": HELLO}
    await asyncio.to_thread(execute, tmp_path / "bridge.sqlite3", "ALTER TABLE grants RENAME TO away")
    await page.socket.connect(
        home_url(page.base_url),
        socketio_path="ws/socket.io",
        transports=["websocket"],
        auth=auth,
        wait_timeout=WAIT_S,
    )
    await asyncio.wait_for(gone.wait(), WELCOME_S)
    await asyncio.to_thread(execute, tmp_path / "bridge.sqlite3", "ALTER TABLE away RENAME TO grants")
    assert (await greet(page, HELLO))["user"] == "local"


async def test_lists_and_handshake_name_one_revision_until_something_changes(
    bridge: Bridge, page: FakePage
) -> None:
    """What changed between a page's lists and its connection was announced to nobody."""
    before = await revisions(page)
    assert len(before) == 1
    await page.accept_everything()
    after = await revisions(page)
    assert len(after) == 1
    assert after != before
    assert {(await greet(page, HELLO))["revision"]} == after


async def test_a_report_on_a_document_is_a_change_too(bridge: Bridge, page: FakePage) -> None:
    """It comes when the document is listed already."""
    [server] = (await bridge.components.registry.view_of_user(bridge.local_user.id)).servers
    report, server.validation = server.validation, type(server.validation)("pending")
    before = await revisions(page)
    server.validation = report if report.state != "pending" else type(report)("valid")
    assert await revisions(page) != before


async def revisions(page: FakePage) -> set[str]:
    """The revisions that everything a page loads at its start names."""
    asked = [await page.get(path) for path in ("/api/servers", "/api/tools?schemas=no", "/api/selection")]
    return {facts["revision"] for facts in [*asked, await page.post("/api/executor", {})]}
