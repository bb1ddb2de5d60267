"""What `tool-bridge doctor` looks at where no bridge runs: whether one could start."""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bridge.app.http_application import canonical_host
from bridge.cli.doctor.findings import ADVICE, Finding, check_address
from bridge.cli.serve.start_checks import ask_issuers, check_settings, list_warnings
from bridge.cli.store import DATABASE
from bridge.cluster.ports import ClusterUnavailable
from bridge.extras import has_extra
from bridge.lazy_modules import load_lazily
from bridge.readiness.readiness_checks import write_probe
from bridge.settings.bridge import BridgeSettings
from bridge.settings.chat.models import ModelsFileError
from bridge.settings.cluster import REDIS_VARIABLE
from bridge.settings.declaration import SettingsError
from bridge.settings.network import NetworkSettings
from bridge.settings.running_bridge import refusal_to_listen
from bridge.settings.sources import read_section
from bridge.storage.database import describe_database, postgresql_url
from bridge.storage.errors import FolderInUse, StoreError
from bridge.storage.write_ahead_log import check_unused

if TYPE_CHECKING:
    from bridge.cluster.redis_connection import RedisConnection  # loads Redis's client, an extra

START_BYTES = 1024 * 1024
"""Room that a start needs in the data folder: twice what the tables of a new one take."""

_USABLE = Finding("settings", ok=True, message="The environment and the file of models can be used.")
_CORRECT = "Correct it, or take it away for the default; docs/reference/settings.md has all of them."
_RENAME = "Correct its name or its value, or take it away."
_NO_DRIVER = "Not checked, because its driver is not installed."
_IN_USE = "Stop that one, or choose another folder with --data."


def check_place(options: argparse.Namespace) -> Iterator[Finding]:
    """Return whether a bridge could start here, and what it would warn of."""
    yield _check_folder(options.data)
    names: list[str] = []
    settings = _settings_of(options, names.append)
    is_usable = not isinstance(settings, str)
    yield _USABLE if is_usable else Finding("settings", ok=False, message=settings, advice=_CORRECT)
    yield from (Finding("names", ok=True, message=name, advice=_RENAME, warning=True) for name in names)
    yield from _check_network(options)
    yield _check_database(options)
    if is_usable:
        yield from _check_warnings(settings, options.database)
    if redis := os.environ.get(REDIS_VARIABLE):
        yield _check_redis(redis)


def _check_folder(folder: Path) -> Finding:
    try:
        if not folder.exists():
            return _check_parents(folder)
        check_unused(folder)
        write_probe(folder, START_BYTES)
    except FolderInUse as error:
        return Finding("data_folder", ok=False, message=f"{str(error).partition(';')[0]}.", advice=_IN_USE)
    except OSError as error:
        message = f"{folder} cannot be written: {error.strerror}."
        advice = f"{ADVICE['data_folder']} --data names another folder."
        return Finding("data_folder", ok=False, message=message, advice=advice)
    return Finding("data_folder", ok=True, message=f"{folder} can be written.")


def _check_parents(folder: Path) -> Finding:
    """Return whether a folder can be made."""
    nearest = next(parent for parent in folder.absolute().parents if parent.exists())
    if not os.access(nearest, os.W_OK | os.X_OK):
        message = f"{folder} does not exist, and {nearest} cannot be written, so no start can make it."
        return Finding("data_folder", ok=False, message=message, advice="--data names another folder.")
    return Finding("data_folder", ok=True, message=f"{folder} does not exist; the first start makes it.")


def _settings_of(options: argparse.Namespace, warn: Callable[[str], None]) -> BridgeSettings | str:
    """Return the settings of a start, or why they refuse it."""
    try:
        return check_settings(argparse.Namespace(**vars(options), limit=[]), warn)[0]
    except (SettingsError, ModelsFileError) as error:
        return str(error)


def _check_warnings(settings: BridgeSettings, database: str | None) -> Iterator[Finding]:
    """Return what a start would warn of."""
    for about, message, advice in [*list_warnings(settings, database), *asyncio.run(ask_issuers(settings))]:
        yield Finding(about, ok=True, message=message, advice=advice, warning=True)


def _check_network(options: argparse.Namespace) -> Iterator[Finding]:
    given = {name: value for name, value in vars(options).items() if value is not None}
    try:
        network = read_section(NetworkSettings, {**os.environ, **given})
    except SettingsError:
        yield Finding("port", ok=False, message="Not checked, because the settings cannot be used.")
        return
    where = f"{network.host}:{network.port}"
    if refusal := refusal_to_listen(network.host, network.port):
        advice = "Stop the program that listens there, or choose another port with --port."
        message = f"A bridge cannot listen on {where}: {refusal}."
        yield Finding("port", ok=False, message=message, advice=advice)
    else:
        yield Finding("port", ok=True, message=f"A bridge can listen on {where}.")
    yield from check_address(network.public_url or f"http://{canonical_host(network.host)}:{network.port}")


def _check_database(options: argparse.Namespace) -> Finding:
    if options.database and not has_extra("postgresql"):
        return Finding("database", ok=False, message=_NO_DRIVER)
    try:
        where = postgresql_url(options.database) if options.database else options.data / DATABASE
        return Finding("database", ok=True, message=describe_database(where))
    except StoreError as error:
        return Finding("database", ok=False, message=f"{error}.", advice=ADVICE["database"])


def _check_redis(url: str) -> Finding:
    if not has_extra("replicas"):
        return Finding("redis", ok=False, message=_NO_DRIVER)
    try:
        connection: RedisConnection = load_lazily("redis_connection")(url)
    except ValueError as error:
        return Finding("redis", ok=False, message=f"The address in {REDIS_VARIABLE} {error}.")
    try:
        asyncio.run(_ping(connection))
    except ClusterUnavailable:
        message = f"Redis does not answer at {connection.shown}."
        return Finding("redis", ok=False, message=message, advice=ADVICE["cluster"])
    return Finding("redis", ok=True, message=f"Redis answers at {connection.shown}.")


async def _ping(connection: RedisConnection) -> None:
    try:
        await connection.execute("PING")
    finally:
        await connection.close()
