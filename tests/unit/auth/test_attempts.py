"""Attempts to get in, counted by one process or by two replicas whose counter is in memory."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field

import pytest

from bridge.auth.attempts import AttemptLimit, Attempts
from bridge.errors import BridgeError, ErrorCode

pytestmark = pytest.mark.asyncio


@dataclass
class SharedCounts:
    """What Redis would count; it may be away."""

    counts: dict[str, int] = field(default_factory=dict[str, int])
    is_away: bool = False
    questions: int = 0

    async def count_within(self, name: str, seconds: float) -> int:
        assert seconds == 60
        self.counts[name] = await self.read_count(name) + 1
        return self.counts[name]

    async def read_count(self, name: str) -> int:
        self.questions += 1
        await asyncio.sleep(0)
        if self.is_away:
            raise BridgeError(ErrorCode.CLUSTER_UNAVAILABLE, "Redis is away.")
        return self.counts.get(name, 0)


def limit_of(counts: SharedCounts | None, *, per_key: int = 3, in_all: int | None = None) -> AttemptLimit:
    """The limit of one replica."""
    return Attempts(counts).limit_attempts("tries", per_key=per_key, in_all=in_all, window_s=60)


async def refusal_of(limit: AttemptLimit, key: str = "ann") -> str | None:
    try:
        await limit.take_attempt(key)
    except BridgeError as error:
        return error.error.code
    return None


async def test_one_process_counts_by_itself() -> None:
    """Nobody needs Redis for one bridge."""
    limit = limit_of(None)
    assert [await refusal_of(limit) for _ in range(4)] == [None, None, None, "rate_limited"]
    assert await refusal_of(limit, "bob") is None


async def test_replicas_count_together() -> None:
    """Otherwise whoever guesses has as many attempts as there are replicas."""
    counts = SharedCounts()
    here, there = limit_of(counts), limit_of(counts)
    assert [await refusal_of(limit) for limit in (here, there, here)] == [None] * 3
    with pytest.raises(BridgeError) as refused:
        await there.take_attempt("ann")
    assert refused.value.error.code == "rate_limited"
    assert refused.value.error.detail == {"retry_after_s": 60}
    assert await refusal_of(there, "bob") is None


async def test_the_attempts_of_all_are_limited_together() -> None:
    """Many addresses may belong to one attacker; one address must not use up what all have."""
    counts = SharedCounts()
    here, there = (limit_of(counts, per_key=2, in_all=4) for _ in range(2))
    assert [await refusal_of(here, "eve") for _ in range(2)] == [None, None]
    assert [await refusal_of(there, "eve") for _ in range(2)] == ["rate_limited"] * 2
    assert [await refusal_of(there, user) for user in ("ann", "bob")] == [None, None]
    assert await refusal_of(here, "cid") == "rate_limited"


async def test_without_the_counter_nobody_is_let_in() -> None:
    """It fails closed: nobody can say how often somebody tried elsewhere."""
    limit = limit_of(SharedCounts(is_away=True))
    assert await refusal_of(limit) == "cluster_unavailable"
    with pytest.raises(BridgeError):
        await limit.check_attempts("ann")


async def test_a_flood_is_refused_without_asking_others() -> None:
    """Redis must not suffer from what one process can tell by itself."""
    counts = SharedCounts()
    limit = limit_of(counts)
    for _ in range(100):
        await refusal_of(limit)
    assert counts.questions <= 6


async def test_who_only_looks_uses_no_attempt() -> None:
    """A right code costs nothing, however many of them are typed."""
    counts = SharedCounts()
    here, there = limit_of(counts), limit_of(counts)
    for _ in range(3):
        await here.check_attempts("ann")
        await here.take_attempt("ann")
    with pytest.raises(BridgeError):
        await there.check_attempts("ann")
    await there.check_attempts("bob")


async def test_attempts_that_come_together_do_not_all_pass_the_look() -> None:
    """A thousand guesses at once would otherwise be a thousand guesses."""
    counts = SharedCounts()
    limit, tried = limit_of(counts), list[int]()

    async def guess(number: int) -> None:
        with suppress(BridgeError):
            await limit.check_attempts("eve")
            tried.append(number)
            await limit.take_attempt("eve")

    await asyncio.gather(*(guess(number) for number in range(100)))
    assert len(tried) == 3


async def test_what_is_counted_names_nobody() -> None:
    """Addresses of people have no business in Redis, and what a proxy forwards may be of any length."""
    counts = SharedCounts()
    await limit_of(counts).take_attempt("192.0.2.7" * 100)
    assert not any("192.0.2.7" in name or len(name) > 100 for name in counts.counts)


async def test_a_changed_rate_counts_for_what_is_shared_too() -> None:
    """An operator who lowers a limit means it for all replicas."""
    counts = SharedCounts()
    limit = limit_of(counts, per_key=100)
    limit.change_rate(per_key=1)
    assert [await refusal_of(limit) for _ in range(2)] == [None, "rate_limited"]
