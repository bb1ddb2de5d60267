"""Rate limits as token buckets, one per key and one for all keys together."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from bridge.errors import BridgeError, ErrorCode

MAX_KEYS = 10_000
"""Maximum number of buckets; beyond it the least recently used one is evicted."""


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
        """For each key what was left at which time, least recently used first."""
        self._in_all: tuple[float, float] = (self._all_capacity, clock())

    def change_rate(self, *, per_key: int, in_all: int | None = None) -> None:
        """Change how much is allowed; without `in_all`, only the limit per key applies."""
        self._capacity = float(per_key)
        self._all_capacity = float(per_key * MAX_KEYS if in_all is None else in_all)

    def check_rate(self, key: str) -> None:
        """Raise when no token is left; uses none.

        Raises:
            BridgeError: `rate_limited`, with `detail.retry_after_s`.
        """
        left, left_in_all = self._count_left(key, self._clock())
        wait = max((1 - left) / self._capacity, (1 - left_in_all) / self._all_capacity) * self._window_s
        if wait > 0:
            raise too_many(self._what, math.ceil(wait))

    def take_token(self, key: str) -> None:
        """Use one token.

        Raises:
            BridgeError: `rate_limited`; then no token is used.
        """
        now = self._clock()
        left, left_in_all = self._count_left(key, now)
        if left < 1 or left_in_all < 1:
            self.check_rate(key)
        self._buckets.pop(key, None)
        self._buckets[key] = (left - 1, now)
        self._in_all = (left_in_all - 1, now)
        if len(self._buckets) > MAX_KEYS:
            del self._buckets[next(iter(self._buckets))]

    def _count_left(self, key: str, now: float) -> tuple[float, float]:
        """Return how many tokens are left for a key, and for all together."""
        left, at = self._buckets.get(key) or (self._capacity, now)
        in_all, in_all_at = self._in_all
        left += (now - at) * self._capacity / self._window_s
        in_all += (now - in_all_at) * self._all_capacity / self._window_s
        return (
            left if left < self._capacity else self._capacity,
            in_all if in_all < self._all_capacity else self._all_capacity,
        )


def too_many(what: str, seconds: int) -> BridgeError:
    """Return `rate_limited`; `seconds`: after which another one is allowed."""
    message = f"Too many {what}. Try again in {seconds} s."
    return BridgeError(ErrorCode.RATE_LIMITED, message, detail={"retry_after_s": seconds}, retryable=True)
