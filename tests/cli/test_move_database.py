"""`tool-bridge move-database`: everything arrives, nothing is overwritten, the bridge goes on from there."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import URL, select

from bridge.__main__ import main
from bridge.audit import AuditKind
from bridge.calls.approval_policy import Grant
from bridge.catalog.server_view import ServerRecord, UserSelection
from bridge.storage.audit_log import AuditLog
from bridge.storage.preferences import ApprovalTables, LimitTables
from bridge.storage.replicas.tables import REPLICA_TABLES
from bridge.storage.servers import ServerTables
from bridge.storage.store import Store
from bridge.storage.tables import Base
from bridge.storage.users import User, UserTables
from bridge.storage.write_ahead_log import WriteAheadLog
from tests.support.stores.databases import Where, engine_of, execute
from tests.support.stores.devices import add_device
from tests.support.stores.postgresql import PostgresServer


@pytest.fixture
def target(postgres_server: PostgresServer) -> Iterator[URL]:
    with postgres_server.database("template1") as url:
        yield url


def rows(where: Where) -> dict[str, list[Any]]:
    engine = engine_of(where)
    with engine.connect() as connection:
        found = {
            table.name: sorted(map(tuple, connection.execute(select(table))), key=repr)
            for table in Base.metadata.sorted_tables
            if table.name not in REPLICA_TABLES
        }
    engine.dispose()
    return found


async def filled(path: Path) -> tuple[User, str]:
    """A store with something in most tables; its user and his key."""
    store = Store.open_store(path)
    users = UserTables(store)
    servers = ServerTables(store)
    ann = await users.ensure_user("ann")
    _, key = await users.add_key(ann.id, "a\0b")
    await users.add_ticket(ann.id)
    await add_device(store, ann.id, "Chrome")
    await servers.add_server(ServerRecord("shop", None, "Shop", None, None, None, "{}"))
    await servers.add_names("", {("shop", "GET /"): "list"}, seen={})
    await servers.replace_acceptances(ann.id, "shop", {"GET /": "d"})
    await servers.save_selection(ann.id, UserSelection(tags=("t",), max_tools=5))
    await LimitTables(store).save_limits({"BREAKER_MAX_FAILURES": 3})
    await ApprovalTables(store).keep_grant(
        Grant("g", ann.id, "shop", "GET /", "d", "always", None, 1.25, None)
    )
    log = AuditLog(store)
    for _ in range(450):
        log.add_entry(AuditKind.SETTINGS, ann.id, "key", detail={"to": "\u2713"})
    await log.flush_entries()
    await store.close()
    return ann, key


@pytest.mark.asyncio
async def test_everything_arrives_and_the_bridge_goes_on_from_there(
    tmp_path: Path, target: URL, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each row of each table, and numbers that are given go on after the highest."""
    path = tmp_path / "bridge.sqlite3"
    ann, key = await filled(path)
    where = ["--to", target.render_as_string(hide_password=False), "--data", str(tmp_path)]
    assert main(["move-database", *where, "--json"]) == 0
    moved = json.loads(capsys.readouterr().out)["moved"]
    before, after = rows(path), rows(target)
    assert repr(before).replace("\\x00", "\ufffd") == repr(after)
    assert moved == {name: len(found) for name, found in before.items()}
    assert moved["audit"] == 450
    store = Store.open_store(target)
    holder = await UserTables(store).holder_of_key(key)
    assert holder is not None
    assert (holder.user, holder.label) == (ann, "a\ufffdb")
    log = AuditLog(store)
    log.add_entry(AuditKind.STARTED, None, "bridge")
    await log.flush_entries()
    assert execute(target, "SELECT max(id) FROM audit") == [(451,)]
    await store.close()
    assert main(["move-database", *where]) == 1
    assert "nothing was moved: the table" in capsys.readouterr().err


@pytest.mark.asyncio
async def test_what_the_target_does_not_take_leaves_it_empty(
    tmp_path: Path, target: URL, capsys: pytest.CaptureFixture[str]
) -> None:
    """SQLite has never looked at lengths; the operator is told, and can try again."""
    path = tmp_path / "bridge.sqlite3"
    await filled(path)
    execute(path, "UPDATE servers SET id = id", "UPDATE api_keys SET label = printf('%.*c', 101, 'x')")
    where = ["--to", target.render_as_string(hide_password=False), "--data", str(tmp_path)]
    assert main(["move-database", *where]) == 1
    assert "nothing was moved: value too long" in capsys.readouterr().err
    assert not any(rows(target).values())


def test_it_is_refused_while_a_bridge_runs_and_without_anything_to_move(
    tmp_path: Path, target: URL, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy of a store that changes would miss something."""
    where = ["--to", target.render_as_string(hide_password=False), "--data", str(tmp_path)]
    assert main(["move-database", *where]) == 1
    assert "there is no" in capsys.readouterr().err
    Store.open_store(tmp_path / "bridge.sqlite3")
    running = WriteAheadLog.open_log(tmp_path)
    assert main(["move-database", *where]) == 1
    assert "another tool-bridge runs" in capsys.readouterr().err
    running.close()
    monkeypatch.delenv("TOOL_BRIDGE_DATABASE_URL", raising=False)
    assert main(["move-database", "--data", str(tmp_path)]) == 1
    assert "TOOL_BRIDGE_DATABASE_URL" in capsys.readouterr().err
