"""`make faults-replicas`: kills, freezes and restarts of real replicas under load. See `ARGS=--help`."""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from sqlalchemy import URL

from bridge.cli.event_loop import choose_event_loop
from tests.replicas.faults import Faults
from tests.support.cluster.balancer import watched_balancer
from tests.support.cluster.crowd import Crowd, crowd_of
from tests.support.cluster.replica_processes import replica_processes
from tests.support.stores.postgresql import PostgresServer
from tests.support.stores.redis import RedisServer

FREEZE_EVERY, RESTART_EVERY = 6, 7
"""Every so many kills another fault comes instead."""


def main() -> int:
    """Exit code 1 when a promise was broken; the sentences that say so are printed."""
    parser = argparse.ArgumentParser(prog="make faults-replicas", description="Faults of real replicas.")
    parser.add_argument("--faults", type=int, default=70, help="how many; 50 of 70 are kills")
    parser.add_argument("--replicas", type=int, default=3, help="how many replicas")
    parser.add_argument("--users", type=int, default=4, help="how many users, each with a page")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the choice of victims")
    chosen = parser.parse_args()
    postgres, redis = PostgresServer(), RedisServer()
    try:
        with (
            postgres.database() as database,
            tempfile.TemporaryDirectory() as folder,
            choose_event_loop("auto").open_runner() as runner,
        ):
            return runner.run(_play(chosen, Path(folder), database, redis.url))
    finally:
        redis.remove()
        postgres.remove()


async def _play(chosen: argparse.Namespace, folder: Path, database: URL, redis_url: str) -> int:
    dice = random.Random(chosen.seed)
    print(f"Seed {chosen.seed}.", flush=True)
    async with (
        replica_processes(folder, database, redis_url, count=chosen.replicas) as cluster,
        crowd_of(cluster, chosen.users) as crowd,
        watched_balancer(cluster.balancer),
    ):
        faults = Faults(cluster, crowd)
        crowd.start_callers(cluster.urls)
        for number in range(1, chosen.faults + 1):
            victim = faults.home if dice.random() < 0.8 else dice.choice(cluster.replicas)
            act, what = faults.kill, "kill -9"
            if number % RESTART_EVERY == 0:
                act, what = faults.restart, "SIGTERM"
            elif number % FREEZE_EVERY == 0:
                act, what = faults.freeze, "SIGSTOP"
            began = time.monotonic()
            await act(victim)
            took_s = time.monotonic() - began
            print(f"{number}: {what}, all served again after {took_s:.1f} s", flush=True)
        await crowd.stop_callers()
        broken = [*await faults.find_broken(), *await faults.find_differing(200)]
        if broken:
            kept = Path(tempfile.mkdtemp(prefix="tool-bridge-faults-"))
            for replica in cluster.replicas:
                (kept / f"{replica.port}.txt").write_text(replica.log)
            print(f"The logs of the replicas are in {kept}.")
    _print(crowd, broken)
    return 1 if broken else 0


def _print(crowd: Crowd, broken: list[str]) -> None:
    told = Counter((order.status, order.error.get("code", "")) for order in crowd.ledger.orders)
    for (status, code), count in sorted(told.items()):
        print(f"{count} calls: {status or 'no answer, at a replica that was lost'} {code}".rstrip())
    longest = max((order.ended_at - order.began_at for order in crowd.ledger.orders), default=0)
    print(f"Longest wait for an answer: {longest:.1f} s. Broken promises: {len(broken)}.")
    for sentence in broken:
        print(sentence)


if __name__ == "__main__":
    sys.exit(main())
