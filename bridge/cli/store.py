"""The store, for commands that work on it, whether a bridge runs there or not."""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from bridge.cli.parser import CommandFailed
from bridge.settings.cluster import ClusterSettings
from bridge.settings.declaration import AnySection, SettingsError
from bridge.settings.sources import read_section
from bridge.settings.storage import StorageSettings
from bridge.storage.answer_files import FOLDER, AnswerFolder
from bridge.storage.database import Engines, open_database, postgresql_url
from bridge.storage.store import Store

DATABASE = "bridge.sqlite3"

Found = TypeVar("Found")


def run_on_store(options: argparse.Namespace, work: Callable[[Store], Coroutine[Any, Any, Found]]) -> Found:
    """Run work on the store of a command, which is closed after it.

    Raises:
        CommandFailed, StoreError: as `open_engines`.
    """
    store = Store(open_engines(options))

    async def run() -> Found:
        try:
            return await work(store)
        finally:
            await store.close()

    return asyncio.run(run())


def open_engines(options: argparse.Namespace) -> Engines:
    """Open the database that `--data` and `--database` name; creates the data folder if needed.

    Raises:
        CommandFailed: the folder cannot be written.
        StoreError: the database cannot be used.
    """
    try:
        options.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise CommandFailed(f"the data folder {options.data} cannot be created: {error.strerror}") from None
    return open_database(postgresql_url(options.database) if options.database else options.data / DATABASE)


def storage_settings() -> StorageSettings:
    """Return how answers are stored, from the program's own environment.

    Raises:
        CommandFailed: a variable says what cannot be used.
    """
    return own_section(StorageSettings)


def answer_folders(data: Path) -> list[AnswerFolder]:
    """Return the folders in which answers may be: the data folder's, and the one that replicas share.

    Raises:
        CommandFailed: a variable says what cannot be used.
    """
    shared = own_section(ClusterSettings).answers_dir
    return [AnswerFolder(path) for path in (data / FOLDER, shared) if path is not None]


def own_section(section: type[AnySection]) -> AnySection:
    """Return one section of the settings, from the program's own environment.

    Raises:
        CommandFailed: a variable says what cannot be used.
    """
    try:
        return read_section(section, os.environ)
    except SettingsError as error:
        raise CommandFailed(str(error)) from None
