"""Rate limits as token buckets, one per key and one for all keys together."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from bridge.errors import BridgeError, ErrorCode

MAX_KEYS = 10_000
"""Maximum number of buckets; beyond it the least recently used one is evicted."""

EVERYBODY = "*"


class RateLimit:
    """A limit of `per_key` uses within `window_s` seconds for each key, and `in_all` for all keys together.

    All may be used in one burst; they return evenly over the window. A key is an address or a user's id.
    """

    def __init__(
        self,
        what: str,
        *,
        per_key: int,
        in_all: int | None = None,
        window_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`what` names what there were too many of, for a sentence: such as "wrong codes"."""
        self._what = what
        self.change_rate(per_key=per_key, in_all=in_all)
        self._window_s = window_s
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def change_rate(self, *, per_key: int, in_all: int | None = None) -> None:
        """Change how much is allowed; without `in_all`, only the limit per key applies."""
        common = per_key * MAX_KEYS if in_all is None else in_all
        self._capacities = {True: float(common), False: float(per_key)}

    def check_rate(self, key: str) -> None:
        """Raise when no token is left; uses none.

        Raises:
            BridgeError: `rate_limited`, with `detail.retry_after_s`.
        """
        waits = [self._wait(bucket) for bucket in (key, EVERYBODY)]
        if max(waits) > 0:
            raise too_many(self._what, math.ceil(max(waits)))

    def take_token(self, key: str) -> None:
        """Use one token.

        Raises:
            BridgeError: `rate_limited`; then no token is used.
        """
        now = self._clock()
        left, in_all = self._left(key, now), self._left(EVERYBODY, now)
        if min(left, in_all) < 1:
            self.check_rate(key)
        for bucket, rest in ((key, left), (EVERYBODY, in_all)):
            self._buckets.pop(bucket, None)
            self._buckets[bucket] = (rest - 1, now)
        while len(self._buckets) > MAX_KEYS:
            del self._buckets[next(iter(self._buckets))]

    def _wait(self, bucket: str) -> float:
        missing = 1 - self._left(bucket, self._clock())
        return missing * self._window_s / self._capacities[bucket == EVERYBODY]

    def _left(self, bucket: str, now: float) -> float:
        capacity = self._capacities[bucket == EVERYBODY]
        left, at = self._buckets.get(bucket, (capacity, now))
        return min(capacity, left + (now - at) * capacity / self._window_s)


def too_many(what: str, seconds: int) -> BridgeError:
    """Return `rate_limited`; `seconds`: after which another one is allowed."""
    message = f"Too many {what}. Try again in {seconds} s."
    return BridgeError(ErrorCode.RATE_LIMITED, message, detail={"retry_after_s": seconds}, retryable=True)
