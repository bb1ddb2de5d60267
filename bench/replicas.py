"""What a call costs in replicas: at the home of its user, and passed on to it by another replica.

All replicas are this process, so that its processor time is that of all of them; caller and page are the
other one. PostgreSQL and Redis are servers of this run. Variants take turns within every round.
"""

import shutil
import statistics
import tempfile
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from sqlalchemy import URL

from bench.payloads import ARGUMENTS_TEXT
from bench.peer import LoadOrder
from bench.peer_link import PeerLink
from bench.report import print_table
from bench.shop_bridge import TOOL, ShopBridge, open_shop
from bridge.app.start import start_bridge
from bridge.heap import freeze_heap
from bridge.settings.bridge import BridgeSettings
from bridge.storage.database import open_database
from tests.support.cluster.replica_settings import replica_settings
from tests.support.settings import bridge_settings
from tests.support.stores.postgresql import PostgresServer
from tests.support.stores.redis import RedisServer

ROUNDS, QUICK_ROUNDS = 5, 2
SECONDS, QUICK_SECONDS = 2.0, 0.5
IN_FLIGHT = (1, 16)
CALLS_PER_MINUTE = 1_000_000
SECRET = "ab" * 32
ADD = "addProduct"
ADD_TEXT = '{"name": "cup", "category": "household", "price": 250}'


@dataclass(slots=True)
class _Variant:
    """Calls of one kind, at one address."""

    title: str
    shop: ShopBridge
    at: ShopBridge
    path: str
    body: str
    p50_ms: list[float] = field(default_factory=list[float])
    cpu_us: list[float] = field(default_factory=list[float])

    async def measure(self, peer: PeerLink, in_flight: int, seconds: float) -> None:
        """Run one round; processor time is of this process, for one call."""
        address = urlsplit(self.at.bridge.base_url)
        host, port = str(address.hostname), int(address.port or 80)
        before = time.process_time()
        sample = await peer.load(
            LoadOrder(host, port, self.path, self.shop.bridge.key, self.body, in_flight, seconds)
        )
        await self.shop.settle()
        self.p50_ms.append(sample.p50_ms)
        self.cpu_us.append((time.process_time() - before) / sample.calls * 1e6)


async def measure_replicas(*, quick: bool) -> dict[str, object]:
    """Median and processor time of local and passed-on calls, and their ratios."""
    rounds, seconds = (QUICK_ROUNDS, QUICK_SECONDS) if quick else (ROUNDS, SECONDS)
    postgres, redis, peers = PostgresServer(), RedisServer(), list[PeerLink]()
    found: dict[str, object] = {}
    try:
        async with AsyncExitStack() as stack:
            variants: list[tuple[_Variant, PeerLink]] = []
            for count in (0, 1, 2):
                peer = await PeerLink.start()
                peers.append(peer)
                url = stack.enter_context(postgres.database())
                shops = await stack.enter_async_context(
                    _running_shops(count, url, _database_of(redis, count))
                )
                await peer.connect_page(await shops[0].page_of(shops[0].bridge.local_user))
                variants += [(variant, peer) for variant in _variants(count, shops)]
            freeze_heap()
            for in_flight in IN_FLIGHT:
                found[str(in_flight)] = await _compare(variants, in_flight, rounds, seconds)
    finally:
        for peer in peers:
            await peer.close()
        redis.remove()
        postgres.remove()
    return found


def _variants(count: int, shops: Sequence[ShopBridge]) -> list[_Variant]:
    who = ("one bridge", "one replica", "two replicas")[count]
    home, other = shops[0], shops[-1]
    made = [
        _Variant(f"{who}, safe", home, home, f"/tools/{TOOL}", ARGUMENTS_TEXT),
        _Variant(f"{who}, unsafe", home, home, f"/tools/{ADD}", ADD_TEXT),
    ]
    if other is not home:
        made.append(_Variant("passed on, safe", home, other, f"/tools/{TOOL}", ARGUMENTS_TEXT))
        made.append(_Variant("passed on, unsafe", home, other, f"/tools/{ADD}", ADD_TEXT))
    return made


async def _compare(
    variants: Sequence[tuple[_Variant, PeerLink]], in_flight: int, rounds: int, seconds: float
) -> dict[str, dict[str, float]]:
    for variant, peer in variants:
        await variant.measure(peer, in_flight, QUICK_SECONDS)
        variant.p50_ms.clear()
        variant.cpu_us.clear()
    for _ in range(rounds):
        for variant, peer in variants:
            await variant.measure(peer, in_flight, seconds)
    told = {
        variant.title: {
            "p50_ms": statistics.median(variant.p50_ms),
            "cpu_us": statistics.median(variant.cpu_us),
        }
        for variant, _ in variants
    }
    rows = [(title, facts["p50_ms"], facts["cpu_us"]) for title, facts in told.items()]
    print_table(f"Replicas, {in_flight} in flight", ("call", "p50 ms", "processor us, all replicas"), rows)
    return told


@asynccontextmanager
async def _running_shops(count: int, database: URL, redis_url: str) -> AsyncGenerator[list[ShopBridge]]:
    """Replicas on one database, each with the shop; of none, one bridge that is alone."""
    async with AsyncExitStack() as stack:
        shops: list[ShopBridge] = []
        for _ in range(max(count, 1)):
            folder = Path(tempfile.mkdtemp(prefix="bench-"))
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            bridge = await start_bridge(
                _settings(folder, redis_url if count else ""), open_database(database)
            )
            stack.push_async_callback(bridge.close)
            shops.append(await open_shop(bridge))
        yield shops


def _database_of(redis: RedisServer, count: int) -> str:
    """Return a database of Redis for these replicas alone: the others are no replicas of theirs."""
    return f"{redis.url.rpartition('/')[0]}/{count}"


def _settings(folder: Path, redis_url: str) -> BridgeSettings:
    cluster = replica_settings(redis_url, SECRET) if redis_url else {}
    limits = {"CALLS_PER_MINUTE_PER_USER": CALLS_PER_MINUTE}
    return bridge_settings(folder, limits=limits, **cluster)
