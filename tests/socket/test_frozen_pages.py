"""Pages that are connected and answer nothing: the system froze them."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from bridge.timings import USUAL_TIMINGS, Timings
from tests.support.documents.compiled import document_text
from tests.support.running_bridge import json_answer, page_of, running_bridge

pytestmark = [pytest.mark.asyncio, pytest.mark.slow]

ARGUMENTS = {"listProducts": {}, "addProduct": {"name": "tea"}}


@pytest_asyncio.fixture
async def bridge(tmp_path: Path) -> AsyncGenerator[Bridge]:
    """All waits are shortened alike; their order is the point."""
    timings = Timings(ack_s=USUAL_TIMINGS.ack_s / 2, silence_s=USUAL_TIMINGS.silence_s / 2)
    async with running_bridge(tmp_path, limits={"PAGE_RESUME_SECONDS": 0.5}, timings=timings) as running:
        await running.components.registry.share_document("shop.json", document_text(), source_url=None)
        yield running


async def run(bridge: Bridge, tool: str) -> tuple[int, str]:
    """Status and code of the error that a caller gets."""
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with (
        aiohttp.ClientSession() as http,
        http.post(f"{bridge.base_url}/tools/{tool}", json=ARGUMENTS[tool], headers=headers) as response,
    ):
        return response.status, (await response.json())["error"]["code"]


async def answer(_call: dict[str, Any]) -> dict[str, Any]:
    return json_answer({"ok": 1})


@pytest.mark.parametrize(
    ("tool", "ending"), [("listProducts", (503, "no_browser")), ("addProduct", (409, "outcome_unknown"))]
)
async def test_a_call_of_a_frozen_page_ends_with_its_own_status(
    bridge: Bridge, tool: str, ending: tuple[int, str]
) -> None:
    """D1: it was an error within an HTTP 200, after 45 s: white space had begun before anything was known."""

    async def freeze(_envelope: Any) -> None:
        await asyncio.Event().wait()

    async with page_of(bridge, bridge.local_user.id, answer) as page:
        page.socket.on("events", freeze)
        assert await run(bridge, tool) == ending


async def test_a_page_of_which_something_is_heard_is_not_frozen(bridge: Bridge) -> None:
    """Its acknowledgement may wait behind much else on a slow connection."""
    released = asyncio.Event()

    async def acknowledge_late(envelope: dict[str, Any]) -> dict[str, Any]:
        await released.wait()
        return {"call_id": envelope["data"]["data"]["id"], "error": {"code": "not_accepted", "message": "x"}}

    async with page_of(bridge, bridge.local_user.id, answer) as page:
        page.socket.on("events", acknowledge_late)
        running = asyncio.create_task(run(bridge, "listProducts"))
        for visibility in ("hidden", "visible") * 2:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(1.5):
                    await asyncio.shield(running)
            await page.socket.emit("bridge:visibility", {"visibility": visibility})
        released.set()
        assert (await running)[1] == "not_accepted"
        assert page.socket.connected
