"""Many histories of three replicas, or one again: `make faults ARGS="--replicas"`."""

import logging
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from tests.faults.page_journal import JournalPlayer
from tests.faults.replicas.judge import ReplicaTotals
from tests.faults.replicas.plan import make_replica_plan, smaller_plans
from tests.faults.replicas.replica import ReplicaDouble
from tests.faults.replicas.world import History, MakeReplica, play
from tests.faults.shrink import shrink_played

CHUNK = 100
MOST_FAILURES = 5


def search_replicas(first: int, histories: int, seed: int | None) -> int:
    """Exit code 1 when a promise was broken; the shortest history that breaks it is printed."""
    logging.disable(logging.CRITICAL)  # what the replicas log is not what is looked for
    if seed is not None:
        return _replay(seed)
    totals, failed, began = ReplicaTotals(), list[int](), time.monotonic()
    with ProcessPoolExecutor(os.cpu_count() or 1) as pool:
        last = first + histories
        chunks = [range(at, min(at + CHUNK, last)) for at in range(first, last, CHUNK)]
        for some, broken in pool.map(play_replicas, chunks):
            totals.add(some)
            failed += broken
    _print_totals(totals, first, time.monotonic() - began)
    for each in failed[:MOST_FAILURES]:
        print(f'\nSeed {each} broke a promise; again: make faults ARGS="--replicas --seed {each}"')
        _replay(each)
    return 1 if failed else 0


def play_replicas(seeds: range, make: MakeReplica = ReplicaDouble) -> tuple[ReplicaTotals, list[int]]:
    """Totals, and the seeds of histories that broke a promise."""
    totals, failed = ReplicaTotals(), list[int]()
    with JournalPlayer() as journals:
        for seed in seeds:
            history = play(make_replica_plan(seed), journals, make)
            totals.add(history.totals)
            if history.broken:
                failed.append(seed)
    return totals, failed


def _replay(seed: int) -> int:
    with JournalPlayer() as journals:
        again: Callable[..., History] = partial(play, journals=journals)
        history = again(make_replica_plan(seed))
        _print(shrink_played(history, again, smaller_plans) if history.broken else history)
    return 1 if history.broken else 0


def _print(history: History) -> None:
    print(history.plan, *history.trace, sep="\n")
    print(*(f"BROKEN: {problem}" for problem in history.broken), sep="\n")


def _print_totals(totals: ReplicaTotals, first: int, spent_s: float) -> None:
    print(f"{totals.histories} histories of three replicas from seed {first} in {spent_s:.0f} s")
    counters = {
        "told": totals.told,
        "responses": totals.responses,
        "chats": totals.chats,
        "faults": totals.faults,
    }
    for name, counter in counters.items():
        print(f"{name}: {', '.join(f'{key} {count}' for key, count in counter.most_common())}")
    print(
        f"{totals.unsafe_calls} unsafe calls, {totals.passed_on} answers passed on, {totals.claims} claims; "
        f"{totals.excused} endings told while PostgreSQL did not answer"
    )
