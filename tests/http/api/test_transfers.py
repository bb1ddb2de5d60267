"""Contents of a browser on their way to another: for one user, once, and unread."""

import json
import logging
from collections.abc import AsyncIterator
from io import BytesIO
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from bridge.browsers.transfers import MAX_TRANSFER_CHARS, WRONG_IDS
from tests.support.running_bridge import FakePage, pair_browser

pytestmark = [pytest.mark.asyncio, pytest.mark.two_replicas]

ID, OTHER = "a" * 32, "b" * 32
SEALED = "c4nary-envelope-3f81"


async def browser_of(bridge: Bridge, http: aiohttp.ClientSession, user: str) -> FakePage:
    account = await bridge.components.users.ensure_user(user)
    page = await pair_browser(bridge.base_url, http, await bridge.components.users.add_ticket(account.id))
    await page.open_session()
    return page


@pytest_asyncio.fixture
async def laptop(bridge: Bridge, http: aiohttp.ClientSession) -> AsyncIterator[FakePage]:
    """A browser of Ann's."""
    page = await browser_of(bridge, http, "ann")
    yield page
    await page.close()


async def offer(page: FakePage, envelope: str = SEALED) -> tuple[int, Any]:
    body = BytesIO(json.dumps({"id": ID, "envelope": envelope}).encode())
    headers = {"Authorization": f"Bearer {page.token}", "Content-Type": "application/json"}
    async with page.http.post(page.base_url + "/api/transfers", data=body, headers=headers) as answer:
        return answer.status, await answer.json()


async def fetch(page: FakePage, transfer_id: str = ID) -> tuple[int, Any]:
    return await page.request("POST", "/api/transfers/fetch", {"id": transfer_id})


async def test_another_browser_of_the_user_fetches_it_once(
    bridge: Bridge, http: aiohttp.ClientSession, laptop: FakePage, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever sees the code later, over a shoulder, is too late; and no log has what passed."""
    caplog.set_level(logging.DEBUG)
    tablet = await browser_of(bridge, http, "ann")
    assert await offer(laptop) == (201, {"expires_in": 600})
    assert await laptop.get("/api/transfers") == {"state": "waiting"}
    assert await fetch(tablet) == (200, {"envelope": SEALED})
    assert await laptop.get("/api/transfers") == {"state": "fetched"}
    status, answer = await fetch(tablet)
    assert (status, answer["error"]["code"]) == (404, "not_found")
    assert SEALED not in caplog.text
    entries = (await laptop.get("/api/audit"))["entries"]
    moved = [entry["detail"]["step"] for entry in entries if entry["kind"] == "browser_moved"]
    assert sorted(moved) == ["fetched", "offered"]


async def test_another_user_fetches_nothing_even_with_the_id(
    bridge: Bridge, http: aiohttp.ClientSession, laptop: FakePage
) -> None:
    """The id alone opens nothing; but what is Ann's is not even given to Bob."""
    bob = await browser_of(bridge, http, "bob")
    await offer(laptop)
    assert (await fetch(bob))[0] == 404
    assert (await fetch(laptop))[0] == 200


async def test_what_was_taken_back_and_what_came_before_is_gone(laptop: FakePage) -> None:
    """A code that its user cancelled, or replaced by another, leads nowhere."""
    await offer(laptop)
    await laptop.request("DELETE", "/api/transfers")
    assert await laptop.get("/api/transfers") == {"state": "gone"}
    assert (await fetch(laptop))[0] == 404
    await offer(laptop, "former")
    await offer(laptop, "new")
    assert await fetch(laptop) == (200, {"envelope": "new"})


async def test_guessing_ids_ends_soon(laptop: FakePage) -> None:
    """Of 2^128 ids; not even the right one is given then."""
    await offer(laptop)
    assert [(await fetch(laptop, OTHER))[0] for _ in range(WRONG_IDS + 1)] == [404] * WRONG_IDS + [429]
    assert (await fetch(laptop))[0] == 429


async def test_too_much_and_what_is_no_transfer_is_refused(bridge: Bridge, laptop: FakePage) -> None:
    """The bridge stores for ten minutes what it cannot read; it does not become a file store."""
    assert (await offer(laptop, "x" * MAX_TRANSFER_CHARS))[0] == 201
    status, answer = await offer(laptop, "x" * (MAX_TRANSFER_CHARS + 1))
    assert (status, answer["error"]["detail"]["field"]) == (400, "envelope")
    assert (await offer(laptop, "x" * 2 * MAX_TRANSFER_CHARS))[0] == 413
    status, answer = await laptop.request("POST", "/api/transfers", {"id": "../x", "envelope": "x"})
    assert (status, answer["error"]["detail"]["field"]) == (400, "id")
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with laptop.http.delete(bridge.base_url + "/api/transfers", headers=headers) as refused:
        assert (await refused.json())["error"]["code"] == "page_only"
