"""ULIDs: ids of 26 characters that sort by creation time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32, 5 bits a character, in ascending order."""

LENGTH = 26

_RANDOM_BITS = 80


class Ulids:
    """Creates ULIDs, each greater than the one before, even when the clock goes backwards."""

    def __init__(self, now: Callable[[], float], random_bits: Callable[[int], int]) -> None:
        """`now`: seconds since 1970; `random_bits`: returns an unguessable number of that many bits."""
        self._now = now
        self._random_bits = random_bits
        self._last = 0

    def make_ulid(self) -> str:
        """Create the next ULID: 48 bits of milliseconds, 80 random bits."""
        fresh = int(self._now() * 1000) << _RANDOM_BITS | self._random_bits(_RANDOM_BITS)
        self._last = max(fresh, self._last + 1)
        return _encoded(self._last)


def derive_ulid(*names: str) -> str:
    """Derive an id in the form of a ULID from names without line breaks: the same each time, of no time."""
    digest = hashlib.sha256("\n".join(names).encode()).digest()
    return "".join(ALPHABET[byte & 31] for byte in digest[:LENGTH])


def _encoded(number: int) -> str:
    return "".join(ALPHABET[number >> 5 * place & 31] for place in reversed(range(LENGTH)))
