"""The store of a data folder, for commands that work on it, whether a bridge runs there or not."""

from __future__ import annotations

from pathlib import Path

from bridge.commands.failure import CommandFailed
from bridge.edges.store import Store, StoreError

DATABASE = "bridge.sqlite3"


def open_store(folder: Path) -> Store:
    """The store of a data folder, which is made if need be.

    Raises:
        CommandFailed: the folder cannot be written, or holds something that is no database of ours.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise CommandFailed(f"the data folder {folder} cannot be made: {error.strerror}") from None
    try:
        return Store.open(folder / DATABASE)
    except StoreError as error:
        raise CommandFailed(str(error)) from None
