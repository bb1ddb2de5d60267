"""`tool-bridge replicas`: the replicas that live, and what each has to do."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict

from bridge.cli.parser import CommandFailed
from bridge.cluster.ports import ClusterUnavailable, LiveReplica
from bridge.cluster.redis_connection import RedisConnection
from bridge.cluster.redis_directory import RedisDirectory
from bridge.settings.cluster import REDIS_VARIABLE

TITLES = ("id", "url", "state", "users", "calls", "version", "heartbeat")


def replicas(options: argparse.Namespace) -> int:
    """Print the live replicas by their ids; status 1 when Redis does not answer."""
    if not options.redis:
        raise CommandFailed(f"name the Redis of the replicas by {REDIS_VARIABLE} or --redis")
    try:
        connection = RedisConnection(options.redis)
    except ValueError as error:
        raise CommandFailed(f"the address of Redis {error}") from None
    found = asyncio.run(_read_replicas(connection))
    if options.json:
        print(json.dumps({"replicas": [asdict(live) | {"heartbeat_age_s": age} for live, age in found]}))
    elif found:
        print(_table(found))
    else:
        print(f"No replica is known at {connection.shown}.")
    return 0


async def _read_replicas(connection: RedisConnection) -> list[tuple[LiveReplica, float]]:
    """Return the live replicas, and the ages of their heartbeats in seconds."""
    directory = RedisDirectory(connection)
    try:
        live, ages = await directory.list_replicas(), await directory.read_ages()
    except ClusterUnavailable:
        message = f"Redis does not answer at {connection.shown}: check the address and that it runs"
        raise CommandFailed(message) from None
    finally:
        await connection.close()
    return [(live[name], ages[name]) for name in sorted(live) if name in ages]


def _table(found: Sequence[tuple[LiveReplica, float]]) -> str:
    rows = [TITLES, *(_row(live, age) for live, age in found)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(TITLES))]
    padded = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(line.rstrip() for line in padded)


def _row(live: LiveReplica, age: float) -> tuple[str, ...]:
    return (live.id, live.url, live.state, str(live.users), str(live.calls), live.version, f"{age:.1f} s ago")
