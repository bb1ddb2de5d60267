"""Replicas in this process, on one PostgreSQL and one Redis, with a shop that all of them offer."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL

from bridge.app.server import Bridge
from bridge.homes import Home
from bridge.timings import USUAL_TIMINGS, Timings
from tests.support.cluster.replica_settings import make_patient, replica_settings
from tests.support.documents.compiled import document_text
from tests.support.running_bridge import running_bridge


@asynccontextmanager
async def running_replicas(
    folder: Path,
    database: URL,
    redis_url: str,
    *,
    count: int = 2,
    limits: Mapping[str, float] | None = None,
    timings: Timings = USUAL_TIMINGS,
    **settings: Any,
) -> AsyncGenerator[list[Bridge]]:
    """As many replicas, each started with the shop, as a command line names it for all of them.

    `settings`: of all of them, by the names of fields.
    """
    secret = secrets.token_hex(32)
    async with AsyncExitStack() as stack:
        bridges: list[Bridge] = []
        for number in range(count):
            own = folder / f"replica-{number}"
            own.mkdir()
            cluster = replica_settings(redis_url, secret)
            options: dict[str, Any] = {"limits": limits or {}, **cluster, **settings}
            running = running_bridge(own, database=database, timings=make_patient(timings), **options)
            bridges.append(await stack.enter_async_context(running))
            registry = bridges[-1].components.registry
            await registry.share_document("shop.json", document_text(), source_url=None)
        yield bridges


async def settle_home(bridge: Bridge, user_id: str) -> Home:
    """Have a user at home in this replica, if the user is nowhere yet."""
    assert bridge.replica is not None
    return (await bridge.replica.homes.locate(user_id)).home
