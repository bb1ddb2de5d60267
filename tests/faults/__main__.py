"""`make faults`: many histories, or one again. See `make faults ARGS=--help`."""

import argparse
import os
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

from tests.faults.judge import Totals
from tests.faults.page_journal import NODE, ROOT, JournalPlayer
from tests.faults.plan import make_plan
from tests.faults.replicas.search import search_replicas
from tests.faults.shrink import shrink
from tests.faults.world import History, play

CHUNK = 500
MOST_FAILURES = 5


def main() -> int:
    """Exit code 1 when a promise was broken; its seed and the shortest history that breaks it are printed."""
    parser = argparse.ArgumentParser(prog="make faults", description="Randomized faults against a ledger.")
    parser.add_argument("--histories", type=int, default=0, help="how many; default: until the time is over")
    parser.add_argument("--seconds", type=float, default=120, help="how long, when no number is given")
    parser.add_argument("--first", type=int, default=None, help="first seed; default: another one every day")
    parser.add_argument("--seed", type=int, default=None, help="one history again, with its trace")
    parser.add_argument("--replicas", action="store_true", help="histories of three replicas")
    parser.add_argument("--companion", action="store_true", help="histories of the companion extension")
    chosen = parser.parse_args()
    if chosen.companion:
        return _search_companion(chosen.first or 0, chosen.histories or 20_000, chosen.seed)
    if chosen.replicas:
        return search_replicas(chosen.first or 0, chosen.histories or 1000, chosen.seed)
    if chosen.seed is not None:
        return _replay(chosen.seed)
    first = int(time.time()) // 86_400 * 1_000_000 if chosen.first is None else chosen.first
    return _search(first, chosen.histories, chosen.seconds)


def _search_companion(first: int, histories: int, seed: int | None) -> int:
    what = [f"--seed={seed}"] if seed is not None else [f"--first={first}", f"--histories={histories}"]
    return subprocess.run([NODE, ROOT / "tests/extension/faults/search.js", *what], check=False).returncode


def _replay(seed: int) -> int:
    with JournalPlayer() as journals:
        history = play(make_plan(seed), journals)
        _print(history)
        if history.broken:
            print("\nThe least that breaks the same promise:\n")
            _print(shrink(history, journals))
    return 1 if history.broken else 0


def _search(first: int, histories: int, seconds: float) -> int:
    totals, failed, began = Totals(), list[int](), time.monotonic()
    workers = os.cpu_count() or 1
    with ProcessPoolExecutor(workers) as pool:
        seed = first
        while len(failed) < MOST_FAILURES and not _is_enough(
            seed - first, histories, time.monotonic() - began, seconds
        ):
            left = histories - (seed - first) if histories else CHUNK * workers
            chunks = [
                range(at, min(at + CHUNK, seed + left))
                for at in range(seed, seed + min(left, CHUNK * workers), CHUNK)
            ]
            for some, broken in pool.map(play_all, chunks):
                totals.add(some)
                failed += broken
            seed = chunks[-1].stop
    print_totals(totals, first, time.monotonic() - began)
    with JournalPlayer() as journals:
        for seed in failed[:MOST_FAILURES]:
            print(f'\nSeed {seed} broke a promise; again: make faults ARGS="--seed {seed}"')
            _print(shrink(play(make_plan(seed), journals), journals))
    return 1 if failed else 0


def _is_enough(done: int, histories: int, spent: float, seconds: float) -> bool:
    return done >= histories if histories else spent >= seconds


def play_all(seeds: range) -> tuple[Totals, list[int]]:
    """Totals, and the seeds of histories that broke a promise."""
    totals, failed = Totals(), list[int]()
    with JournalPlayer() as journals:
        for seed in seeds:
            history = play(make_plan(seed), journals)
            totals.add(history.totals)
            if history.broken:
                failed.append(seed)
    return totals, failed


def print_totals(totals: Totals, first: int, spent_s: float) -> None:
    """A table for people."""
    rate = totals.histories / spent_s * 60
    print(f"{totals.histories} histories from seed {first} in {spent_s:.0f} s, {rate:.0f} a minute")
    _print_counter("endings", totals.states)
    _print_counter("faults", totals.faults)
    unsafe, needless = totals.unsafe_calls, totals.needless.total()
    print(f"needless outcome_unknown: {needless} of {unsafe} unsafe calls, {needless / max(1, unsafe):.2%}")
    _print_counter("  why", totals.needless)
    print(f"cleared up by a late result in the journal: {totals.late_truths}")
    print(f"requests that the browser itself sent twice, counted apart: {totals.resent_by_browser}")


def _print_counter(name: str, counter: Counter[str]) -> None:
    print(f"{name}: {', '.join(f'{key} {count}' for key, count in counter.most_common())}")


def _print(history: History) -> None:
    print(history.plan, *history.trace, sep="\n")
    print(*(f"BROKEN: {problem}" for problem in history.broken), sep="\n")


if __name__ == "__main__":
    sys.exit(main())
