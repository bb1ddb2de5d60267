"""`tool-bridge users --delete`: a user goes with all that there is of the user, and nobody else."""

import asyncio
import json
import os
from pathlib import Path

import pytest
from sqlalchemy import Table

from bridge.__main__ import main
from bridge.cli.store import DATABASE
from bridge.settings.running_bridge import RUNNING_FILE
from bridge.storage import database_lease
from bridge.storage.store import Store
from bridge.storage.tables import Base
from bridge.stored_items.items import StoredItem, StoredResponse
from bridge.stored_items.retention_preference import MemoryChoice
from tests.support.stores.databases import execute
from tests.support.stores.postgresql import PostgresServer


async def _fill(path: Path, name: str) -> str:
    store = Store.open_store(path)
    user = await store.ensure_user(name)
    await store.add_key(user.id, "test")
    await store.add_ticket(user.id)
    await store.memory_choices().save_memory_choice(user.id, MemoryChoice(False))
    items = store.item_store()
    await items.add_items([StoredItem("A", user.id, name, 0, "output", "demo", {"type": "message"}, 1.0)])
    await items.save_response(StoredResponse(name, user.id, "demo", "completed", {}, {}, 1.0))
    await items.add_events(user.id, name, 0, 1, b"frames")
    await store.close()
    return user.id


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("ann", "bob"):
        asyncio.run(_fill(tmp_path / DATABASE, name))
    return tmp_path


def _rows_of(folder: Path, table: Table, user_id: str) -> int:
    """Rows that name the user, in whatever column."""
    found = execute(folder / DATABASE, f"SELECT * FROM {table.name}")
    return sum(user_id in map(str, row) for row in found)


def test_a_user_goes_with_all_there_is_and_the_audit_log_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All but the entries of the audit log; others keep what is theirs, even where ids are the same."""
    ids = {row[1]: row[0] for row in execute(folder / DATABASE, "SELECT id, name FROM users")}
    assert main(["users", "--delete", "ann", "--data", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"deleted": "ann", "items": 1}
    left = {table.name for table in Base.metadata.sorted_tables if _rows_of(folder, table, ids["ann"])}
    assert left == {"audit"}
    (entry,) = execute(folder / DATABASE, "SELECT kind FROM audit")
    assert entry[0] == "user_deleted"
    of_bob = {table.name for table in Base.metadata.sorted_tables if _rows_of(folder, table, ids["bob"])}
    assert of_bob >= {"users", "api_keys", "tickets", "kept_items", "kept_responses", "memory_choices"}
    assert execute(folder / DATABASE, "SELECT response_id FROM kept_events") == [("bob",)]


@pytest.mark.parametrize(
    ("name", "why"), [("eve", "there is no user 'eve'"), ("local", "is the user who starts the bridge")]
)
def test_who_is_not_there_or_starts_the_bridge_is_not_deleted(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, why: str
) -> None:
    """It says which."""
    assert main(["users", "--delete", name, "--data", str(folder)]) == 1
    assert why in capsys.readouterr().err


def test_a_bridge_that_runs_is_stopped_first(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It has sessions, pages and calls of its users in memory."""
    facts = {"base_url": "http://x", "pid": os.getpid()}
    (folder / RUNNING_FILE).write_text(json.dumps(facts), encoding="utf-8")
    assert main(["users", "--delete", "ann", "--data", str(folder)]) == 1
    assert "stop it first" in capsys.readouterr().err
    assert len(execute(folder / DATABASE, "SELECT * FROM users")) == 2


def test_of_replicas_all_are_stopped_first(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The one of this machine is not the only one that has the user in memory."""
    facts = {"base_url": "http://x", "pid": os.getpid(), "replica": "0123456789abcdef"}
    (folder / RUNNING_FILE).write_text(json.dumps(facts), encoding="utf-8")
    assert main(["users", "--delete", "ann", "--data", str(folder)]) == 1
    assert "a replica is running on this data folder: stop all of them first" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("shared", "who", "stop"),
    [
        (True, "replicas use postgresql://", "stop all of them first"),
        (False, "a bridge uses postgresql://", "stop it first"),
    ],
)
def test_bridges_of_other_machines_are_stopped_first(
    tmp_path: Path,
    postgres_server: PostgresServer,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    shared: bool,
    who: str,
    stop: str,
) -> None:
    """The database tells of them; what it says to a bridge that starts would mislead."""
    monkeypatch.setattr(database_lease, "TAKE_S", 0.0)
    with postgres_server.database() as where:
        url = where.set(drivername="postgresql").render_as_string(hide_password=False)

        async def delete_beside_another() -> int:
            store = Store.open_store(where)
            if shared:
                store.share_claim()
            await store.claim.take_claim()
            try:
                return await asyncio.to_thread(
                    main, ["users", "--delete", "ann", "--data", str(tmp_path), "--database", url]
                )
            finally:
                await store.close()

        assert asyncio.run(delete_beside_another()) == 1
    assert who in (said := capsys.readouterr().err)
    assert stop in said
