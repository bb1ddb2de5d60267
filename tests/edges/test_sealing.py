"""How what is kept stands in the database: compressed, encrypted, and sealed anew when keys change."""

import base64
import hashlib
import os
from dataclasses import replace

import pytest
from cryptography.fernet import Fernet
from hypothesis import given
from hypothesis import strategies as st

from bridge.artifacts.record import KeptItem, KeptResponse
from bridge.config import KeptSettings
from bridge.edges.sealing import Sealed, Sealing, Unreadable, key_id
from bridge.edges.store import Store
from tests.support.databases import Where, content_of

CANARY = "canary-7f3a91"
PLAIN = KeptSettings()
OLD = KeptSettings(encryption_keys=("old key",))
BOTH = KeptSettings(encryption_keys=("new key", "old key"))
NEW = KeptSettings(encryption_keys=("new key",))


@given(st.binary(max_size=500), st.sampled_from([PLAIN, OLD, KeptSettings(compress=False)]))
def test_what_is_sealed_is_what_is_opened(content: bytes, settings: KeptSettings) -> None:
    """Also bytes that cannot be compressed, and none at all."""
    sealing = Sealing(settings)
    assert sealing.open(sealing.seal(content)) == content


def test_the_key_is_derived_as_in_the_pipe_and_what_is_long_is_compressed_first() -> None:
    """S0-142: Fernet with base64url(SHA-256(key)); before that compressed, and flagged by one byte."""
    sealed = Sealing(OLD).seal(b"long " * 1000)
    derived = base64.urlsafe_b64encode(hashlib.sha256(b"old key").digest())
    flagged = Fernet(derived).decrypt(base64.urlsafe_b64encode(sealed.content))
    assert flagged[:1] == b"\x01"
    assert len(flagged) < 200
    assert sealed.key_id == key_id("old key")


def test_what_is_short_or_would_grow_is_not_compressed() -> None:
    """S0-142: only if smaller, and from `MIN_COMPRESS_BYTES` on."""
    text, noise = b"a" * 900, os.urandom(900)
    assert len(Sealing(PLAIN).seal(text).content) < 100
    assert Sealing(PLAIN).seal(noise).content == b"\0" + noise
    assert Sealing(replace(PLAIN, min_compress_bytes=901)).seal(text).content == b"\0" + text
    assert Sealing(replace(PLAIN, compress=False)).seal(text).content == b"\0" + text


def test_any_of_the_keys_opens_and_the_first_one_seals() -> None:
    """A key is changed by putting the new one in front of the old one."""
    sealed = Sealing(OLD).seal(b"text")
    assert Sealing(BOTH).open(sealed) == b"text"
    assert Sealing(BOTH).seal(b"text").key_id == key_id("new key")
    with pytest.raises(Unreadable, match="no key with the id"):
        Sealing(NEW).open(sealed)


@pytest.mark.parametrize("content", [b"", b"short", b"\x01none", b"\x07"])
def test_what_was_changed_is_not_opened(content: bytes) -> None:
    """Whoever writes to the database must not be able to put words into a chat."""
    with pytest.raises(Unreadable):
        Sealing(OLD).open(Sealed(content, key_id("old key")))
    with pytest.raises(Unreadable):
        Sealing(OLD).open(Sealed(content, None))


async def fill(where: Where, settings: KeptSettings, suffix: str = "") -> str:
    """Keep some of everything; returns the user's id."""
    database = Store.open(where)
    ann = await database.ensure_user("ann")
    store = database.item_store(settings)
    payload = {"text": CANARY, "noise": base64.b64encode(os.urandom(30)).decode()}
    kinds = ("message", "reasoning")
    await store.add(
        [
            KeptItem(kind + suffix, ann.id, "r", place, "output", "demo", {"type": kind, **payload}, 1.0)
            for place, kind in enumerate(kinds)
        ]
    )
    await store.save_response(
        KeptResponse("r" + suffix, ann.id, "demo", "completed", {"a": CANARY}, {"b": CANARY}, 1.0)
    )
    await store.add_events("r" + suffix, 0, 1, CANARY.encode())
    await database.close()
    return ann.id


async def readable(where: Where, settings: KeptSettings, user_id: str, suffix: str = "") -> list[str]:
    """Names of what can be read, all of it unchanged."""
    database = Store.open(where)
    store = database.item_store(settings)
    items = await store.by_ids(user_id, ["message" + suffix, "reasoning" + suffix])
    assert all(item.payload["text"] == CANARY for item in items.values())
    found = sorted(items)
    response = await store.response(user_id, "r" + suffix)
    if response is not None:
        assert (response.body, response.request) == ({"a": CANARY}, {"b": CANARY})
        found.append("response")
    frames = await store.events(user_id, "r" + suffix, -1, limit=9)
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
    uncompressed = replace(OLD, compress=False)  # so that only the encryption can hide it
    store = Store.open(database)
    await store.users()  # a connection that is held open, so that SQLite keeps its log
    user_id = await fill(database, uncompressed)
    assert not holds_canary(database)
    await store.close()
    assert not holds_canary(database)
    assert await readable(database, uncompressed, user_id) == ALL
    assert await readable(database, OLD, user_id) == ALL


@pytest.mark.asyncio
@pytest.mark.both_databases
async def test_without_encrypt_all_thoughts_are_encrypted_and_messages_are_not(database: Where) -> None:
    """S0-142: responses, requests and events hold thoughts too."""
    await fill(database, replace(OLD, encrypt_all=False, compress=False))
    store = Store.open(database)
    user_id = (await store.ensure_user("ann")).id
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
    warnings = [record.getMessage() for record in caplog.records if record.name == "bridge.edges.kept_rows"]
    assert len(warnings) == 1
    assert f"no key with the id {key_id('old key')}" in warnings[0]
    assert await readable(database, BOTH, user_id) == ALL


@pytest.mark.asyncio
@pytest.mark.both_databases
async def test_everything_is_sealed_anew_with_the_first_key(database: Where) -> None:
    """S0-142: after that the old key can be taken away; what was plain is gone from the files."""
    await fill(database, replace(PLAIN, compress=False))
    assert holds_canary(database)
    user_id = await fill(database, OLD, "-2")
    store = Store.open(database)
    progress: list[int] = []
    result = await store.rekey(Sealing(BOTH), lambda so_far: progress.append(so_far.sealed))
    assert (result.sealed, result.unreadable) == (8, 0)
    assert progress[-1] == 8
    assert (await store.rekey(Sealing(BOTH))).sealed == 0
    await store.close()
    assert not holds_canary(database)
    assert await readable(database, NEW, user_id) == ALL
    assert len(await readable(database, NEW, user_id, "-2")) == 4


@pytest.mark.asyncio
@pytest.mark.both_databases
async def test_what_no_key_opens_stays_and_is_counted(database: Where) -> None:
    """Whoever finds the old key again has it back."""
    user_id = await fill(database, OLD)
    store = Store.open(database)
    result = await store.rekey(Sealing(NEW))
    await store.close()
    assert (result.sealed, result.unreadable) == (0, 4)
    assert await readable(database, OLD, user_id) == ALL


@pytest.mark.asyncio
@pytest.mark.both_databases
async def test_encryption_can_be_taken_back(database: Where) -> None:
    """Without a first key everything is written as it is."""
    user_id = await fill(database, OLD)
    store = Store.open(database)
    assert (await store.rekey(Sealing(OLD, encrypts=False))).sealed == 4
    await store.close()
    assert await readable(database, PLAIN, user_id) == ALL
