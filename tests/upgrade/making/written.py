"""What a bridge has left, as files of the repository: nothing of this machine, and for any server."""

import json
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import URL

from tests.support.stores.postgresql import binaries

Json = dict[str, Any]

OF_THE_RUN = ("running.json", "open-pages.json")
DATABASE = "bridge.sqlite3"
SESSION_WORDS = ("--", "SET ", "SELECT pg_catalog.set_config", "\\restrict", "\\unrestrict")
"""Lines of a dump that only some versions understand, or that say which version wrote it."""


def write_folder(folder: Path, to: Path) -> None:
    """The data folder; its database as one file."""
    database = folder / DATABASE
    if database.exists():
        with closing(sqlite3.connect(database, isolation_level=None)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    left_out = shutil.ignore_patterns(*OF_THE_RUN, f"{DATABASE}-*")
    shutil.copytree(folder, to, ignore=left_out)


def write_dump(url: URL, to: Path) -> None:
    """The PostgreSQL database as SQL that PostgreSQL 13 and every later one loads."""
    options = ["--inserts", "--no-owner", "--no-privileges", "--no-comments", "--no-tablespaces"]
    where = ["--host", str(url.query["host"]), "--port", str(url.query["port"]), "--username", "postgres"]
    command = [str(binaries() / "pg_dump"), *options, *where, str(url.database)]
    dumped = subprocess.run(command, check=True, capture_output=True, text=True)
    lines = [line for line in dumped.stdout.splitlines() if line and not line.startswith(SESSION_WORDS)]
    to.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_json(value: Any, to: Path) -> None:
    """Facts, so that a person can read them and a comparison shows lines."""
    to.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
