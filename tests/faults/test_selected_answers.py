"""A call that carries a query, whose bridge is killed with -9 while the API works."""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.faults.killed_bridge import KillableBridge, killable_bridge
from tests.support.models.scripted_provider import scripted_provider
from tests.support.running_bridge import json_answer
from tests.support.waiting import eventually

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(180), pytest.mark.slow]


async def silent(_tool: str) -> None:
    return None


async def answered(_tool: str) -> dict[str, Any]:
    return json_answer({"products": ["tea", "cup"]})


async def ask(bridge: KillableBridge, select: str) -> Any:
    url = f"{bridge.facts['base_url']}/tools/listProducts"
    headers = {"Authorization": f"Bearer {bridge.facts['key']}"}
    arguments = {"limit": 2, "result_select": select}
    async with bridge.http.post(url, json=arguments, headers=headers) as response:
        return await response.json()


async def test_a_query_changes_nothing_about_a_call_that_a_kill_ends(tmp_path: Path) -> None:
    """Ruling 57: it is not made again for the sake of its query, and the next one is queried as always."""
    async with scripted_provider() as provider, killable_bridge(tmp_path, provider) as bridge:
        await bridge.open_page(silent)
        asking = asyncio.create_task(ask(bridge, "products[0]"))
        await eventually(lambda: bridge.ledger, within_s=30)
        await bridge.kill()
        with suppress(aiohttp.ClientError):
            await asking
        await bridge.start()
        await bridge.open_page(answered)
        assert bridge.ledger == ["GET /products"]
        assert (await ask(bridge, "products[0]"))["selected"] == "tea"
        assert bridge.ledger == ["GET /products"] * 2
