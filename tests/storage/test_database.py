"""Opening the database: which one, what is said when it cannot be used, and who migrates it."""

import asyncio
import json
import logging
import sqlite3
import stat
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from alembic.script import ScriptDirectory
from psycopg import sql
from sqlalchemy import URL, create_engine, event, text
from sqlalchemy.exc import IntegrityError

from bridge.__main__ import main
from bridge.storage import migrations
from bridge.storage.database import (
    believes_any_server,
    describe_database,
    mask_url,
    open_first_connection,
    open_sqlite,
    postgresql_url,
)
from bridge.storage.errors import StoreError
from bridge.storage.sqlite_connections import SqliteConnections
from bridge.storage.store import Store
from bridge.storage.users import UserTables
from tests.support.stores.databases import Where, execute
from tests.support.stores.postgresql import PASSWORD, PostgresServer
from tests.support.waiting import eventually

SECRET = "s3cret"
ENCODED = "p%40ss%3A%20word%2F%3F%23%25"
"""`PASSWORD` as a URL has it."""


@pytest.fixture
def other_user(postgres_server: PostgresServer) -> Generator[str]:
    """A role without any right of its own."""
    postgres_server.execute(sql.SQL("CREATE ROLE stranger LOGIN").format())
    yield "stranger"
    postgres_server.execute(sql.SQL("DROP ROLE stranger").format())


@contextmanager
def empty_database(server: PostgresServer, *wishes: str) -> Generator[URL]:
    """A database without tables; `wishes` are said to it first."""
    with server.database("template1") as url:
        if wishes:
            execute(url, *(wish.format(database=url.database) for wish in wishes))
        yield url


async def opened(where: Where) -> None:
    await Store.open_store(where).close()


def refused(where: URL) -> str:
    with pytest.raises(StoreError) as told:
        Store.open_store(where)
    text = str(told.value)
    assert PASSWORD not in text
    assert ENCODED not in text
    assert "\n" not in text
    return text


# Which one


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (f"mysql://ann:{SECRET}@h/db", "must look like postgresql://"),
        (f"sqlite:///{SECRET}", "must look like postgresql://"),
        (SECRET, "must look like postgresql://"),
        (f"postgresql:ann:{SECRET}@h/db", "must look like postgresql://"),
        (f"postgresql://ann:{SECRET}@h:port/db", "cannot be read"),
        (f"postgresql://ann:p@{SECRET}@h/db", "is written %40"),
    ],
)
def test_an_address_that_is_none_is_refused_without_repeating_it(given: str, said: str) -> None:
    """It has a password in it."""
    with pytest.raises(StoreError, match=said) as told:
        postgresql_url(given)
    assert SECRET not in str(told.value)


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_an_address_is_shown_without_password_and_options(scheme: str) -> None:
    """As libpq and SQLAlchemy write it, whatever a host's control panel offers."""
    url = postgresql_url(f"{scheme}://ann:{ENCODED}@db.example:5433/tools?sslmode=require&password={SECRET}")
    assert url.password == PASSWORD
    assert mask_url(url) == "postgresql://ann@db.example:5433/tools"


@pytest.mark.parametrize(
    ("address", "environ", "is_believed"),
    [
        ("ann@db.example/tools", {}, True),
        ("ann@db.example/tools?sslmode=require", {}, True),
        ("ann@db.example/tools?sslmode=require", {"PGSSLMODE": "verify-full"}, True),
        ("ann@10.0.0.7/tools", {"PGSSLMODE": "verify-full"}, False),
        ("ann@db.example/tools?sslmode=verify-ca", {}, False),
        ("ann@db.example/tools?sslmode=verify-full", {"PGSSLMODE": "prefer"}, False),
        ("ann@db.example/tools?sslrootcert=system", {}, False),
        ("ann@db.example/tools?sslrootcert=/etc/ssl/db.pem", {}, True),
        ("ann@db.example/tools?sslmode=require", {"PGSSLROOTCERT": "/etc/ssl/db.pem"}, False),
        ("ann@db.example/tools?sslmode=disable", {}, False),
        ("ann@localhost/tools", {}, False),
        ("ann@127.0.0.9:5433/tools", {}, False),
        ("ann@[::1]/tools", {}, False),
        ("ann@/tools?host=/run/postgresql", {}, False),
        ("ann@/tools", {}, False),
        ("ann@/tools", {"PGHOST": "db.example"}, True),
        ("ann@/tools?host=127.0.0.1:5432&host=db.example:5432", {}, True),
        ("ann@db.example/tools?hostaddr=127.0.0.1", {}, False),
    ],
)
def test_a_server_of_another_machine_without_a_certificate_that_is_checked_is_told(
    address: str, environ: dict[str, str], is_believed: bool
) -> None:
    """As libpq reads the address: TLS without a check keeps out nobody who is on the way."""
    assert believes_any_server(postgresql_url(f"postgresql://{address}"), environ) is is_believed


def test_a_command_takes_the_address_from_the_environment_or_the_option(
    postgres_server: PostgresServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """And nothing it prints or logs has the password."""
    caplog.set_level(logging.DEBUG)
    with postgres_server.database() as url:
        address = postgres_server.network_url(url.database or "").set(drivername="postgresql")
        given = address.render_as_string(hide_password=False)
        monkeypatch.setenv("TOOL_BRIDGE_DATABASE_URL", given)
        assert main(["key", "--user", "ann", "--data", str(tmp_path), "--json"]) == 0
        monkeypatch.delenv("TOOL_BRIDGE_DATABASE_URL")
        capsys.readouterr()
        assert main(["users", "--database", given, "--data", str(tmp_path), "--json"]) == 0
        printed = capsys.readouterr()
        assert [user["name"] for user in json.loads(printed.out)["users"]] == ["ann"]
        assert not list(tmp_path.glob("*.sqlite3"))
        everything = printed.out + printed.err + caplog.text
        assert PASSWORD not in everything
        assert ENCODED not in everything


# What is said when it cannot be used


def test_a_server_that_is_not_there_is_told_in_one_line(
    postgres_server: PostgresServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before anything listens; status 1."""
    address = f"postgresql://ann:{SECRET}@127.0.0.1:1/tools"
    assert main(["serve", "--database", address, "--data", str(tmp_path)]) == 1
    told = capsys.readouterr().err
    assert told.startswith("tool-bridge: postgresql://ann@127.0.0.1:1/tools cannot be used:")
    assert "refused" in told
    assert told.endswith("Check that the server runs there and accepts this machine.\n")
    assert SECRET not in told


def test_wrong_names_and_passwords_are_told_apart(postgres_server: PostgresServer) -> None:
    """The user and the database exist or not; the password fits or not."""
    wrong = postgres_server.network_url("postgres", password="wrong" + PASSWORD)
    assert "Check the user and the password" in refused(wrong)
    missing = refused(postgres_server.url("nowhere"))
    assert 'database "nowhere" does not exist' in missing
    assert "createdb" in missing
    odd = postgresql_url("postgresql://ann@127.0.0.1:1/tools?colour=blue")
    assert 'invalid connection option "colour". Correct the options' in refused(odd)


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        (["ALTER DATABASE {database} SET default_transaction_read_only = on"], "is read-only"),
        (["CREATE TABLE users (id int)"], "tables of another program"),
        (["CREATE TABLE alembic_version (version_num text)", "INSERT INTO alembic_version VALUES ('x')"],
         "tables of another program"),
    ],
)  # fmt: skip
def test_a_database_for_something_else_is_left_alone(
    postgres_server: PostgresServer, wishes: list[str], said: str
) -> None:
    """What is in it stays as it is."""
    with empty_database(postgres_server, *wishes) as url:
        assert said in refused(url)
        assert execute(url, "SELECT 1 FROM pg_tables WHERE tablename = 'api_keys'") == []


@pytest.mark.parametrize(
    "wishes",
    [
        ["CREATE TABLE t (id INT)"],
        ["CREATE TABLE alembic_version (version_num TEXT)", "CREATE TABLE config (id INT)"],
        [
            "CREATE TABLE alembic_version (version_num TEXT)",
            "INSERT INTO alembic_version VALUES ('7e5b5dc7342b')",
        ],
    ],
)
def test_a_file_of_another_program_is_left_alone(tmp_path: Path, wishes: list[str]) -> None:
    """Finding P-M3: a start made its 29 tables beside another's, and closed the file to others.

    The last one is how Open WebUI's looks, which uses Alembic, too.
    """
    path = tmp_path / "bridge.sqlite3"
    with closing(sqlite3.connect(path)) as connection, connection:
        for wish in wishes:
            connection.execute(wish)
    path.chmod(0o644)
    before = path.read_bytes()
    for look in (Store.open_store, describe_database):
        with pytest.raises(StoreError, match="holds tables of another program"):
            look(path)
    assert path.read_bytes() == before
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


@pytest.mark.asyncio
async def test_tables_of_extensions_are_nobodys(postgres_server: PostgresServer) -> None:
    """Finding P-M3: PostGIS and others put their own into every new database, by its template."""
    with empty_database(postgres_server, "CREATE TABLE spatial_ref_sys (id int)") as url:
        assert "tables of another program" in refused(url)
        execute(url, "ALTER EXTENSION plpgsql ADD TABLE spatial_ref_sys")
        await opened(url)


@pytest.mark.asyncio
async def test_a_file_that_another_process_holds_is_told_at_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Finding P-L10: a start that waits, for a minute at most, looked as if it hung."""
    path = tmp_path / "bridge.sqlite3"
    await opened(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        opening = asyncio.create_task(asyncio.to_thread(Store.open_store, path))
        await eventually(lambda: "is locked by another process; waiting" in caplog.text)
        with pytest.raises(StoreError, match="database is locked"):
            describe_database(path)
        holder.execute("ROLLBACK")
        await (await opening).close()


def test_a_database_in_another_encoding_is_refused(postgres_server: PostgresServer) -> None:
    """A user's name in Cyrillic must not fail on a Tuesday."""
    postgres_server.execute(
        sql.SQL(
            "CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
        ).format()
    )
    assert "ENCODING 'UTF8'" in refused(postgres_server.url("latin"))


def test_a_right_that_is_missing_is_named(postgres_server: PostgresServer, other_user: str) -> None:
    """Who may not make tables, who may not read them, and who may only read them."""
    with empty_database(postgres_server, "REVOKE CREATE ON SCHEMA public FROM PUBLIC") as url:
        assert "permission denied for schema public. Make the user" in refused(url.set(username=other_user))
    with postgres_server.database() as url:
        theirs = url.set(username=other_user)
        assert "permission denied" in refused(theirs)
        execute(url, f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {other_user}")
        assert "lacks a right (" in refused(theirs)
        execute(url, f"DROP OWNED BY {other_user}")


# Who migrates it


def test_a_database_is_up_to_date_at_the_newest_migration() -> None:
    """One that is behind must not be opened as it is."""
    assert ScriptDirectory(str(Path(migrations.__file__).parent)).get_current_head() == migrations.HEAD


@pytest.mark.asyncio
@pytest.mark.both_databases
async def test_a_database_of_a_newer_version_is_left_alone(database: Where) -> None:
    """The old program would lose what the new one keeps."""
    await opened(database)
    execute(database, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match="newer tool-bridge"):
        Store.open_store(database)


@pytest.mark.asyncio
@pytest.mark.both_databases
@pytest.mark.parametrize("revision", ["0001", "0015"])
async def test_a_database_of_before_the_first_release_is_left_alone(database: Where, revision: str) -> None:
    """Nothing is changed of what a version of today would misread."""
    await opened(database)
    execute(database, f"UPDATE alembic_version SET version_num = '{revision}'")
    with pytest.raises(StoreError, match=rf"before the first release \(its tables are at {revision}\)"):
        Store.open_store(database)
    assert execute(database, "SELECT version_num FROM alembic_version") == [(revision,)]


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_bridges_that_start_at_once_on_an_empty_database_migrate_it_once(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """One does, the others wait for it and find it done."""
    if kind == "sqlite":
        await all_open(tmp_path / "b.sqlite3")
    else:
        with empty_database(request.getfixturevalue("postgres_server")) as url:
            await all_open(url)


def test_a_file_that_another_process_switches_to_wal_is_waited_for(tmp_path: Path) -> None:
    """SQLite says at once that it is locked, without the time that others are given."""
    where = tmp_path / "b.sqlite3"
    with closing(sqlite3.connect(where, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with ThreadPoolExecutor(1) as threads:
            engine = create_engine(URL.create("sqlite", database=str(where)), connect_args={"timeout": 0})
            event.listen(engine, "connect", switch_to_wal)
            opening = threads.submit(open_first_connection, engine)
            with pytest.raises(TimeoutError):
                opening.result(timeout=0.2)
            other.execute("COMMIT")
            opening.result(timeout=30)
    assert execute(where, "PRAGMA journal_mode") == [("wal",)]


def switch_to_wal(raw: Any, _record: object) -> None:
    raw.execute("PRAGMA journal_mode=WAL")


async def all_open(where: Where) -> None:
    with ThreadPoolExecutor(4) as threads:
        stores = list(threads.map(Store.open_store, [where] * 4))
    for store in stores:
        await UserTables(store).ensure_user("ann")
        await store.close()
    assert len(execute(where, "SELECT * FROM alembic_version")) == 1


@pytest.mark.asyncio
@pytest.mark.both_databases
async def test_text_that_a_database_cannot_hold_is_kept_as_near_as_it_can(database: Where) -> None:
    """PostgreSQL knows no NUL; what has one is found again all the same."""
    store = Store.open_store(database)
    users = UserTables(store)
    ann = await users.ensure_user("an\0n")
    assert (await users.ensure_user("an\0n")).id == ann.id
    assert [user.name.replace("\ufffd", "\0") for user in await users.list_users()] == ["an\0n"]
    await store.close()


def test_what_sqlite_refuses_is_told_without_its_values(tmp_path: Path) -> None:
    """A traceback of such an error goes to the log, where no argument of a call may be."""
    engines = open_sqlite(tmp_path / "bridge.sqlite3")
    with pytest.raises(IntegrityError) as failure, engines.writing.begin() as connection:
        connection.execute(text("INSERT INTO api_keys (id) VALUES (:id)"), {"id": "an argument"})
    assert "an argument" not in str(failure.value)
    engines.writing.dispose()


class WatchedFile(sqlite3.Connection):
    """Tells when it is closed."""

    closed = threading.Event()

    def close(self) -> None:
        super().close()
        self.closed.set()


@pytest.mark.asyncio
async def test_a_connection_is_closed_whose_task_was_cancelled_while_it_opened(tmp_path: Path) -> None:
    """Finding house-H7: Python 3.13 warns of it, and whether the file is held depends on the collector."""
    connections = SqliteConnections()
    opening = connections.open_connection(str(tmp_path / "b.sqlite3"), factory=WatchedFile)
    waiting = asyncio.ensure_future(opening)
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await connections.wait_ended()
    assert WatchedFile.closed.is_set()
