"""Short names at `/mcp` of several replicas."""

from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bridge.timings import Timings
from tests.support.documents.compiled import document_text, operation
from tests.support.linked_bridges import linked_bridges
from tests.support.mcp_messages import legacy_request, post_message
from tests.support.running_bridge import json_answer, pair_browser

pytestmark = pytest.mark.asyncio

NAME = "read_the_products_of_every_shop_and_of_all_of_its_departments"


async def answer_call(_call: dict[str, Any]) -> dict[str, Any]:
    return json_answer({"ok": True})


async def test_a_short_name_is_listed_and_called_through_any_replica(
    tmp_path: Path, timings: Timings, http: aiohttp.ClientSession
) -> None:
    """Finding W-18: a legacy client introduces itself to one replica, and its calls come to another."""
    text = document_text("Long", paths={"/long": operation(NAME)})
    start: dict[str, Any] = {"protocolVersion": "2025-11-25", "capabilities": {}}
    start["clientInfo"] = {"name": "claude-code", "version": "1"}
    async with linked_bridges(tmp_path, timings=timings) as two:
        replicas, key = (two.here, two.there), two.here.key
        for replica in replicas:
            await replica.components.registry.share_document("long.json", text, source_url=None)
        ticket = await two.here.components.users.add_ticket(two.here.local_user.id)
        page = await pair_browser(two.here.base_url, http, ticket)
        await page.open_session()
        await page.accept_everything()
        await page.connect(answer_call)
        await post_message(two.here, http, *legacy_request("initialize", start), key=key)
        for replica in replicas:
            _, listed = await post_message(replica, http, *legacy_request("tools/list"), key=key)
            names = [each["name"] for each in listed["result"]["tools"]]
            [short] = [name for name in names if name.startswith("read_the")]
            assert len(short) <= 46
            message = legacy_request("tools/call", {"name": short})
            _, called = await post_message(replica, http, *message, key=key)
            assert called["result"]["structuredContent"] == {"ok": True}
        await page.close()
