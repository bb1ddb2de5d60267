"""A copy of a snapshot for one test, as if it had been made a moment ago, and a bridge on it."""

import json
import shutil
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import aiohttp
import psycopg
import pytest
from jwt.algorithms import ECAlgorithm
from sqlalchemy import URL, Connection, Float, inspect, text

from bridge.app.server import Bridge
from bridge.settings.storage import StorageSettings
from tests.support.forwarded_users import sign_token
from tests.support.models.model_bridge import models_file
from tests.support.models.scripted_provider import KEY as PROVIDER_KEY
from tests.support.models.scripted_provider import ScriptedProvider
from tests.support.running_bridge import FakePage, running_bridge
from tests.support.stores.databases import Where, engine_of
from tests.support.stores.postgresql import PostgresServer
from tests.upgrade.program import Program

Json = dict[str, Any]

FIRST, AT_0023 = "", "0023"
SNAPSHOTS = {FIRST: Path(__file__).parent / "snapshot", AT_0023: Path(__file__).parent / "snapshot_0023"}
"""By the revision of their tables; the first one is older than all that are told apart."""
INTENTS = "intents-*.jsonl"


@dataclass
class Left:
    """What the bridge of the snapshot left, in a place of this test."""

    snapshot: str
    """Which one, of `SNAPSHOTS`."""
    folder: Path
    where: Where
    manifest: Json
    """What was there; see `making/__main__.py`."""
    browser: Json
    """What a Chromium kept."""
    document: Path
    """What the command line named."""

    @property
    def users(self) -> list[str]:
        return list(self.manifest["pages"])

    def kept_settings(self) -> StorageSettings:
        """With the keys that the snapshot was made with."""
        return StorageSettings(encryption_keys=tuple(self.manifest["settings"]["encryption_keys"]))

    def token(self) -> str:
        """What Open WebUI signs of the forwarded user; the name may have changed since."""
        subject = self.manifest["forwarded"]["subject"]
        return sign_token(self.manifest["settings"]["jwt_secret"], sub=subject, name="Ada, Countess")


@contextmanager
def copied(kind: str, snapshot: str, folder: Path, request: pytest.FixtureRequest) -> Generator[Left]:
    """A snapshot, with SQLite or with PostgreSQL."""
    source, data_folder = SNAPSHOTS[snapshot] / kind, folder / "folder"
    shutil.copytree(source / "folder", data_folder, copy_function=shutil.copyfile)
    manifest = _read(source / "manifest.json")
    age = time.time() - manifest["made_at"]
    _move_intents(data_folder, age)
    with _database(source, data_folder, request) as where:
        _move_times(where, age)
        document = source / manifest["document"]
        yield Left(snapshot, data_folder, where, manifest, _read(source / "browser.json"), document)


@asynccontextmanager
async def opened(
    left: Left, provider: ScriptedProvider | None = None, **settings: Any
) -> AsyncGenerator[Bridge]:
    """A bridge as the one that left it, by today's code."""
    if provider is not None:
        settings |= {"models": models_file(provider), "environ": {"SCRIPTED_KEY": PROVIDER_KEY}}
    settings = {
        "approve": "safe",
        "storage": left.kept_settings(),
        "user_jwt_secret": left.manifest["settings"]["jwt_secret"],
        "max_answer_bytes": left.manifest["settings"]["answer_bytes"],
        **settings,
    }
    async with running_bridge(left.folder, database=left.where, **settings) as bridge:
        await bridge.share_document(str(left.document), named=left.manifest["document"])
        yield bridge


@dataclass
class Visitor:
    """Whoever comes back to a bridge: with the keys and browsers of the snapshot."""

    left: Left
    bridge: Bridge
    http: aiohttp.ClientSession

    def program(self, name: str) -> Program:
        """A program with a key, by its name in the manifest."""
        key = self.left.manifest["keys"][name]
        headers = {"X-OpenWebUI-User-Jwt": self.left.token()} if key["forwarder"] else {}
        return Program(self.bridge.base_url, self.http, key["key"], headers)

    async def page(self, user: str) -> FakePage:
        """The user's browser, with a session and not connected yet."""
        facts = self.left.manifest["pages"][user]
        key: Any = ECAlgorithm.from_jwk(json.dumps(facts["private_key"]))
        page = FakePage(self.bridge.base_url, self.http, facts["device_id"], key)
        await page.open_session()
        return page


@cache
def _text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _read(path: Path) -> Json:
    return json.loads(_text_of(path))


@contextmanager
def _database(source: Path, folder: Path, request: pytest.FixtureRequest) -> Generator[Where]:
    if source.name == "sqlite":
        yield folder / "bridge.sqlite3"
        return
    server: PostgresServer = request.getfixturevalue("postgres_server")
    with server.database(template="template1") as url:
        with psycopg.connect(_libpq(url), autocommit=True) as connection:
            connection.execute(_text_of(source / "dump.sql").encode())
        yield url


def _libpq(url: URL) -> str:
    return url.set(drivername="postgresql").render_as_string(hide_password=False)


def _move_intents(folder: Path, seconds: float) -> None:
    for path in folder.glob(INTENTS):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        moved = [{**row, "opened_at": row["opened_at"] + seconds} for row in rows]
        path.write_text("".join(json.dumps(row) + "\n" for row in moved), encoding="utf-8")


def _move_times(where: Where, seconds: float) -> None:
    """Make the snapshot a moment old: what is kept for 30 days would be gone in a month."""
    engine = engine_of(where)
    with engine.begin() as connection, _without_triggers(connection):
        for table in inspect(connection).get_table_names():
            columns = [
                column["name"]
                for column in inspect(connection).get_columns(table)
                if isinstance(column["type"], Float) and column["name"].split("_")[-1] == "at"
            ]
            if columns:
                changes = ", ".join(f"{name} = {name} + :seconds" for name in columns)
                connection.execute(text(f"UPDATE {table} SET {changes}"), {"seconds": seconds})
    engine.dispose()


@contextmanager
def _without_triggers(connection: Connection) -> Generator[None]:
    """The audit log and calls that have ended refuse to be changed, also by us."""
    if connection.dialect.name != "sqlite":
        connection.execute(text("SET LOCAL session_replication_role = replica"))
        yield
        return
    triggers = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")).all()
    for name, _ in triggers:
        connection.execute(text(f"DROP TRIGGER {name}"))
    yield
    for _, statement in triggers:
        connection.exec_driver_sql(statement)
