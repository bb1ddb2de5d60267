"""`tool-bridge users --delete`: a user goes with all that there is of the user, and nobody else."""

import asyncio
import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import orjson
import pytest
from sqlalchemy import Table

from bridge.__main__ import main
from bridge.cli.store import DATABASE
from bridge.models.stored_items.items import StoredItem, StoredResponse
from bridge.models.stored_items.retention_preference import MemoryChoice
from bridge.settings.chat.models import ProviderSettings
from bridge.settings.chat.user_providers import UserProvider
from bridge.settings.running_bridge import RUNNING_FILE
from bridge.settings.storage import StorageSettings
from bridge.storage import database_lease
from bridge.storage.answer_files import FOLDER
from bridge.storage.call_mapping import COLUMNS
from bridge.storage.chat.items import ItemTables
from bridge.storage.chat.memory_choices import MemoryChoiceTable
from bridge.storage.chat.model_providers import ModelProviderTable
from bridge.storage.database import open_database
from bridge.storage.open_pages import OPEN_PAGES_FILE, read_users, write_users
from bridge.storage.store import Store, StoreHooks
from bridge.storage.tables import Base
from bridge.storage.users import UserTables
from bridge.storage.write_ahead_log import NAMES
from tests.support.stores.databases import execute
from tests.support.stores.postgresql import PostgresServer

PROVIDER_KEY = "sk-of-the-provider"


async def _fill(path: Path, name: str) -> str:
    store = Store.open_store(path)
    users = UserTables(store)
    user = await users.ensure_user(name)
    await users.add_key(user.id, "test")
    await users.add_ticket(user.id)
    await MemoryChoiceTable(store).save_memory_choice(user.id, MemoryChoice(False))
    items = ItemTables(store)
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


def _leave_behind(folder: Path, user_id: str) -> Path:
    """A file of a long answer, and a call that a killed bridge had in its write-ahead log only."""
    file = folder / FOLDER / user_id / f"call_{'0' * 32}.txt"
    file.parent.mkdir(parents=True)
    file.write_text(f"a long answer for {user_id}", encoding="utf-8")
    row = dict.fromkeys(COLUMNS) | {
        **{"id": f"call_{user_id}", "user_id": user_id, "tool": "order", "server_id": "shop", "safe": False},
        **{
            "operation_key": "order",
            "arguments": "{}",
            "state": "running",
            "may_begin": True,
            "opened_at": 1.0,
        },
    }
    with (folder / NAMES[0]).open("ab") as log:
        log.write(orjson.dumps(row) + b"\n")
    return file


def test_what_is_outside_of_the_database_goes_too(folder: Path) -> None:
    """Files of long answers last a day, the write-ahead log until the next start; both name users."""
    ids = {row[1]: row[0] for row in execute(folder / DATABASE, "SELECT id, name FROM users")}
    files = {name: _leave_behind(folder, user_id) for name, user_id in ids.items()}
    write_users(folder / OPEN_PAGES_FILE, ids.values())
    assert main(["users", "--delete", "ann", "--data", str(folder)]) == 0
    assert (files["ann"].parent.exists(), files["bob"].exists()) == (False, True)
    assert execute(folder / DATABASE, "SELECT user_id, state FROM calls") == [(ids["bob"], "outcome_unknown")]
    assert read_users(folder / OPEN_PAGES_FILE) == {ids["bob"]}
    rest = [path for path in folder.rglob("*") if path.is_file() and DATABASE not in path.name]
    assert [path.name for path in rest if ids["ann"].encode() in path.read_bytes()] == []


def test_everything_is_exported_with_files_and_without_secrets(folder: Path, tmp_path: Path) -> None:
    """A user has a right to all of it; whoever reads the file must not be able to act as the user."""
    ids = {row[1]: row[0] for row in execute(folder / DATABASE, "SELECT id, name FROM users")}
    _leave_behind(folder, ids["ann"])
    asyncio.run(_add_provider(folder / DATABASE, ids["ann"]))
    out = tmp_path / "ann.jsonl"
    assert main(["export", "--user", "ann", "--everything", "--out", str(out), "--data", str(folder)]) == 0
    head, *lines = map(json.loads, out.read_text(encoding="utf-8").splitlines())
    assert head["user"] == "ann"
    assert {line["kept"] for line in lines} == {"item", "response", "record", "file"}
    records = {line["table"]: line["row"] for line in lines if line["kept"] == "record"}
    assert {*records} >= {"users", "api_keys", "tickets", "memory_choices", "model_providers"}
    assert records["api_keys"]["label"] == "test"
    assert records["model_providers"]["content"]["settings"]["base_url"] == "https://x.example/v1"
    (file,) = (line for line in lines if line["kept"] == "file")
    assert base64.b64decode(file["base64"]).decode() == f"a long answer for {ids['ann']}"
    hashes = execute(folder / DATABASE, "SELECT key_hash FROM api_keys UNION SELECT ticket_hash FROM tickets")
    said = out.read_text(encoding="utf-8")
    assert [row for row in hashes if row[0] in said] == []
    assert (PROVIDER_KEY in said, ids["bob"] in said) == (False, False)
    assert main(["import", str(out), "--user", "bob", "--data", str(folder)]) == 0


async def _add_provider(path: Path, user_id: str) -> None:
    store = Store.open_store(path)
    settings = ProviderSettings(name="mine", base_url="https://x.example/v1")
    provider = UserProvider(user_id, settings, PROVIDER_KEY, ("m",))
    await ModelProviderTable(store, StorageSettings(), b"s" * 32).save_provider(provider)
    await store.close()


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
            store = Store(open_database(where), StoreHooks(is_shared=shared))
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


def test_a_process_of_its_own_knows_every_table(folder: Path) -> None:
    """Without the modules of all tables a deletion counts no items, and leaves their rows to the database."""
    command = [sys.executable, "-m", "bridge", "users", "--delete", "ann", "--data", str(folder), "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(ran.stdout) == {"deleted": "ann", "items": 1}
