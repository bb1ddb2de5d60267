"""Conversations as what is kept of a user: sealed, exported, imported, deleted with the rest."""

import asyncio
import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bridge.__main__ import main
from bridge.settings.storage import StorageSettings
from bridge.storage.chat.conversations import ConversationTables
from bridge.storage.encryption import Encryption
from bridge.storage.reencryption import reencrypt_rows
from bridge.storage.store import Store
from tests.support.canaries import files_with
from tests.support.conversation_client import ConversationClient, open_conversation
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import products, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider
from tests.support.running_bridge import page_of
from tests.support.stores.databases import Where, content_of

pytestmark = pytest.mark.asyncio

LIST = calls(("listProducts", {"limit": 2}))


@pytest.mark.both_databases
async def test_they_are_counted_exported_and_deleted_with_the_rest(
    tmp_path: Path, database: Where, provider: ScriptedProvider
) -> None:
    """What a user takes along or deletes is all of it; what others have stays."""
    provider.play(LIST, text("There is tea."))
    async with (
        shop_bridge(tmp_path, provider, database=database) as bridge,
        page_of(bridge, bridge.local_user.id, products) as page,
        open_conversation(bridge) as talk,
    ):
        await talk.say("What is there?")
        messages, facts = await talk.messages(), await page.get("/api/stored-data")
        assert facts["own_conversations"] == 1
        assert facts["bytes"] > 0
        headers = {"Authorization": f"Bearer {page.token}"}
        async with page.http.get(f"{bridge.base_url}/api/stored-data/export", headers=headers) as response:
            lines = (await response.text()).splitlines()
        [line] = [json.loads(each) for each in lines if '"kept":"conversation"' in each]
        assert line["id"] == talk.id
        assert [each["id"] for each in line["messages"]] == [each["id"] for each in messages]
        ann = await bridge.components.users.ensure_user("ann")
        _, key = await bridge.components.users.add_key(ann.id, "")
        async with aiohttp.ClientSession() as http:
            other = ConversationClient(bridge.base_url, http, key)
            assert (await other.ask("POST", "/conversations", {}))[0] == 201
            await page.request("DELETE", "/api/stored-data")
            await talk.of("GET", status=404)
            assert (await other.ask("GET", "/conversations"))[1]["count"] == 1


async def test_an_export_is_read_in_by_another_bridge(tmp_path: Path, provider: ScriptedProvider) -> None:
    """With its branches; once, however often it is read in."""
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    provider.play(LIST, text("There is tea."), text("Milk."))
    async with (
        shop_bridge(tmp_path / "old", provider) as bridge,
        page_of(bridge, bridge.local_user.id, products),
        open_conversation(bridge) as talk,
    ):
        first = (await talk.say("What is hot?"))["user_message"]["id"]
        await talk.of("PATCH", f"/messages/{first}", {"content": "What is cold?"}, status=201)
        await talk.say(None)
        messages, facts = await talk.messages(), await talk.facts()
    file = tmp_path / "kept.jsonl"
    await asyncio.to_thread(main, ["export", "--data", str(tmp_path / "old"), "--out", str(file)])
    async with shop_bridge(tmp_path / "new", provider) as bridge:
        pass
    for _ in range(2):
        assert await asyncio.to_thread(main, ["import", str(file), "--data", str(tmp_path / "new")]) == 0
    async with shop_bridge(tmp_path / "new", provider) as bridge, aiohttp.ClientSession() as http:
        talk = ConversationClient(bridge.base_url, http, bridge.key, talk.id)
        assert await talk.messages() == messages
        assert (await talk.facts()) == {**facts, "run": None}
        assert (await talk.ask("GET", "/conversations"))[1]["count"] == 1
        assert len((await talk.of("GET", f"/messages?branch={first}"))["messages"]) == 4


@pytest.mark.both_databases
async def test_what_is_said_is_encrypted_and_encrypted_again(
    tmp_path: Path, database: Where, provider: ScriptedProvider
) -> None:
    """S0-142: titles, prompts and messages; a new key takes the place of the old one."""
    provider.play(text("Gossamer."))
    kept: Any = StorageSettings(encryption_keys=("one",))
    async with (
        shop_bridge(tmp_path, provider, database=database, storage=kept) as bridge,
        open_conversation(bridge, title="Quicksilver", system_prompt="Brimstone") as talk,
    ):
        await talk.say("Vermilion?")
        user_id = bridge.local_user.id
    content = content_of(database)
    secrets = ("Gossamer", "Quicksilver", "Brimstone", "Vermilion")
    assert not [word for word in secrets if word.encode() in content]
    assert files_with(tmp_path, ["Gossamer", "Vermilion"]) == []
    store = Store.open_store(database)
    try:
        await reencrypt_rows(store, Encryption(StorageSettings(encryption_keys=("two", "one"))))
        old = ConversationTables(store, kept)
        assert await old.find_conversation(user_id, talk.id) is None
        tables = ConversationTables(store, StorageSettings(encryption_keys=("two",)))
        found = await tables.find_conversation(user_id, talk.id)
        assert found is not None
        assert found.settings.title == "Quicksilver"
        assert len(await tables.list_messages(talk.id)) == 2
    finally:
        await store.close()
