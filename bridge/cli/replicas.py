"""`tool-bridge replicas`: the replicas that live, and what each has to do."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from bridge.cli.parser import CommandFailed
from bridge.cli.terminal import print_result
from bridge.cluster.ports import ClusterUnavailable, LiveReplica
from bridge.extras import need_extra
from bridge.lazy_modules import load_lazily
from bridge.settings.cluster import REDIS_VARIABLE

if TYPE_CHECKING:
    from bridge.cluster.redis_connection import RedisConnection  # loads Redis's client, an extra
    from bridge.cluster.redis_directory import RedisDirectory

TITLES = ("id", "url", "state", "users", "calls", "version", "heartbeat")


def replicas(options: argparse.Namespace) -> int:
    """Print the live replicas by their ids; status 1 when Redis does not answer."""
    if not options.redis:
        raise CommandFailed(f"name the Redis of the replicas by {REDIS_VARIABLE} or --redis")
    try:
        need_extra("replicas", REDIS_VARIABLE)
        connection: RedisConnection = load_lazily("redis_connection")(options.redis)
    except ValueError as error:
        raise CommandFailed(f"the address of Redis {error}") from None
    found = asyncio.run(_read_replicas(connection))
    facts = {"replicas": [_facts(each) for each in found]}
    shown = _table(found) if found else f"No replica is known at {connection.shown}."
    print_result(facts, [shown], as_json=options.json)
    return 0


@dataclass(frozen=True, slots=True)
class _Seen:
    """A replica as Redis knows it."""

    live: LiveReplica
    age_s: float
    """Seconds since its last heartbeat."""
    counts: Mapping[str, int]


async def _read_replicas(connection: RedisConnection) -> list[_Seen]:
    """Return the live replicas, by their ids."""
    directory: RedisDirectory = load_lazily("redis_directory")(connection)
    try:
        live = await directory.list_replicas()
        ages = await directory.read_ages()
        names = [name for name in sorted(live) if name in ages]
        return [_Seen(live[name], ages[name], await directory.read_counts(name)) for name in names]
    except ClusterUnavailable:
        message = f"Redis does not answer at {connection.shown}: check the address and that it runs"
        raise CommandFailed(message) from None
    finally:
        await connection.close()


def _facts(seen: _Seen) -> Mapping[str, object]:
    return asdict(seen.live) | {"heartbeat_age_s": seen.age_s, "counts": seen.counts}


def _table(found: Sequence[_Seen]) -> str:
    rows = [TITLES, *(_row(seen.live, seen.age_s) for seen in found)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(TITLES))]
    padded = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(line.rstrip() for line in padded)


def _row(live: LiveReplica, age: float) -> tuple[str, ...]:
    return (live.id, live.url, live.state, str(live.users), str(live.calls), live.version, f"{age:.1f} s ago")
