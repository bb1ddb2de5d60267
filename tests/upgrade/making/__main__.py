"""`python -m tests.upgrade.making FOLDER`: makes a snapshot from the code as it is, into a new folder.

It was run at the commits that the README names and is kept as the record of how the snapshots came about.
None is ever made again: what newer code has made proves nothing about older data. No test imports this. When
it no longer fits the code around it, delete it; the history has it.
"""

import asyncio
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp
from sqlalchemy import URL

from tests.support.forwarded_users import SECRET
from tests.support.models.scripted_provider import ScriptedProvider, scripted_provider
from tests.support.stores.postgresql import PostgresServer
from tests.upgrade.making import people, written
from tests.upgrade.making.answers import Answers
from tests.upgrade.making.browser import use_chromium
from tests.upgrade.making.calls import call_everything, leave_open
from tests.upgrade.making.command import ANSWER_BYTES, ENCRYPTION_KEYS, Command
from tests.upgrade.making.people import Cast
from tests.upgrade.observed import CHOICES, HISTORY, seen_by

Json = dict[str, Any]

NOTE = "Made up for tests. Every key, token and secret here opens nothing but this snapshot."
NEWER, OLDER = ENCRYPTION_KEYS


def main() -> None:
    """Make the SQLite folder and the PostgreSQL dump in the folder named, which must not exist."""
    snapshot = Path(sys.argv[1])
    (snapshot / "sqlite").mkdir(parents=True)
    (snapshot / "postgresql").mkdir()
    asyncio.run(_make(snapshot / "sqlite", None))
    server = PostgresServer()
    try:
        with server.database("template1") as url:
            asyncio.run(_make(snapshot / "postgresql", url))
            written.write_dump(url, snapshot / "postgresql" / "dump.sql")
    finally:
        server.remove()


async def _make(to: Path, database: URL | None) -> None:
    address = database.set(drivername="postgresql").render_as_string(hide_password=False) if database else ""
    with tempfile.TemporaryDirectory() as work:
        async with scripted_provider() as provider, aiohttp.ClientSession() as http:
            command = Command(Path(work), _free_port(), address, provider.base_url)
            people.write_documents(command)
            facts = await _fill(command, provider, http)
        written.write_json(facts["browser"].pop("profile"), to / "browser.json")
        written.write_json(facts, to / "manifest.json")
        shutil.copy(command.work / people.SHOP, to / people.SHOP)
        written.write_folder(command.folder, to / "folder")


async def _fill(command: Command, provider: ScriptedProvider, http: aiohttp.ClientSession) -> Json:
    """Four runs of a bridge: with a server that is gone later, unencrypted, encrypted, and partly so."""
    async with command.serving(people.OLD, people.SHOP) as printed:
        cast = await people.everybody(command, http, printed)
        await people.servers(cast)
        await cast.close_pages()
    kept: Json = {}
    async with _opened(cast):
        await people.choices(cast)
        called = await call_everything(cast)
        kept["plain"] = await _answers(cast, provider, "plain")
    async with _opened(cast, ARTIFACT_ENCRYPTION_KEY=OLDER):
        kept["sealed"] = await _answers(cast, provider, "sealed")
        used = await use_chromium(cast)
    keys = {"ARTIFACT_ENCRYPTION_KEY": f"{NEWER},{OLDER}", "ENCRYPT_ALL": "false"}
    async with _opened(cast, killed=True, **keys):
        running, open_call = await leave_open(cast, called["adding"])
        kept["thoughts sealed"] = await _answers(cast, provider, "thoughts sealed")
        seen = {user: await seen_by(page.page, CHOICES | HISTORY) for user, page in cast.pages.items()}
        made_at = time.time()
    with suppress(aiohttp.ClientError):
        await running  # the kill has ended it
    return {
        "note": NOTE,
        "commit": _commit(),
        "made_at": made_at,
        "document": people.SHOP,
        "settings": {"encryption_keys": ENCRYPTION_KEYS, "jwt_secret": SECRET, "answer_bytes": ANSWER_BYTES},
        "keys": cast.keys,
        "unspent": cast.keys["ann shows"]["ticket"],
        "pages": {user: page.facts for user, page in cast.pages.items()},
        "forwarded": {"subject": people.SUBJECT, "name": people.SUBJECT_NAME, "user": people.FORWARDED},
        "calls": {**called, "left_open": open_call},
        "answers": kept,
        "seen": seen,
        "browser": used,
    }


@asynccontextmanager
async def _opened(cast: Cast, *, killed: bool = False, **environ: str) -> AsyncGenerator[None]:
    """A run of the bridge with every browser open."""
    async with cast.command.serving(people.SHOP, killed=killed, **environ):
        await cast.open_pages()
        yield
    await cast.close_pages()


async def _answers(cast: Cast, provider: ScriptedProvider, phase: str) -> Json:
    """Answers to Ann and to the user whom Open WebUI forwards."""
    answers, listing = Answers(cast, provider, phase), "corner-shop_listProducts"
    return {
        "chat": await answers.chat("ann", listing),
        "chat unseen": await answers.chat("ann shows", listing, **{"X-Tool-Bridge-Markers": "zero_width"}),
        "chat of open webui": await answers.chat("open webui", listing),
        "response": await answers.response("ann", listing),
        "background": await answers.background("ann"),
        "conversation": await answers.conversation("ann"),
    }


def _commit() -> str:
    """Which one made the product as it runs here."""
    command = ["git", "log", "-1", "--format=%h", "--", "bridge", "toolserver", "static", "plugins"]
    return subprocess.check_output(command, text=True).strip()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


if __name__ == "__main__":
    main()
