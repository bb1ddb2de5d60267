"""A page that was open while the bridge was updated: it speaks an older protocol than the bridge."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from bridge.browser_protocol import PROTOCOL
from tests.support.documents.compiled import document_text
from tests.support.running_bridge import FakePage, json_answer, page_of, pair_browser, running_bridge

pytestmark = pytest.mark.asyncio

OLD_HELLO: dict[str, Any] = {
    "protocol": PROTOCOL - 1,
    "page_id": "p1",
    "instance": "worker-1",
    "epoch": "journal-1",
    "alive": [],
    "calls": [{"call_id": "call_1", "state": "waiting"}],
    "visibility": "visible",
    "origins": ["http://api.example"],
}
"""What a page of protocol 1 sent, which knew `bridge:turn` and the answers `go` and `wait`."""


@pytest_asyncio.fixture
async def bridge(tmp_path: Path) -> AsyncGenerator[Bridge]:
    async with running_bridge(tmp_path) as running:
        await running.components.registry.share_document("shop.json", document_text(), source_url=None)
        yield running


async def answer(_call: dict[str, Any]) -> dict[str, Any]:
    return json_answer({"ok": 1})


async def paired(bridge: Bridge, http: aiohttp.ClientSession) -> FakePage:
    return await pair_browser(bridge.base_url, http, (await bridge.page_url()).partition("#ticket=")[2])


async def call(bridge: Bridge, http: aiohttp.ClientSession) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with http.post(f"{bridge.base_url}/tools/listProducts", json={}, headers=headers) as response:
        return response.status, await response.json()


async def test_an_old_page_is_told_to_reload(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """It shows the message of the error to its user, and connects no more."""
    page = await paired(bridge, http)
    refused = await page.connect(answer, OLD_HELLO)
    assert refused["error"]["code"] == "invalid_request"
    assert "Reload the page" in refused["error"]["message"]
    await page.close()


async def test_an_old_page_gets_no_call(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """It would wait for `bridge:turn` with a card that its user has already answered."""
    old = await paired(bridge, http)
    await old.connect(answer, OLD_HELLO)
    await old.accept_everything()
    status, refused = await call(bridge, http)
    assert (status, refused["error"]["code"]) == (503, "no_browser")
    async with page_of(bridge, bridge.local_user.id, answer):
        assert await call(bridge, http) == (200, {"ok": 1})
    assert old.calls == []
    await old.close()
