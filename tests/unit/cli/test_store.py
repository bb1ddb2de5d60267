"""The store of a command."""

import argparse
from pathlib import Path

import pytest

from bridge.cli.parser import CommandFailed
from bridge.cli.store import DATABASE, run_on_store
from bridge.storage.store import Store
from bridge.storage.users import UserTables


def test_a_command_that_fails_closes_its_database(tmp_path: Path) -> None:
    """Some closed it only when nothing failed; SQLite's write-ahead log stays until it is closed."""

    async def fail(store: Store) -> None:
        await UserTables(store).ensure_user("ann")
        raise CommandFailed("no")

    with pytest.raises(CommandFailed):
        run_on_store(argparse.Namespace(data=tmp_path, database=None), fail)
    assert [path.name for path in tmp_path.iterdir()] == [DATABASE]
