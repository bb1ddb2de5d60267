"""Runs of conversations that end otherwise than they should: the bridge stops, or its disk is full."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp
import pytest

from bridge.errors import ErrorCode
from tests.support.conversation_client import ConversationClient, listen_to_events, open_conversation
from tests.support.models.model_answers import text
from tests.support.models.model_bridge import shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider, script
from tests.support.stores.full_disk import limit_disk
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio


async def test_a_bridge_that_stops_says_so_and_the_next_one_goes_on(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """W-32: what was said until then is a message, and the history can be gone on from."""
    provider.play(script(text("Half ", "an answer.")).held(asyncio.Event(), after=5), text("Whole."))
    async with AsyncExitStack() as running:
        bridge = await running.enter_async_context(shop_bridge(tmp_path, provider))
        async with open_conversation(bridge) as client, listen_to_events(client) as heard:
            chat = client.ask("POST", f"/conversations/{client.id}/chat", {"content": "Go"})
            asking = asyncio.create_task(chat)
            await eventually(lambda: heard.has("text_delta"))
            await running.aclose()
            status, answer = await asking
            await eventually(lambda: heard.has("run_ended"))
    assert (status, answer["error"]["code"]) == (503, ErrorCode.SERVER_BUSY)
    [ended] = heard.of("run_ended")
    assert (ended["state"], ended["error"]["code"]) == ("failed", ErrorCode.SERVER_BUSY)
    async with shop_bridge(tmp_path, provider) as next_bridge, aiohttp.ClientSession() as http:
        again = ConversationClient(next_bridge.base_url, http, next_bridge.key, client.id)
        assert [each["content"] for each in await again.messages()] == ["Go", "Half "]
        assert (await again.say(None))["assistant_message"]["content"] == "Whole."


async def test_an_answer_goes_on_while_the_disk_is_full_and_is_kept_when_it_is_not(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """Whoever listens is told; nothing that was answered is lost by a disk that has room again in time."""
    release = asyncio.Event()
    provider.play(script(text("All ", "of it.")).held(release, after=5))
    async with (
        shop_bridge(tmp_path, provider) as bridge,
        open_conversation(bridge) as client,
        listen_to_events(client) as heard,
    ):
        await client.begin("Speak")
        await eventually(lambda: heard.has("text_delta"))
        with limit_disk(0):
            release.set()
            await eventually(lambda: heard.has("notice"))
            assert heard.text == "All of it."
        await eventually(lambda: heard.has("run_ended"))
        assert heard.of("run_ended")[0]["state"] == "completed"
        assert [each["content"] for each in await client.messages()] == ["Speak", "All of it."]
