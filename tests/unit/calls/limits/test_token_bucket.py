"""Token buckets, on a clock that the test moves."""

from dataclasses import dataclass

import pytest

from bridge.calls.limits.token_bucket import MAX_KEYS, RateLimit
from bridge.errors import BridgeError


@dataclass
class Clock:
    """Monotonic seconds."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def limit(clock: Clock, *, per_key: int = 3, in_all: int = 100) -> RateLimit:
    return RateLimit("attempts", per_key=per_key, in_all=in_all, window_s=60, clock=clock)


def test_a_key_gets_its_share_and_then_is_told_when_to_come_back() -> None:
    """A program that is refused must not have to guess how long."""
    clock = Clock()
    attempts = limit(clock)
    for _ in range(3):
        attempts.take_token("ann")
    with pytest.raises(BridgeError) as refused:
        attempts.take_token("ann")
    error = refused.value.error
    assert (error.code, error.detail, error.retryable) == ("rate_limited", {"retry_after_s": 20}, True)
    clock.now = 20
    attempts.take_token("ann")
    with pytest.raises(BridgeError):
        attempts.take_token("ann")


def test_one_key_does_not_use_up_what_another_has() -> None:
    """Whoever guesses codes must not lock others out."""
    attempts = limit(Clock())
    for _ in range(3):
        attempts.take_token("eve")
    attempts.take_token("ann")


def test_all_keys_together_have_a_limit_of_their_own() -> None:
    """Many addresses at once are one attack too."""
    clock = Clock()
    attempts = limit(clock, in_all=5)
    for number in range(5):
        attempts.take_token(f"address {number}")
    with pytest.raises(BridgeError):
        attempts.take_token("another")
    clock.now = 12
    attempts.take_token("another")


def test_what_is_refused_uses_nothing_up() -> None:
    """Otherwise a client that polls would never get in again."""
    clock = Clock()
    attempts = limit(clock, per_key=1)
    attempts.take_token("ann")
    for _ in range(50):
        with pytest.raises(BridgeError):
            attempts.take_token("ann")
    clock.now = 60
    attempts.take_token("ann")


def test_a_flood_of_keys_is_forgotten_oldest_first() -> None:
    """Memory stays bounded, whoever asks under however many names."""
    attempts = limit(Clock(), per_key=1, in_all=10 * MAX_KEYS)
    attempts.take_token("first")
    for number in range(MAX_KEYS):
        attempts.take_token(str(number))
    attempts.take_token("first")
    with pytest.raises(BridgeError):
        attempts.take_token(str(MAX_KEYS - 1))
