"""How many messages a user's pages may send: a small rate at any time, plus an allowance for each call sent.

A page in use sends a few messages for each of its calls, however many there are, so each call brings the
allowance it needs. Messages beyond that are paced: the bridge reads that user's sockets more slowly, and
nobody else notices.
"""

from __future__ import annotations

import time
from collections.abc import Callable

RATE_PER_S = 50
"""Messages per second beyond those that calls allow. Chosen: a page sends a handshake on each connection, and
a message when it comes to the front."""

BURST = 1_000
"""Maximum number of such messages at one moment: the results of all calls that a page remembers after the
bridge was unreachable."""

OF_A_CALL = 8
"""Messages that one call allows: its ack, a decision, a result of the largest size (5), and one to spare."""

MAX_EARNED = 8_000
"""Maximum allowance left over from calls: that of all calls a user may have open at the same time."""

BYTES_OF_ONE = 64 * 1024
"""Bytes after which a message counts once more."""

GREETING = 20
"""What a handshake counts: it is compared with all calls of its user and announced to all of the user's
pages."""


class MessageBudget:
    """The message budget that all sockets of one user share. All methods run on one event loop."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._unasked = float(BURST)
        self._earned = 0
        self._at = clock()

    def earn_messages(self) -> None:
        """Add the allowance of a call that was sent to one of the user's pages."""
        self._earned = min(MAX_EARNED, self._earned + OF_A_CALL)

    def spend_messages(self, count: int) -> float:
        """Charge `count` messages; returns the seconds to wait before reading more, usually 0."""
        now = self._clock()
        self._unasked = min(BURST, self._unasked + (now - self._at) * RATE_PER_S)
        self._at = now
        of_calls = min(self._earned, count)
        self._earned -= of_calls
        self._unasked -= count - of_calls
        return max(0.0, -self._unasked / RATE_PER_S)


def weight_of(text: str | bytes) -> int:
    """Return what a message counts, by its length."""
    return 1 + len(text) // BYTES_OF_ONE
