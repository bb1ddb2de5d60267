"""Calls in the first seconds after a start, when pages are still on their way back."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bridge.app.server import Bridge
from bridge.app.start import start_bridge
from bridge.storage.database import open_database
from bridge.storage.open_pages import OPEN_PAGES_FILE, read_users
from tests.support.documents.compiled import document_text
from tests.support.documents.inline_reader import InlineReader
from tests.support.running_bridge import TEST_LIMITS, FakePage, json_answer, page_of, running_bridge
from tests.support.settings import bridge_settings
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio


async def answer(_call: dict[str, Any]) -> dict[str, Any]:
    return json_answer({"page": "is back"})


async def share_shop(bridge: Bridge) -> None:
    await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)


async def call(bridge: Bridge, http: aiohttp.ClientSession) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with http.post(f"{bridge.base_url}/tools/listProducts", data="{}", headers=headers) as response:
        return response.status, await response.json()


async def recorded_users_are(folder: Path, *user_ids: str) -> None:
    """Wait until the file says that these users, and nobody else, have an open page."""
    await eventually(lambda: read_users(folder / OPEN_PAGES_FILE) == frozenset(user_ids))


async def test_a_call_right_after_a_start_waits_for_the_page_that_was_open_before(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    """It reconnects by itself within seconds: until then nobody is told to open one."""
    database = open_database(tmp_path / "bridge.sqlite3")
    bridge = await start_bridge(
        bridge_settings(tmp_path, limits=TEST_LIMITS), database, documents=InlineReader()
    )
    await share_shop(bridge)
    async with page_of(bridge, bridge.local_user.id, answer) as page:
        await recorded_users_are(tmp_path, bridge.local_user.id)
        await bridge.close()
    assert sys.platform == "win32" or not (tmp_path / OPEN_PAGES_FILE).stat().st_mode & 0o077
    async with running_bridge(tmp_path) as bridge:
        await share_shop(bridge)
        calling = asyncio.create_task(call(bridge, http))
        ended, _ = await asyncio.wait({calling}, timeout=0.3)
        assert not ended
        back = FakePage(bridge.base_url, http, page.device_id, page.key)
        await back.connect(answer)
        assert await calling == (200, {"page": "is back"})
        await back.close()


async def test_a_call_right_after_a_start_fails_at_once_if_no_page_was_open_before(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    """A page that its user had closed does not come back by itself."""
    async with running_bridge(tmp_path) as bridge:
        await share_shop(bridge)
        async with page_of(bridge, bridge.local_user.id, answer):
            await recorded_users_are(tmp_path, bridge.local_user.id)
        await recorded_users_are(tmp_path)
    patient = {"PAGE_RESUME_SECONDS": 30.0}
    async with running_bridge(tmp_path, limits=patient) as bridge, asyncio.timeout(20):
        await share_shop(bridge)
        status, told = await call(bridge, http)
        assert (status, told["error"]["code"]) == (503, "no_browser")
