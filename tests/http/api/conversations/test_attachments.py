"""Files of messages over HTTP: sent with a message, given to the model and to tools, read again, and kept."""

import base64
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from bridge.settings.storage import StorageSettings
from tests.support.conversation_client import ConversationClient, open_conversation
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider
from tests.support.running_bridge import json_answer, page_of
from tests.support.stores.databases import Where, execute

pytestmark = [pytest.mark.asyncio, pytest.mark.both_databases]

PNG = b"\x89PNG\r\n\x1a\nA picture of tea."
PICTURE = {"name": "tea ü.png", "mime": "image/png", "data": base64.b64encode(PNG).decode()}


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, database: Where, provider: ScriptedProvider) -> AsyncGenerator[Bridge]:
    storage = StorageSettings(encryption_keys=("password",))
    async with shop_bridge(tmp_path, provider, database=database, storage=storage) as running:
        yield running


@pytest_asyncio.fixture
async def client(bridge: Bridge) -> AsyncGenerator[ConversationClient]:
    async with open_conversation(bridge, tools="accepted") as made:
        yield made


async def test_a_picture_reaches_the_model_and_is_read_again(
    client: ConversationClient, provider: ScriptedProvider, database: Where
) -> None:
    """The message lists it, the list has no bytes, and what is stored is encrypted."""
    provider.play(text("Tea."))
    said = await client.say("What is this?", attachments=[PICTURE])
    user = said["user_message"]
    [facts] = user["attachments"]
    assert facts == {"number": 1, "name": "tea ü.png", "mime": "image/png", "bytes": len(PNG)}
    assert (await client.messages())[0] == user
    sent = provider.requests[-1].body["input"][0]["content"]
    assert sent[-1]["image_url"] == f"data:image/png;base64,{PICTURE['data']}"
    path = f"/conversations/{client.id}/messages/{user['id']}/attachments"
    headers = {"Authorization": f"Bearer {client.key}"}
    async with client.http.get(f"{client.base_url}{path}/1", headers=headers) as answer:
        assert (answer.status, await answer.read()) == (200, PNG)
        assert answer.headers["Content-Disposition"].startswith("attachment;")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    for number in ("0", "2", "x"):
        assert (await client.ask("GET", f"{path}/{number}"))[0] == 404
    stored = b"".join(bytes(row[0]) for row in execute(database, "SELECT content FROM conversation_messages"))
    assert PNG not in stored
    assert PICTURE["data"].encode() not in stored


async def test_an_edited_message_keeps_its_files(
    client: ConversationClient, provider: ScriptedProvider
) -> None:
    """Only its text is written anew."""
    provider.play(text("Tea."))
    said = await client.say("", attachments=[PICTURE])
    assert (await client.facts())["title"] == "tea ü.png"
    edited = await client.of(
        "PATCH", f"/messages/{said['user_message']['id']}", {"content": "Why?"}, status=201
    )
    assert edited["message"]["attachments"] == said["user_message"]["attachments"]


async def test_a_tool_is_given_the_file_that_its_argument_names(
    bridge: Bridge, provider: ScriptedProvider
) -> None:
    """The model names it by its number; the page gets the bytes."""
    asked: list[dict[str, Any]] = []

    async def answer(call: dict[str, Any]) -> dict[str, Any]:
        asked.append(call)
        return json_answer({"ok": 1})

    async with page_of(bridge, bridge.local_user.id, answer), open_conversation(bridge) as client:
        provider.play(calls(("addProduct", {"name": "attachment:1", "price": 1})), text("Done."))
        await client.say("Add it", attachments=[PICTURE])
    assert f"base64,{PICTURE['data']}" in str(asked)
    assert "attachment:1" not in str(asked)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"content": "x", "attachments": [{**PICTURE, "data": "?"}]}, 400),
        ({"content": "x", "attachments": [{**PICTURE, "name": "../x"}]}, 400),
        ({"content": "x", "attachments": [{**PICTURE, "mime": "image"}]}, 400),
        ({"content": "x", "attachments": [PICTURE] * 11}, 400),
        ({"content": None, "attachments": [PICTURE]}, 400),
    ],
)
async def test_what_cannot_be_attached_is_refused_and_nothing_is_stored(
    client: ConversationClient, body: dict[str, Any], status: int
) -> None:
    """The page says why."""
    await client.of("POST", "/chat", body, status=status)
    assert await client.messages() == []
