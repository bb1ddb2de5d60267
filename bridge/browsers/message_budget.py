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

MESSAGES_PER_CALL = 8
"""Messages added to the allowance for each call: its ack, a decision, a result of the largest size (5), and
one to spare."""

MAX_CALL_ALLOWANCE = 8_000
"""Maximum allowance left over from calls: that of all calls a user may have open at the same time."""

BYTES_PER_MESSAGE = 64 * 1024
"""Bytes of a message that count as one message."""

HANDSHAKE = 20
"""Messages that a handshake counts as: it is compared with all calls of its user and announced to all of the
user's pages."""


class MessageBudget:
    """The message budget that all sockets of one user share. All methods run on one event loop."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._rate_allowance = float(BURST)
        self._call_allowance = 0
        self._at = clock()

    def earn_messages(self) -> None:
        """Add the allowance of a call that was sent to one of the user's pages."""
        self._call_allowance = min(MAX_CALL_ALLOWANCE, self._call_allowance + MESSAGES_PER_CALL)

    def spend_allowance(self, count: int) -> bool:
        """Charge `count` messages to what calls allow; False, and nothing is charged: they allow less."""
        if self._call_allowance < count:
            return False
        self._call_allowance -= count
        return True

    def spend_messages(self, count: int) -> float:
        """Charge `count` messages; returns the seconds to wait before reading more, usually 0."""
        now = self._clock()
        self._rate_allowance = min(BURST, self._rate_allowance + (now - self._at) * RATE_PER_S)
        self._at = now
        of_calls = min(self._call_allowance, count)
        self._call_allowance -= of_calls
        self._rate_allowance -= count - of_calls
        return max(0.0, -self._rate_allowance / RATE_PER_S)


def weight_of(text: str | bytes) -> int:
    """Return how many messages a message counts as, by its length."""
    return 1 + len(text) // BYTES_PER_MESSAGE
