"""What is asked of a conversation while its user's page is reloaded."""

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
import socketio

from tests.support.conversation_client import Json, open_conversation
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import products, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider
from tests.support.running_bridge import page_of
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

LIST = calls(("listProducts", {"limit": 2}))


async def test_a_message_and_a_retry_right_after_a_reload_wait_for_the_page(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """A page that is reloaded is away for a moment: what its user asks for then waits for it, as calls do."""
    provider.play(LIST, text("Found."), LIST, text("Again."), text("Retried."))
    async with (
        shop_bridge(tmp_path, provider, limits={"PAGE_RESUME_SECONDS": 20}) as bridge,
        page_of(bridge, bridge.local_user.id, products) as page,
        open_conversation(bridge) as client,
    ):
        await client.say("Look")
        call_id = next(each["tool_call_id"] for each in await client.messages() if each["role"] == "tool")

        async def reload_during(work: Coroutine[Any, Any, Json]) -> Json:
            await page.close()
            await eventually(lambda: bridge.components.gateway.pages.count_pages(bridge.local_user.id) == 0)
            working = asyncio.create_task(work)
            ended, _ = await asyncio.wait({working}, timeout=0.3)
            assert not ended
            page.socket = socketio.AsyncClient(reconnection=False)
            await page.connect(products)
            return await working

        said = await reload_during(client.say("Look again"))
        assert said["assistant_message"]["content"] == "Again."
        retried = await reload_during(client.of("POST", f"/calls/{call_id}/retry", {}))
        assert retried["assistant_message"]["content"] == "Retried."
    assert len(page.calls) == 3
