"""Counts the work of reading and writing schemas, so that none can take minutes.

A step is a part of a schema that is read, a property that is looked at in it, or a node that is written; a
thousand take about 5 ms. Counted rather than timed: what a document becomes must not depend on how busy the
machine is, or replicas would advertise different tools.
"""

from collections.abc import Generator
from contextlib import contextmanager

UNLIMITED = 1 << 62


class TooSlow(Exception):
    """The steps that there were are spent."""


class Steps:
    """The steps of one document: all that were taken, and how many may be."""

    def __init__(self) -> None:
        self.taken = 0
        self._most = UNLIMITED

    def take(self, steps: int) -> None:
        """Counts steps.

        Raises:
            TooSlow: more than are allowed at the time.
        """
        self.taken += steps
        if self.taken > self._most:
            raise TooSlow

    @contextmanager
    def allow(self, steps: int) -> Generator[None]:
        """Allows so many more steps inside; outside, steps are only counted."""
        self._most = self.taken + steps
        try:
            yield
        finally:
            self._most = UNLIMITED
