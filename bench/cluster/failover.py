"""How long pages are without a bridge: from a replica's loss until they have greeted their new home.

Three replicas are processes, behind a balancer that tries another one where a connection is refused. A
frozen one still accepts connections, so freezes are also measured with a balancer that asks `/readyz` every
second. Each page is of a user of its own, and comes back as the real one does. All share the machine.
"""

import asyncio
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, TCPConnector
from sqlalchemy import URL

from bench.measure import percentile
from bench.report import print_table
from tests.support.cluster.balancer import watched_balancer
from tests.support.cluster.crowd import add_browsers
from tests.support.cluster.replica_processes import RealReplica, RealReplicas, replica_processes
from tests.support.cluster.returning_page import ReturningPage, now, returning
from tests.support.running_bridge import json_answer
from tests.support.stores.databases import execute
from tests.support.stores.postgresql import PostgresServer
from tests.support.stores.redis import RedisServer
from tests.support.waiting import eventually

PAGES, QUICK_PAGES = 200, 20
ROUNDS, QUICK_ROUNDS = 3, 1
LONGEST_S = 60.0
KILL, FREEZE, FREEZE_SEEN, STOP = "kill -9", "SIGSTOP", "SIGSTOP, balancer asks /readyz", "SIGTERM"
PROOF_S = 8.0
"""Seconds for which Redis has to be up before a missing heartbeat proves anything."""


@dataclass
class Found:
    """What one fault cost."""

    seconds: list[float] = field(default_factory=list[float])
    """Until each page that had its home there had greeted its new one."""
    lost: int = 0
    """Pages that did not come back."""

    def figures(self) -> Sequence[float]:
        """p50, p99 and the longest."""
        ordered = sorted(self.seconds)
        return (percentile(ordered, 0.5), percentile(ordered, 0.99), ordered[-1])


async def measure_failover(*, quick: bool) -> dict[str, object]:
    """Kill, freeze and stop homes of pages, again and again."""
    postgres, redis = PostgresServer(), RedisServer()
    try:
        with postgres.database() as database, tempfile.TemporaryDirectory() as folder:
            found = await _measure(Path(folder), database, redis.url, quick=quick)
    finally:
        redis.remove()
        postgres.remove()
    pages = QUICK_PAGES if quick else PAGES
    rows = [(fault, len(each.seconds), *each.figures(), each.lost) for fault, each in found.items()]
    print_table(
        f"From a fault to the greeting at the new home, s ({pages} pages, three replicas)",
        ["fault", "pages that moved", "p50", "p99", "longest", "never"],
        rows,
    )
    return {"pages": pages, "seconds": {fault: sorted(each.seconds) for fault, each in found.items()}}


async def _measure(folder: Path, database: URL, redis_url: str, *, quick: bool) -> dict[str, Found]:
    found = {fault: Found() for fault in (KILL, FREEZE, FREEZE_SEEN, STOP)}
    async with (
        replica_processes(
            folder, database, redis_url, TOOL_BRIDGE_UNAUTHENTICATED_PER_MINUTE_PER_ADDRESS="1000000"
        ) as cluster,
        AsyncExitStack() as stack,
    ):
        pages = await _open_pages(cluster, stack, QUICK_PAGES if quick else PAGES)
        await asyncio.sleep(PROOF_S)
        for fault in [*found] * (QUICK_ROUNDS if quick else ROUNDS):
            await _play(fault, cluster, pages, found[fault])
    return found


async def _open_pages(cluster: RealReplicas, stack: AsyncExitStack, count: int) -> dict[str, ReturningPage]:
    http = await stack.enter_async_context(ClientSession(connector=TCPConnector(limit=0)))
    browsers = await add_browsers(cluster, http, count)
    pages = {
        user_id: await stack.enter_async_context(returning(browser, _answer))
        for user_id, browser in browsers.items()
    }
    for page in pages.values():
        await eventually(lambda page=page: page.is_connected, within_s=LONGEST_S, what="a greeting")
    return pages


async def _play(fault: str, cluster: RealReplicas, pages: dict[str, ReturningPage], found: Found) -> None:
    """Have one fault at the replica with the most users; wait until all pages are back, and it is."""
    counted = execute(cluster.database, "SELECT replica, array_agg(user_id) FROM homes GROUP BY replica")
    replica_id, users = max(counted, key=lambda row: len(row[1]))
    victim = next(replica for replica in cluster.replicas if replica.id == replica_id)
    moved = [pages[user_id] for user_id in users if user_id in pages]
    began = now()
    stopping = _begin(fault, victim)
    async with AsyncExitStack() as stack:
        stack.enter_context(suppress(AssertionError))  # it is counted below
        if fault == FREEZE_SEEN:
            await stack.enter_async_context(watched_balancer(cluster.balancer, every_s=1.0))
        await eventually(lambda: all(_is_back(page, began) for page in moved), within_s=LONGEST_S)
    back = [page for page in moved if _is_back(page, began)]
    found.lost += len(moved) - len(back)
    found.seconds += [min(at for at in page.greetings if at > began) - began for page in back]
    if victim.is_frozen:
        victim.kill()
    await (stopping or victim.wait())
    await victim.start()


def _begin(fault: str, victim: RealReplica) -> asyncio.Task[int] | None:
    if fault == STOP:
        return asyncio.create_task(victim.stop())
    if fault in (FREEZE, FREEZE_SEEN):
        victim.freeze()
    else:
        victim.kill()
    return None


def _is_back(page: ReturningPage, since: float) -> bool:
    return bool(page.greetings) and page.greetings[-1] > since and page.is_connected


async def _answer(_call: dict[str, Any]) -> dict[str, Any]:
    return json_answer({})
