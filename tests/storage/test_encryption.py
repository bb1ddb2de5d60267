"""How what is kept stands in the database: compressed, encrypted, and sealed anew when keys change."""

import base64
import hashlib
import os
import time
import zlib

import pytest
from cryptography.fernet import Fernet
from hypothesis import given
from hypothesis import strategies as st

from bridge.models.stored_items.items import StoredItem, StoredResponse
from bridge.settings.storage import StorageSettings
from bridge.storage.chat.items import ItemTables
from bridge.storage.encryption import Encrypted, Encryption, Unreadable, key_id
from bridge.storage.mcp_tasks import McpTaskTable
from bridge.storage.reencryption import reencrypt_rows
from bridge.storage.store import Store
from bridge.storage.users import UserTables
from tests.support.stores.databases import Where, content_of, execute

HERE = "where it stands"
CANARY = "canary-7f3a91"
PLAIN = StorageSettings()
OLD = StorageSettings(encryption_keys=("old key",))
BOTH = StorageSettings(encryption_keys=("new key", "old key"))
NEW = StorageSettings(encryption_keys=("new key",))


@given(st.binary(max_size=500), st.sampled_from([PLAIN, OLD, StorageSettings(compress=False)]))
def test_what_is_encrypted_is_what_is_decrypted(content: bytes, settings: StorageSettings) -> None:
    """Also bytes that cannot be compressed, and none at all."""
    sealing = Encryption(settings)
    assert sealing.decrypt_bytes(sealing.encrypt_bytes(content, HERE), HERE) == content


def by_fernet(content: bytes) -> Encrypted:
    """As it was written until 2026-11, and by the pipe: a key of base64url(SHA-256), a flag first."""
    derived = base64.urlsafe_b64encode(hashlib.sha256(b"old key").digest())
    token = Fernet(derived).encrypt(b"\x01" + zlib.compress(content))
    return Encrypted(base64.urlsafe_b64decode(token), key_id("old key"))


def test_what_is_long_is_compressed_before_it_is_encrypted() -> None:
    """S0-142: with an id of its key, and no word of it to be seen."""
    encrypted = Encryption(OLD).encrypt_bytes(b"long " * 1000, HERE)
    assert len(encrypted.content) < 200
    assert encrypted.key_id == key_id("old key")
    assert Encryption(OLD).encrypt_bytes(b"long " * 1000, HERE).content != encrypted.content


def test_what_fernet_encrypted_stays_readable() -> None:
    """S0-142: a new form of encryption costs nobody what is kept."""
    assert Encryption(BOTH).decrypt_bytes(by_fernet(b"long " * 1000), HERE) == b"long " * 1000


def test_what_is_short_or_would_grow_is_not_compressed() -> None:
    """S0-142: only if smaller, and from `TOOL_BRIDGE_MIN_COMPRESS_BYTES` on."""
    text, noise = b"a" * 900, os.urandom(900)
    assert len(Encryption(PLAIN).encrypt_bytes(text, HERE).content) < 100
    assert Encryption(PLAIN).encrypt_bytes(noise, HERE).content == b"\0" + noise
    for change in ({"min_compress_bytes": 901}, {"compress": False}):
        encryption = Encryption(PLAIN.model_copy(update=change))
        assert encryption.encrypt_bytes(text, HERE).content == b"\0" + text


def test_any_of_the_keys_decrypts_and_the_first_one_encrypts() -> None:
    """A key is changed by putting the new one in front of the old one."""
    encrypted = Encryption(OLD).encrypt_bytes(b"text", HERE)
    assert Encryption(BOTH).decrypt_bytes(encrypted, HERE) == b"text"
    assert Encryption(BOTH).encrypt_bytes(b"text", HERE).key_id == key_id("new key")
    with pytest.raises(Unreadable, match="no key with the id"):
        Encryption(NEW).decrypt_bytes(encrypted, HERE)


@pytest.mark.parametrize("content", [b"", b"short", b"\x01none", b"\x07", b"\x80no", b"\x81no"])
def test_what_was_changed_is_not_opened(content: bytes) -> None:
    """Whoever writes to the database must not be able to put words into a chat."""
    with pytest.raises(Unreadable):
        Encryption(OLD).decrypt_bytes(Encrypted(content, key_id("old key")), HERE)
    with pytest.raises(Unreadable):
        Encryption(OLD).decrypt_bytes(Encrypted(content, None), HERE)


@pytest.mark.parametrize("encrypted", [Encryption(OLD).encrypt_bytes(b"text", HERE), by_fernet(b"text")])
def test_no_byte_of_what_is_encrypted_can_be_changed(encrypted: Encrypted) -> None:
    """The form, the nonce, the text, the tag."""
    for place in range(len(encrypted.content)):
        changed = bytearray(encrypted.content)
        changed[place] ^= 1
        with pytest.raises(Unreadable):
            Encryption(OLD).decrypt_bytes(Encrypted(bytes(changed), encrypted.key_id), HERE)


@pytest.mark.asyncio
@pytest.mark.both_databases
async def test_what_is_encrypted_opens_nowhere_else(database: Where) -> None:
    """Who writes to the database cannot put an item in the place of another, or of another user's."""
    ann = await fill(database, OLD)
    store = Store.open_store(database)
    bob = (await UserTables(store).ensure_user("bob")).id
    items = ItemTables(store, OLD)
    for owner, name in ((ann, "other"), (bob, "message")):
        await items.add_items([StoredItem(name, owner, "q", 0, "output", "demo", {"type": "message"}, 1.0)])
    await items.save_response(StoredResponse("q", ann, "demo", "completed", {}, {}, 1.0))
    await items.add_events(ann, "q", 0, 1, b"others")
    await store.close()
    mine = f"(SELECT payload FROM kept_items WHERE user_id = '{ann}' AND id = 'message')"
    execute(
        database,
        f"UPDATE kept_items SET payload = {mine} WHERE id = 'other' OR user_id = '{bob}'",
        "UPDATE kept_responses SET request = body WHERE id = 'r'",
        "UPDATE kept_events SET frames = (SELECT frames FROM kept_events WHERE response_id = 'r') "
        "WHERE response_id = 'q'",
    )
    store = Store.open_store(database)
    items = ItemTables(store, OLD)
    assert list(await items.by_ids(ann, ["message", "other"])) == ["message"]
    assert await items.by_ids(bob, ["message"]) == {}
    assert await items.find_response(ann, "r") is None
    assert await items.read_events(ann, "q", -1, limit=9) == []
    await store.close()


async def fill(where: Where, settings: StorageSettings, suffix: str = "") -> str:
    """Keep some of everything; returns the user's id."""
    database = Store.open_store(where)
    ann = await UserTables(database).ensure_user("ann")
    store = ItemTables(database, settings)
    payload = {"text": CANARY, "noise": base64.b64encode(os.urandom(30)).decode()}
    kinds = ("message", "reasoning")
    await store.add_items(
        [
            StoredItem(kind + suffix, ann.id, "r", place, "output", "demo", {"type": kind, **payload}, 1.0)
            for place, kind in enumerate(kinds)
        ]
    )
    await store.save_response(
        StoredResponse("r" + suffix, ann.id, "demo", "completed", {"a": CANARY}, {"b": CANARY}, 1.0)
    )
    await store.add_events(ann.id, "r" + suffix, 0, 1, CANARY.encode())
    await database.close()
    return ann.id


async def readable(where: Where, settings: StorageSettings, user_id: str, suffix: str = "") -> list[str]:
    """Names of what can be read, all of it unchanged."""
    database = Store.open_store(where)
    store = ItemTables(database, settings)
    items = await store.by_ids(user_id, ["message" + suffix, "reasoning" + suffix])
    assert all(item.payload["text"] == CANARY for item in items.values())
    found = sorted(items)
    response = await store.find_response(user_id, "r" + suffix)
    if response is not None:
        assert (response.body, response.request) == ({"a": CANARY}, {"b": CANARY})
        found.append("response")
    frames = await store.read_events(user_id, "r" + suffix, -1, limit=9)
    if frames:
        assert frames == [(0, CANARY.encode())]
        found.append("events")
    await database.close()
    return found


ALL = ["message", "reasoning", "response", "events"]


def holds_canary(where: Where) -> int:
    """How often; PostgreSQL shows bytes in hexadecimal."""
    content = content_of(where)
    return content.count(CANARY.encode()) + content.count(CANARY.encode().hex().encode())


@pytest.mark.asyncio
@pytest.mark.both_databases
async def test_with_a_key_no_file_of_the_database_holds_a_word_of_an_answer(database: Where) -> None:
    """S0-142: items, responses, requests and events; the file and its write-ahead log."""
    uncompressed = OLD.model_copy(update={"compress": False})  # so that only the encryption can hide it
    store = Store.open_store(database)
    await UserTables(store).list_users()  # a connection that is held open, so that SQLite keeps its log
    user_id = await fill(database, uncompressed)
    assert not holds_canary(database)
    await store.close()
    assert not holds_canary(database)
    assert await readable(database, uncompressed, user_id) == ALL
    assert await readable(database, OLD, user_id) == ALL


@pytest.mark.asyncio
@pytest.mark.both_databases
async def test_without_encrypt_all_reasoning_is_encrypted_and_messages_are_not(database: Where) -> None:
    """S0-142: responses, requests and events hold thoughts too."""
    await fill(database, OLD.model_copy(update={"encrypt_all": False, "compress": False}))
    store = Store.open_store(database)
    user_id = (await UserTables(store).ensure_user("ann")).id
    await store.close()
    assert holds_canary(database) == 1
    assert await readable(database, PLAIN, user_id) == ["message"]


@pytest.mark.asyncio
@pytest.mark.both_databases
async def test_with_another_key_nothing_is_there_and_one_warning_says_why(
    database: Where, caplog: pytest.LogCaptureFixture
) -> None:
    """S0-131, S0-146: a lost key costs the memory of old chats; with the key all of it is back."""
    user_id = await fill(database, OLD)
    assert await readable(database, NEW, user_id) == []
    warnings = [
        record.getMessage() for record in caplog.records if record.name == "bridge.storage.chat.item_mapping"
    ]
    assert len(warnings) == 1
    assert f"no key with the id {key_id('old key')}" in warnings[0]
    assert await readable(database, BOTH, user_id) == ALL


@pytest.mark.asyncio
@pytest.mark.both_databases
async def test_everything_is_encrypted_again_with_the_first_key(database: Where) -> None:
    """S0-142: after that the old key can be taken away; what was plain is gone from the files."""
    await fill(database, PLAIN.model_copy(update={"compress": False}))
    assert holds_canary(database)
    user_id = await fill(database, OLD, "-2")
    store = Store.open_store(database)
    progress: list[int] = []
    result = await reencrypt_rows(store, Encryption(BOTH), lambda so_far: progress.append(so_far.encrypted))
    assert (result.encrypted, result.unreadable) == (8, 0)
    assert progress[-1] == 8
    assert (await reencrypt_rows(store, Encryption(BOTH))).encrypted == 0
    await store.close()
    assert not holds_canary(database)
    assert await readable(database, NEW, user_id) == ALL
    assert len(await readable(database, NEW, user_id, "-2")) == 4


@pytest.mark.asyncio
@pytest.mark.both_databases
async def test_results_of_mcp_tasks_are_encrypted_again_as_well(database: Where) -> None:
    """A client polls for a result for a day; one that runs has none that could be encrypted."""
    store = Store.open_store(database)
    ann = await UserTables(store).ensure_user("ann")
    before, after = McpTaskTable(store, OLD), McpTaskTable(store, NEW)
    now = time.time()
    for task in ("ended", "running"):
        await before.add_task(task, ann.id, "key", now)
    await before.end_task("ended", ann.id, b'{"ok": true}', is_cancelled=False)
    result = await reencrypt_rows(store, Encryption(BOTH))
    assert (result.encrypted, result.unreadable) == (1, 0)
    found = await after.find_task("ended", ann.id, "key")
    running = await after.find_task("running", ann.id, "key")
    await store.close()
    assert found is not None
    assert running is not None
    assert (found.result, running.result) == (b'{"ok": true}', None)


@pytest.mark.asyncio
@pytest.mark.both_databases
async def test_what_no_key_opens_stays_and_is_counted(database: Where) -> None:
    """Whoever finds the old key again has it back."""
    user_id = await fill(database, OLD)
    store = Store.open_store(database)
    result = await reencrypt_rows(store, Encryption(NEW))
    await store.close()
    assert (result.encrypted, result.unreadable) == (0, 4)
    assert await readable(database, OLD, user_id) == ALL


@pytest.mark.asyncio
@pytest.mark.both_databases
async def test_encryption_can_be_taken_back(database: Where) -> None:
    """Without a first key everything is written as it is."""
    user_id = await fill(database, OLD)
    store = Store.open_store(database)
    assert (await reencrypt_rows(store, Encryption(OLD, encrypts=False))).encrypted == 4
    await store.close()
    assert await readable(database, PLAIN, user_id) == ALL
