"""What a replica has done and noticed since its start, in numbers, for whoever watches it."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

CounterName: TypeAlias = Literal[
    "passed_on",
    "refused_421",
    "claims_first",
    "claims_released",
    "claims_lost",
    "claims_again",
    "claims_left_behind",
    "claims_handed_over",
    "fenced_writes",
    "lapsed_leases",
    "homes_differed",
]
"""Names of the counters; `docs/how-to/run-several-replicas.md` says what each counts."""

NAMES: tuple[CounterName, ...] = get_args(CounterName)


class ReplicaCounters:
    """Counters that only rise. Any thread may count."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts = Counter[CounterName]()

    def count(self, name: CounterName) -> None:
        """Count one more."""
        with self._lock:
            self._counts[name] += 1

    def read_counts(self) -> Mapping[str, int]:
        """Return all counters, those at zero included."""
        with self._lock:
            return {name: self._counts[name] for name in NAMES}
