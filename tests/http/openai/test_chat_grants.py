"""What was allowed for a chat, asked for by other callers that name the same chat, at every door."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from tests.support.conversation_client import ConversationClient, open_conversation
from tests.support.mcp_messages import modern_request, post_message
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, client_of, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider
from tests.support.running_bridge import FakePage, json_answer, page_of
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

TEA = {"name": "tea"}


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, provider: ScriptedProvider) -> AsyncIterator[Bridge]:
    async with shop_bridge(tmp_path, provider, approve="safe") as running:
        yield running


@pytest_asyncio.fixture
async def page(bridge: Bridge) -> AsyncIterator[FakePage]:
    """It allows each call that asks for the chat."""
    async with page_of(bridge, bridge.local_user.id, lambda _call: asyncio.sleep(0)) as connected:

        async def decide(call_id: str) -> None:
            said = {"call_id": call_id, "decision": "chat"}
            assert (await connected.socket.call("bridge:decision", said, timeout=20))["may_begin"] is True
            await finish(call_id)

        async def finish(call_id: str) -> None:
            result = {"call_id": call_id, "outcome": json_answer({"ok": True})}
            await connected.socket.emit("bridge:result", result)

        async def received(envelope: dict[str, Any]) -> dict[str, Any]:
            call = envelope["data"]["data"]
            connected.calls.append(call)
            asks = call["bridge"]["approval"] == "needed"
            connected.socket.start_background_task(decide if asks else finish, call["id"])
            return {"call_id": call["id"], "awaiting_approval": asks}

        connected.socket.on("events", received)
        yield connected


@pytest_asyncio.fixture
async def conversation(bridge: Bridge, page: FakePage) -> AsyncIterator[ConversationClient]:
    async with open_conversation(bridge) as opened:
        yield opened


Ask = Callable[[str], Awaitable[Any]]
"""Makes the call with a key."""


def doors_of(bridge: Bridge, provider: ScriptedProvider, conversation: ConversationClient) -> dict[str, Ask]:
    """Every door, each of which names the conversation as its chat."""

    async def tool_server(key: str, header: str) -> None:
        sent = {"Authorization": f"Bearer {key}", header: conversation.id}
        url = f"{bridge.base_url}/tools/addProduct"
        async with conversation.http.post(url, json=TEA, headers=sent) as response:
            assert response.status == 200, await response.text()

    async def mcp(key: str) -> None:
        body, headers = modern_request("tools/call", {"name": "addProduct", "arguments": TEA})
        headers["X-OpenWebUI-Chat-Id"] = conversation.id
        _, told = await post_message(bridge, conversation.http, body, headers, key=key)
        assert "isError" not in told["result"], told

    async def model(key: str, api: str) -> None:
        provider.play(calls(("addProduct", TEA)), text("Done."))
        headers = {"X-OpenWebUI-Chat-Id": conversation.id, "Authorization": f"Bearer {key}"}
        async with client_of(bridge, default_headers=headers) as client:
            if api == "chat":
                said: Any = [{"role": "user", "content": "Add tea."}]
                await client.chat.completions.create(model=MODEL, messages=said)
            else:
                is_kept = api == "background"
                begun = await client.responses.create(model=MODEL, input="Add tea.", background=is_kept)

                async def ended() -> bool:
                    return (await client.responses.retrieve(begun.id)).status == "completed"

                await eventually(ended) if is_kept else None

    async def talk(key: str) -> None:
        provider.play(calls(("addProduct", TEA)), text("Done."))
        await ConversationClient(bridge.base_url, conversation.http, key, conversation.id).say("Add tea.")

    return {
        "tool server": partial(tool_server, header="X-OpenWebUI-Chat-Id"),
        "tool server of a page": partial(tool_server, header="X-Session-Id"),
        "mcp": mcp,
        "chat": partial(model, api="chat"),
        "responses": partial(model, api="responses"),
        "background": partial(model, api="background"),
        "conversations": talk,
    }


DOORS = (
    "tool server",
    "tool server of a page",
    "mcp",
    "chat",
    "responses",
    "background",
    "conversations",
)


@pytest.mark.parametrize("door", DOORS)
async def test_what_was_allowed_for_a_chat_is_nothing_to_another_key(
    bridge: Bridge, provider: ScriptedProvider, page: FakePage, conversation: ConversationClient, door: str
) -> None:
    """Finding S-M2: every key reads the ids of all chats and may name each; the card named one that asked.

    The key itself is not asked again, by whatever door, nor does the page have to know who asks.
    """
    doors = doors_of(bridge, provider, conversation)
    low = (await page.post("/api/keys", {"label": "low"}))["key"]
    await doors[door](bridge.key)
    await doors[door](bridge.key)
    await doors["tool server"](bridge.key)
    assert [call["bridge"]["approval"] for call in page.calls] == ["needed", "granted", "granted"]
    for other in DOORS:
        await doors[other](low)
        assert page.calls[-1]["bridge"]["asked_by"].startswith("key low"), other
    asked = [call["bridge"]["approval"] for call in page.calls[3:]]
    assert asked == ["needed", *["granted"] * (len(DOORS) - 1)], "its own permission, from then on"
    mine, theirs = (call["bridge"]["caller_id"] for call in (page.calls[0], page.calls[-1]))
    assert mine != theirs
    listed = (await page.get("/api/approval"))["grants"]
    assert [grant["caller_id"] for grant in listed] == [mine, theirs]


async def test_what_the_page_was_allowed_in_its_chat_is_nothing_to_a_key(
    bridge: Bridge, provider: ScriptedProvider, page: FakePage, conversation: ConversationClient
) -> None:
    """Finding S-M2: the page is its user, in whatever browser; a key that names the chat is a program."""
    for _ in range(2):
        provider.play(calls(("addProduct", TEA)), text("Done."))
        await page.post(f"/conversations/{conversation.id}/chat", {"content": "Add tea."})
    async with page_of(bridge, bridge.local_user.id, lambda _call: asyncio.sleep(0)) as other_browser:
        provider.play(calls(("addProduct", TEA)), text("Done."))
        talking = asyncio.create_task(
            other_browser.post(f"/conversations/{conversation.id}/chat", {"content": "Add tea."})
        )
        await eventually(lambda: len(page.calls) + len(other_browser.calls) == 3)
        talking.cancel()
    seen = [*page.calls, *other_browser.calls]
    assert [call["bridge"]["approval"] for call in seen] == ["needed", "granted", "granted"]
    assert {call["bridge"]["caller_id"] for call in seen} == {"page"}
    await doors_of(bridge, provider, conversation)["tool server"](bridge.key)
    assert page.calls[-1]["bridge"]["approval"] == "needed"
