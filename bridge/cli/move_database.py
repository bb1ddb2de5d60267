"""`tool-bridge move-database`: from the SQLite file of a data folder to PostgreSQL."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from sqlalchemy import URL

from bridge.cli.arguments import DATABASE_VARIABLE
from bridge.cli.parser import CommandFailed
from bridge.cli.store import DATABASE
from bridge.cli.terminal import print_result, showing_progress
from bridge.storage.copies.copy_database import copy_rows
from bridge.storage.database import mask_url, open_postgresql, open_sqlite, postgresql_url
from bridge.storage.write_ahead_log import WriteAheadLog


def move_database(options: argparse.Namespace) -> int:
    """Copy everything; the file stays as it is. Only while no bridge runs on the data folder."""
    path = options.data / DATABASE
    if not options.to:
        raise CommandFailed(f"name the target: --to URL, or {DATABASE_VARIABLE}")
    if not path.exists():
        raise CommandFailed(f"there is no {path} to move; --data sets the data folder")
    url = postgresql_url(options.to)
    with closing(WriteAheadLog.open_log(options.data)):  # held by a bridge that runs
        moved = _moved(path, url)
    copied = f"{sum(moved.values())} rows of {len(moved)} tables have been copied to {mask_url(url)}."
    advice = f"Start the bridge with that address from now on. {path} is unchanged."
    print_result({"moved": moved}, [copied, advice], as_json=options.json)
    return 0


def _moved(path: Path, url: URL) -> Mapping[str, int]:
    source = open_sqlite(path).writing
    try:
        target = open_postgresql(url).writing
        try:
            with showing_progress("Copying rows") as progress:
                return copy_rows(source, target, progress.set_done)
        finally:
            target.dispose()
    finally:
        source.dispose()
