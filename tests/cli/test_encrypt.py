"""`tool-bridge encrypt`: what it seals, and when it refuses."""

import asyncio
import json
import os
from pathlib import Path

import pytest
from sqlalchemy import URL

from bridge.__main__ import main
from bridge.cli.store import DATABASE
from bridge.models.stored_items.items import StoredItem
from bridge.settings.running_bridge import RUNNING_FILE
from bridge.settings.storage import StorageSettings
from bridge.storage.chat.items import ItemTables
from bridge.storage.encryption import key_id
from bridge.storage.store import Store
from bridge.storage.users import UserTables
from tests.support.cluster.replicas import replica_settings
from tests.support.running_bridge import running_bridge
from tests.support.stores.postgresql import PostgresServer
from tests.support.stores.redis import RedisServer

KEYS = "TOOL_BRIDGE_ENCRYPTION_KEY"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with one item that is not encrypted."""
    asyncio.run(_keep(tmp_path / DATABASE))
    return tmp_path


async def _keep(path: Path) -> None:
    database = Store.open_store(path)
    ann = await UserTables(database).ensure_user("ann")
    item = StoredItem("A", ann.id, "r", 0, "output", "demo", {"type": "message"}, 1.0)
    await ItemTables(database).add_items([item])
    await database.close()


async def _readable(path: Path, *keys: str) -> bool:
    database = Store.open_store(path)
    ann = await UserTables(database).ensure_user("ann")
    store = ItemTables(database, StorageSettings(encryption_keys=keys))
    found = await store.by_ids(ann.id, ["A"])
    await database.close()
    return bool(found)


def _running(folder: Path, *key_ids: str, pid: int | None = None, replica: str | None = None) -> None:
    facts = {"base_url": "http://x", "pid": pid or os.getpid(), "key_ids": key_ids, "replica": replica}
    (folder / RUNNING_FILE).write_text(json.dumps(facts), encoding="utf-8")


def _run(folder: Path, *options: str) -> int:
    return main(["encrypt", "--data", str(folder), *options])


def test_it_encrypts_with_the_first_key_and_takes_it_back(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """S0-142: from no key to one, from one to another, and off again."""
    for keys, options, readable_with in (
        ("one", [], ["one"]),
        ("two,one", [], ["two"]),
        ("two", ["--off"], []),
    ):
        monkeypatch.setenv(KEYS, keys)
        assert _run(folder, "--json", *options) == 0
        assert json.loads(capsys.readouterr().out) == {"sealed": 1, "unreadable": 0}
        assert asyncio.run(_readable(folder / DATABASE, *readable_with))


def test_it_says_what_no_key_opens(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """S0-142: whoever forgot the old key must not take it for done."""
    monkeypatch.setenv(KEYS, "one")
    assert _run(folder) == 0
    monkeypatch.setenv(KEYS, "two")
    assert _run(folder) == 1
    assert "1 rows are unchanged" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("keys", "options", "known", "why"),
    [
        ("", [], [], "names no key"),
        ("one,,two", [], [], "none empty or repeated"),
        ("one,one", [], [], "none empty or repeated"),
        ("new,old", [], ["old"], "does not know the first key"),
        ("old", ["--off"], ["old"], "the running bridge encrypts"),
    ],
)
def test_it_refuses_what_would_hide_rows_from_the_bridge_that_runs(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    keys: str,
    options: list[str],
    known: list[str],
    why: str,
) -> None:
    """A bridge that cannot read what is kept repeats every tool of every chat."""
    monkeypatch.setenv(KEYS, keys)
    _running(folder, *(key_id(key) for key in known))
    assert _run(folder, *options) == 1
    assert why in capsys.readouterr().err
    assert asyncio.run(_readable(folder / DATABASE))


def test_replicas_are_started_again_together(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that is restarted alone, with other keys than the others, refuses to start."""
    monkeypatch.setenv(KEYS, "new,old")
    _running(folder, key_id("old"), replica="0123456789abcdef")
    assert _run(folder) == 1
    assert "the running replica does not know the first key; stop all replicas" in capsys.readouterr().err


def test_it_runs_beside_a_bridge_that_knows_the_key_and_after_one_that_is_gone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither must be stopped for it; a file that a killed bridge left behind says nothing."""
    monkeypatch.setenv(KEYS, "new,old")
    _running(folder, key_id("new"), key_id("old"))
    assert _run(folder) == 0
    _running(folder, pid=2**22 + 1)
    assert _run(folder) == 0


@pytest.mark.parametrize(
    ("keys", "options", "why"),
    [
        ("new,old", [], "a replica that uses the database does not know the first key; stop all replicas"),
        ("old", ["--off"], "a replica that uses the database encrypts; stop all replicas"),
        ("old", [], None),
    ],
)
def test_it_refuses_what_would_hide_rows_from_replicas_on_other_machines(
    tmp_path: Path,
    postgres_server: PostgresServer,
    redis_server: RedisServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    keys: str,
    options: list[str],
    why: str | None,
) -> None:
    """This machine has no folder that tells of them; the database does."""
    elsewhere, here = tmp_path / "elsewhere", tmp_path / "here"
    elsewhere.mkdir()
    monkeypatch.setenv(KEYS, keys)

    async def encrypt_beside(database: URL) -> int:
        settings = replica_settings(redis_server.url, "ab" * 32)
        storage = StorageSettings(encryption_keys=("old",))
        async with running_bridge(elsewhere, database=database, storage=storage, **settings):
            return await asyncio.to_thread(_run, here, "--database", _text(database), *options)

    with postgres_server.database() as database:
        assert asyncio.run(encrypt_beside(database)) == (0 if why is None else 1)
        assert (why or "") in capsys.readouterr().err
        assert _run(here, "--database", _text(database), *options) == 0, "nobody uses the database any more"


def _text(database: URL) -> str:
    return database.render_as_string(hide_password=False)
