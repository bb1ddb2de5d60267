"""What `tool-bridge doctor` looks at where no bridge runs: whether one could start."""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

from bridge.app.http_application import canonical_host
from bridge.app.readiness_checks import write_probe
from bridge.cli.doctor.findings import ADVICE, Finding, check_origin
from bridge.cli.serve_settings import settings_of
from bridge.cli.store import DATABASE
from bridge.cluster.ports import ClusterUnavailable
from bridge.cluster.redis_connection import RedisConnection
from bridge.settings.cluster import REDIS_VARIABLE
from bridge.settings.declaration import SettingsError
from bridge.settings.models import ModelsFileError
from bridge.settings.network import NetworkSettings
from bridge.settings.running_bridge import refusal_to_listen
from bridge.settings.sources import read_section
from bridge.storage.database import StoreError, believes_any_server, describe_database, postgresql_url


def check_place(options: argparse.Namespace) -> Iterator[Finding]:
    """Return whether a bridge could start here."""
    yield _check_folder(options.data)
    yield _check_settings(options)
    yield from _check_network(options)
    yield from _check_database(options)
    if redis := os.environ.get(REDIS_VARIABLE):
        yield _check_redis(redis)


def _check_folder(folder: Path) -> Finding:
    if not folder.exists():
        return Finding("data_folder", ok=True, message=f"{folder} does not exist; the first start makes it.")
    try:
        write_probe(folder)
    except OSError as error:
        message = f"{folder} cannot be written: {error.strerror}."
        advice = f"{ADVICE['data_folder']} --data names another folder."
        return Finding("data_folder", ok=False, message=message, advice=advice)
    return Finding("data_folder", ok=True, message=f"{folder} can be written.")


def _check_settings(options: argparse.Namespace) -> Finding:
    try:
        settings_of(argparse.Namespace(**vars(options), limit=[]))
    except (SettingsError, ModelsFileError) as error:
        advice = "Correct it, or take it away for the default; docs/reference/settings.md has all of them."
        return Finding("settings", ok=False, message=str(error), advice=advice)
    return Finding("settings", ok=True, message="The environment and the file of models can be used.")


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
    yield check_origin(network.public_url or f"http://{canonical_host(network.host)}:{network.port}")


def _check_database(options: argparse.Namespace) -> Iterator[Finding]:
    where = None
    try:
        where = postgresql_url(options.database) if options.database else options.data / DATABASE
        yield Finding("database", ok=True, message=describe_database(where))
    except StoreError as error:
        yield Finding("database", ok=False, message=f"{error}.", advice=ADVICE["database"])
    if where is not None and not isinstance(where, Path) and believes_any_server(where, os.environ):
        message = "Whoever answers in the place of the database is believed: no certificate is checked."
        advice = ADVICE["database_certificate"]
        yield Finding("database_certificate", ok=True, message=message, advice=advice, warning=True)


def _check_redis(url: str) -> Finding:
    try:
        connection = RedisConnection(url)
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
