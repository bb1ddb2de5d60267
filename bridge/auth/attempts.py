"""Limits on attempts to get in, by address or user: counted by all replicas where there are several.

Otherwise whoever guesses has as many attempts as there are replicas.
"""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from bridge.calls.limits.token_bucket import RateLimit, too_many
from bridge.errors import BridgeError, ErrorCode
from bridge.storage.users import hash_secret

EVERYBODY = "*"
"""Name under which the attempts of all together are counted."""

ResultT = TypeVar("ResultT")

KEY_CHARS = 32
"""Length of an address or user's id as the counter knows it: a digest, whatever a proxy forwarded."""


class AttemptCounter(Protocol):
    """Counts for all replicas.

    Raises, in every coroutine:
        BridgeError: `cluster_unavailable`: nobody can be let in, because nobody can count.
    """

    async def count_within(self, name: str, seconds: float) -> int:
        """Count one more under a name, and return how many there are since the first of a span of seconds."""
        ...

    async def read_count(self, name: str) -> int:
        """Return how many were counted under a name in the present span, without counting."""
        ...


class SharedCounts(AttemptCounter, Protocol):
    """What replicas count together."""

    async def spend_once(self, value: str, seconds: float) -> bool:
        """Return whether no replica has spent this value within so many seconds; now it is spent."""
        ...


class Attempts:
    """Makes the limits of one process, and has them counted together with other replicas."""

    def __init__(self, counter: AttemptCounter | None = None) -> None:
        """`counter` counts all attempts with other replicas; where that fails, none is allowed."""
        self._counter = counter

    def limit_attempts(
        self,
        what: str,
        *,
        per_key: int,
        in_all: int | None = None,
        window_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> AttemptLimit:
        """Return a limit, as `RateLimit` describes it; `what` must be another one for each limit."""
        return AttemptLimit(
            self._counter, what, per_key=per_key, in_all=in_all, window_s=window_s, clock=clock
        )


class AttemptLimit:
    """A limit of one process, and of all replicas together.

    Replicas count in spans that begin with the first attempt, so that up to twice as many may fall into a
    window that overlaps two of them.
    """

    def __init__(
        self,
        counter: AttemptCounter | None,
        what: str,
        *,
        per_key: int,
        in_all: int | None,
        window_s: float,
        clock: Callable[[], float],
    ) -> None:
        self._counter = counter
        self._what = what
        self._window_s = window_s
        self._own = RateLimit(what, per_key=per_key, in_all=in_all, window_s=window_s, clock=clock)
        self.change_rate(per_key=per_key, in_all=in_all)

    def change_rate(self, *, per_key: int, in_all: int | None = None) -> None:
        """Change how many attempts are allowed; without `in_all`, only the limit per key applies."""
        self._per_key, self._in_all = per_key, in_all
        self._own.change_rate(per_key=per_key, in_all=in_all)

    async def take_attempt(self, key: str) -> None:
        """Count an attempt of an address or user. A flood is refused here, without asking others.

        Raises:
            BridgeError: `rate_limited`; `cluster_unavailable`: replicas cannot count together.
        """
        self._own.take_token(key)
        if (counter := self._counter) is None:
            return
        for name, most in self._list_counts(key):
            if await counter.count_within(name, self._window_s) > most:
                raise too_many(self._what, math.ceil(self._window_s))

    async def run_counted(self, key: str, work: Awaitable[ResultT]) -> ResultT:
        """Return what `work` gives. It counts only where it is refused, so that who guesses keeps nobody out.

        Raises:
            BridgeError: what `work` raises; in place of `unauthorized`, what `take_attempt` does.
        """
        try:
            return await work
        except BridgeError as error:
            if error.error.code is ErrorCode.UNAUTHORIZED:
                await self.take_attempt(key)
            raise

    async def check_attempts(self, key: str) -> None:
        """Raise when no attempt is left; counts none.

        This process looks at its own count last, so that attempts that come together and are counted as soon
        as this returns cannot all pass.

        Raises:
            BridgeError: `rate_limited`; `cluster_unavailable`: replicas cannot count together.
        """
        self._own.check_rate(key)
        if (counter := self._counter) is None:
            return
        for name, most in self._list_counts(key):
            if await counter.read_count(name) >= most:
                raise too_many(self._what, math.ceil(self._window_s))
        self._own.check_rate(key)

    def _list_counts(self, key: str) -> list[tuple[str, int]]:
        """Return the names under which an attempt counts, with its limits; one key's comes first."""
        counts = [(f"{self._what}:{hash_secret(key)[:KEY_CHARS]}", self._per_key)]
        return counts if self._in_all is None else [*counts, (f"{self._what}:{EVERYBODY}", self._in_all)]
