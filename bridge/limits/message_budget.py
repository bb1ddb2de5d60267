"""How much the pages of one user may say: a little at any time, and more for every call that they were sent.

A page that is used says a few things for each of its calls, however many it has, so what a call needs comes
with the call. What a page says beyond that is paced: the bridge reads its sockets more slowly, and nobody
else notices.
"""

from __future__ import annotations

import time
from collections.abc import Callable

RATE_PER_S = 50
"""What may be said unasked, chosen: a page greets on each connection, and says when it comes to the front."""

BURST = 1_000
"""Unasked at once: results of all calls that a page remembers, for a bridge that was away."""

OF_A_CALL = 8
"""What comes with a call: its ack, a decision, a result of the largest size (5), and one to spare."""

MAX_EARNED = 8_000
"""What may be left of all calls: those of a user that may be open at once."""

BYTES_OF_ONE = 64 * 1024
"""A message counts once more for each of these."""

GREETING = 20
"""What a greeting counts: it is compared with all calls of its user, and told to all pages of the user."""


class MessageBudget:
    """What the sockets of one user have left. All methods run on one event loop."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._unasked = float(BURST)
        self._earned = 0
        self._at = clock()

    def earn_messages(self) -> None:
        """A page of the user was sent a call."""
        self._earned = min(MAX_EARNED, self._earned + OF_A_CALL)

    def spend_messages(self, count: int) -> float:
        """Note that so much was said; returns the seconds after which more may be read, mostly 0."""
        now = self._clock()
        self._unasked = min(BURST, self._unasked + (now - self._at) * RATE_PER_S)
        self._at = now
        of_calls = min(self._earned, count)
        self._earned -= of_calls
        self._unasked -= count - of_calls
        return max(0.0, -self._unasked / RATE_PER_S)


def weight_of(text: str | bytes) -> int:
    """What a message counts, by its length."""
    return 1 + len(text) // BYTES_OF_ONE
