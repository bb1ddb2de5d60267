"""What is kept of a user's answers: seen, taken away, read in again and deleted, by HTTP and by commands."""

import asyncio
import json
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import pytest
import pytest_asyncio

from bridge.__main__ import main
from bridge.app.server import Bridge
from bridge.cli.store import DATABASE
from bridge.models.stored_items.items import StoredItem, StoredResponse
from bridge.settings.storage import StorageSettings
from bridge.storage.chat.items import ItemTables
from bridge.storage.chat.user_items import UserItems
from bridge.storage.store import Store
from bridge.storage.users import UserTables
from tests.support.cluster.bridge_pairs import make_at_home
from tests.support.running_bridge import pair_browser
from tests.support.stores.databases import Where

pytestmark = pytest.mark.both_databases

ResultT = TypeVar("ResultT")

ODD: dict[str, Any] = {"type": "message", "big": 2**80, "infinite": math.inf, "half": "\ud83d", "zero": -0.0}


def stored_item(user_id: str, name: str, chat: str | None = None) -> StoredItem:
    return StoredItem(name, user_id, f"r-{name}", 0, "output", "demo", dict(ODD), 5.5, chat, None)


async def fill(store: Store, user_id: str, response_id: str = "resp") -> None:
    """Three items in two chats, and a response."""
    items = ItemTables(store)
    chats = {"A": "one", "B": "one", "C": "two"}
    await items.add_items([stored_item(user_id, name, chat) for name, chat in chats.items()])
    response = StoredResponse(response_id, user_id, "demo", "completed", dict(ODD), {"model": "demo"}, 6.0)
    await items.save_response(replace(response, background=True, previous_id="r0", conversation_id="one"))


class StoredItemsClient:
    """A program and a page of one user."""

    def __init__(self, bridge: Bridge, http: aiohttp.ClientSession, page_token: str) -> None:
        self.url = f"{bridge.base_url}/api/stored-data"
        self.http = http
        self.key = {"Authorization": f"Bearer {bridge.key}"}
        self.page = {"Authorization": f"Bearer {page_token}"}

    async def summary(self) -> dict[str, Any]:
        async with self.http.get(self.url, headers=self.key) as response:
            assert response.status == 200
            return await response.json()


@pytest_asyncio.fixture
async def client(bridge: Bridge, http: aiohttp.ClientSession) -> AsyncIterator[StoredItemsClient]:
    page = await pair_browser(
        bridge.base_url, http, await bridge.components.users.add_ticket(bridge.local_user.id)
    )
    yield StoredItemsClient(bridge, http, await page.open_session())


@pytest.mark.asyncio
async def test_a_user_sees_how_much_is_stored_of_the_own_answers(
    bridge: Bridge, client: StoredItemsClient
) -> None:
    """And nothing of what is kept of others."""
    bob = await bridge.components.users.ensure_user("bob")
    await make_at_home(bridge, bob.id)
    await fill(bridge.components.store, bob.id, "of bob")
    facts = await client.summary()
    assert facts == {
        "items": 0,
        "responses": 0,
        "conversations": 0,
        "own_conversations": 0,
        "bytes": 0,
        "oldest": None,
        "days": 90,
        "max_bytes": 1024**3,
    }
    await fill(bridge.components.store, bridge.local_user.id)
    facts = await client.summary()
    assert (facts["items"], facts["responses"], facts["conversations"], facts["oldest"]) == (3, 1, 2, 5.5)
    assert facts["bytes"] > 0


@pytest.mark.asyncio
async def test_a_page_exports_and_deletes_what_a_key_cannot(
    bridge: Bridge, client: StoredItemsClient
) -> None:
    """A stolen key may ask models; it must not take away or destroy what was said before."""
    await fill(bridge.components.store, bridge.local_user.id)
    for method, path in (("GET", "/export"), ("DELETE", "")):
        async with client.http.request(method, client.url + path, headers=client.key) as refused:
            assert refused.status == 403
    async with client.http.get(f"{client.url}/export", headers=client.page) as exported:
        assert exported.status == 200
        lines = [json.loads(line) for line in (await exported.read()).splitlines()]
    assert [line.get("kept") for line in lines] == [None, "item", "item", "item", "response"]
    assert repr(lines[1]["payload"]) == repr(ODD)
    async with client.http.delete(f"{client.url}?conversation=one", headers=client.page) as deleted:
        assert await deleted.json() == {"items": 2}
    facts = await client.summary()
    assert (facts["items"], facts["responses"]) == (1, 0)
    async with client.http.delete(client.url, headers=client.page) as deleted:
        assert await deleted.json() == {"items": 1}
    assert (await client.summary())["items"] == 0


@pytest.mark.asyncio
async def test_a_page_exports_everything_of_its_user(bridge: Bridge, client: StoredItemsClient) -> None:
    """Account, browsers and what was decided as well; nothing of others, and no key or its digest."""
    await bridge.components.users.ensure_user("bob")
    async with client.http.get(f"{client.url}/export?everything=true", headers=client.page) as exported:
        lines = [json.loads(line) for line in (await exported.read()).splitlines()]
    records = [(line["table"], line["row"]) for line in lines if line.get("kept") == "record"]
    assert {table for table, _ in records} >= {"users", "api_keys", "devices"}
    assert [row["name"] for table, row in records if table == "users"] == ["local"]
    assert not [name for _, row in records for name in row if name.endswith("_hash")]


def run(where: Where, folder: Path, *words: str) -> int:
    """A command on the database of the test."""
    store = [] if isinstance(where, Path) else ["--database", where.render_as_string(hide_password=False)]
    return main([*words, "--data", str(folder), *store])


def filled(where: Where) -> tuple[str, str]:
    """Ids of two users, of whom ann has something."""

    async def make() -> tuple[str, str]:
        store = Store.open_store(where)
        users = UserTables(store)
        ann, bob = await users.ensure_user("ann"), await users.ensure_user("bob")
        await fill(store, ann.id)
        await store.close()
        return ann.id, bob.id

    return asyncio.run(make())


def with_store(where: Where, work: Callable[[Store], Awaitable[ResultT]]) -> ResultT:
    async def open_and_work() -> ResultT:
        store = Store.open_store(where)
        try:
            return await work(store)
        finally:
            await store.close()

    return asyncio.run(open_and_work())


def imported(capsys: pytest.CaptureFixture[str]) -> tuple[int, int]:
    """What the command said: read, and new."""
    counts = json.loads(capsys.readouterr().out)
    return counts["read"], counts["new"]


def test_what_is_exported_can_be_read_in_again(
    database: Where, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever moves to another bridge takes the memory of the old chats along, to the last bit."""
    ann, bob = filled(database)
    file = tmp_path / "kept.jsonl"
    assert run(database, tmp_path, "export", "--user", "ann", "--out", str(file)) == 0
    assert file.stat().st_mode & 0o777 == 0o600
    assert len(file.read_bytes().splitlines()) == 5
    take_in = ["import", str(file), "--json", "--user"]
    assert run(database, tmp_path, *take_in, "ann") == 0
    assert imported(capsys) == (4, 0)
    assert run(database, tmp_path, *take_in, "bob") == 0
    assert imported(capsys) == (4, 3)  # a response of that id is another user's
    items = with_store(database, lambda store: ItemTables(store).by_ids(bob, ["A"]))
    assert repr(items["A"].payload) == repr(ODD)
    with_store(database, lambda store: UserItems(store, StorageSettings()).delete_all(ann))
    assert run(database, tmp_path, *take_in, "ann") == 0
    assert imported(capsys) == (4, 4)
    response = with_store(database, lambda store: ItemTables(store).find_response(ann, "resp"))
    assert response is not None
    assert (response.background, response.previous_id, repr(response.body)) == (True, "r0", repr(ODD))


ULID = "01JZ8YV9T1S5W7N3K4M2P6Q8R0"
OTHER_ULID = "01JZ8YV9T1S5W7N3K4M2P6Q8R1"
MANIFOLD = "openai_responses_pipe"
CHAT: dict[str, Any] = {
    "id": "chat-1",
    "title": "A chat",
    "chat": {
        "messages": [],
        "openai_responses_pipe": {
            "__v": 3,
            "items": {
                OTHER_ULID: {
                    "model": "openai_responses.o3",
                    "created_at": 1718073601,
                    "payload": {"type": "function_call", "call_id": "c1"},
                    "message_id": "m-1",
                },
                ULID: {
                    "model": "openai_responses.o3",
                    "created_at": 1718073600,
                    "payload": {"type": "reasoning", "encrypted_content": "x"},
                    "message_id": "m-1",
                },
            },
            "messages_index": {"m-1": {"role": "assistant", "done": True, "item_ids": [ULID, OTHER_ULID]}},
        },
    },
}


@pytest.mark.parametrize("shape", ["one chat", "many chats"])
def test_chats_of_open_webui_bring_the_items_that_their_markers_name(
    database: Where, tmp_path: Path, capsys: pytest.CaptureFixture[str], shape: str
) -> None:
    """S4-20: `openai_responses_pipe`, version 3, with the ids kept."""
    ann, _ = filled(database)
    file = tmp_path / "chats.json"
    other: dict[str, Any] = {"id": "chat-0", "chat": {}}
    chats = CHAT if shape == "one chat" else [other, CHAT]
    file.write_text(json.dumps(chats, indent=2), encoding="utf-8")
    assert run(database, tmp_path, "import", str(file), "--json", "--user", "ann") == 0
    assert imported(capsys) == (2, 2)
    items = with_store(database, lambda store: ItemTables(store).by_ids(ann, [ULID, OTHER_ULID]))
    assert items[ULID] == StoredItem(
        ULID,
        ann,
        "m-1",
        0,
        "output",
        "openai_responses.o3",
        {"type": "reasoning", "encrypted_content": "x"},
        1718073600.0,
        "chat-1",
        "m-1",
    )
    assert items[OTHER_ULID].position == 1


def export_chats(where: Where, folder: Path, user: str) -> bytes:
    file = folder / f"chats of {user}.json"
    assert run(where, folder, "export", "--chats", "--user", user, "--out", str(file)) == 0
    return file.read_bytes()


def test_chats_are_exported_in_the_structure_in_which_they_are_imported(
    database: Where, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """S4-20: what the pipe stored comes back as it was, and a second way there and back changes no byte."""
    with_store(database, lambda store: UserTables(store).ensure_user("ann"))
    with_store(database, lambda store: UserTables(store).ensure_user("bob"))
    file = tmp_path / "chats.json"
    file.write_text(json.dumps(CHAT), encoding="utf-8")
    assert run(database, tmp_path, "import", str(file), "--user", "ann") == 0
    exported = export_chats(database, tmp_path, "ann")
    assert json.loads(exported) == [{"id": CHAT["id"], "chat": {MANIFOLD: CHAT["chat"][MANIFOLD]}}]
    assert list(json.loads(exported)[0]["chat"][MANIFOLD]["items"]) == [ULID, OTHER_ULID]
    again = tmp_path / "again.json"
    again.write_bytes(exported)
    capsys.readouterr()
    assert run(database, tmp_path, "import", str(again), "--json", "--user", "bob") == 0
    assert imported(capsys) == (2, 2)
    assert export_chats(database, tmp_path, "bob") == exported


def test_items_of_the_bridge_are_exported_as_those_of_a_pipe(database: Where, tmp_path: Path) -> None:
    """S4-20: payloads to the last bit; an answer without a message id has its own; `done` is its end."""
    ann, _ = filled(database)
    loose = StoredItem("D", ann, "r-D", 0, "output", "demo", {"type": "reasoning"}, 7.0, None, "m-D")
    sent = StoredItem("E", ann, "r-D", 0, "input", "demo", {"type": "message"}, 7.0)
    notice = StoredItem("F", ann, "r-D", 1, "output", "demo", {"type": "tool_bridge_notice"}, 7.0)
    running = StoredResponse("r-D", ann, "demo", "in_progress", {}, {}, 7.0)

    async def add(store: Store) -> None:
        await ItemTables(store).add_items([loose, sent, notice])
        await ItemTables(store).save_response(running)

    with_store(database, add)
    chats = {
        chat.get("id"): chat["chat"][MANIFOLD] for chat in json.loads(export_chats(database, tmp_path, "ann"))
    }
    assert list(chats) == ["one", "two", None]
    (item,) = chats["two"]["items"].values()
    assert repr(item.pop("payload")) == repr(ODD)
    assert item == {"model": "demo", "created_at": 5, "message_id": "r-C"}
    assert chats["two"]["messages_index"] == {"r-C": {"role": "assistant", "done": True, "item_ids": ["C"]}}
    assert chats[None]["messages_index"] == {"m-D": {"role": "assistant", "done": False, "item_ids": ["D"]}}
    assert list(chats[None]["items"]) == ["D"]


HEAD = '{"format": "tool-bridge-kept", "version": 1}\n'


def chat_with(**changes: Any) -> str:
    return json.dumps({"openai_responses_pipe": {"__v": 3, "items": {"A": changes}}})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "neither a tool-bridge export nor chats"),
        ("hello", "neither a tool-bridge export nor chats"),
        ("[1, 2]", "no chat in it has the member openai_responses_pipe"),
        ('{"format": "tool-bridge-kept", "version": 9}', "it is of version 9"),
        (HEAD + "{", "line 2: no JSON"),
        (HEAD + "[]", "line 2: neither an item nor a response"),
        (HEAD + '{"kept": "item"}', "line 2: side must be"),
        (HEAD + '{"kept": "item", "side": "input", "position": true}', "line 2: position must be"),
        (HEAD + '{"kept": "response", "status": "done"}', "line 2: status must be one of queued"),
        ('{"openai_responses_pipe": {"__v": 2}}', "chat 1: __v is 2; version 3 can be read"),
        ('{"openai_responses_pipe": {"__v": 3}}', "chat 1: items must be an object"),
        (chat_with(), "chat 1: item 'A': message_id must be a text"),
        (chat_with(message_id="m", model=1), "chat 1: item 'A': model must be a text"),
        (chat_with(message_id="m", model="x", payload=[]), "payload must be an object"),
        (chat_with(message_id="m", model="x", payload={}, created_at="now"), "created_at must be a number"),
    ],
)
def test_a_file_that_cannot_be_read_in_is_told_what_is_wrong_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, why: str
) -> None:
    """S4-20: an operator must know whether the file or the program is at fault, and where."""
    file = tmp_path / "file"
    file.write_text(text, encoding="utf-8")
    filled(tmp_path / DATABASE)
    assert run(tmp_path, tmp_path, "import", str(file), "--user", "ann") == 1
    said = capsys.readouterr().err
    assert "cannot be imported" in said
    assert why in said


def test_commands_name_what_they_miss(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No user, no file, and a file that is there already, which is never overwritten."""
    filled(tmp_path / DATABASE)
    assert run(tmp_path, tmp_path, "export", "--user", "carl") == 1
    assert "there is no user 'carl'" in capsys.readouterr().err
    assert run(tmp_path, tmp_path, "import", str(tmp_path / "none"), "--user", "ann") == 1
    assert "cannot be read: No such file" in capsys.readouterr().err
    assert run(tmp_path, tmp_path, "export", "--user", "ann", "--out", str(tmp_path / DATABASE)) == 1
    assert "cannot be written: File exists" in capsys.readouterr().err
