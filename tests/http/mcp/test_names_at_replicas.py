"""Short names at `/mcp` of several replicas."""

from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bridge.timings import Timings
from tests.support.documents.compiled import document_text, operation
from tests.support.linked_bridges import linked_bridges
from tests.support.mcp_messages import begin_session, legacy_request, post_message
from tests.support.running_bridge import json_answer, pair_browser

pytestmark = pytest.mark.asyncio

NAME = "read_the_products_of_every_shop_and_of_all_of_its_departments"


async def answer_call(_call: dict[str, Any]) -> dict[str, Any]:
    return json_answer({"ok": True})


async def test_a_short_name_is_listed_and_called_through_any_replica(
    tmp_path: Path, timings: Timings, http: aiohttp.ClientSession
) -> None:
    """Finding W-18: a legacy client introduces itself to one replica, and its calls come to another.

    Then its user is at home at the replica that it did not introduce itself to.
    """
    text = document_text("Long", paths={"/long": operation(NAME)})
    async with linked_bridges(tmp_path, timings=timings) as two:
        replicas, key = (two.here, two.there), two.here.key
        for replica in replicas:
            await replica.components.registry.share_document("long.json", text, source_url=None)
        ticket = await two.here.components.users.add_ticket(two.here.local_user.id)
        page = await pair_browser(two.here.base_url, http, ticket)
        await page.open_session()
        await page.accept_everything()
        await page.connect(answer_call)
        session = await begin_session(two.here, http, {"name": "claude-code", "version": "1"}, key=key)
        shown: list[Any] = []
        for replica in replicas:
            body, headers = legacy_request("tools/list")
            _, listed = await post_message(replica, http, body, headers | session, key=key)
            shown.append([each["name"] for each in listed["result"]["tools"]])
            [short] = [name for name in shown[-1] if name.startswith("read_the")]
            assert len(short) <= 46
            message = legacy_request("tools/call", {"name": short})
            _, called = await post_message(replica, http, *message, key=key)
            assert called["result"]["structuredContent"] == {"ok": True}
        two.table.first_home = "a"
        for replica in replicas:
            body, headers = legacy_request("tools/list")
            _, listed = await post_message(replica, http, body, headers | session, key=key)
            shown.append([each["name"] for each in listed["result"]["tools"]])
        assert [shown[0]] * 4 == shown
        await page.close()
