"""What a running bridge keeps in memory: the garbage collector need not look at it again and again.

A full search looks at every object that it knows, and holds the event loop meanwhile: 60 to 190 ms for the
180,000 objects of a bridge with one document, twice that for 5,000 pages more. What is frozen is left out of
searches, and is still freed by its count of references; what ends in a cycle is not.
"""

from __future__ import annotations

import gc

FREEZE_PAGES = 200
"""Pages that connect before they are frozen: 20,000 objects, which are searched in a few milliseconds."""

YOUNG_OBJECTS = 20_000
"""New objects, less those that were freed, after which they are searched: a few milliseconds.

With the 700 of Python, each search of what open calls hold (80 objects each) and of rows that wait to be
written comes after thirty calls, and finds nothing: all of it is freed by its count of references
(`tests/cost/test_garbage.py`).
"""

OLDER_SEARCHES = 5
"""Such searches after which what they left is searched, and such of those after which all that is not frozen
is."""

LEFT_PAGES = 1_000
"""Minimum number of pages that leave before what they left behind is looked for."""


def freeze_heap() -> None:
    """Search once, leave what is alive now out of later searches, and have these be fewer.

    For the process that runs a bridge.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, OLDER_SEARCHES, OLDER_SEARCHES)


def freeze_document() -> None:
    """Leave a large document that was just loaded out of searches.

    It is no garbage until it is removed, and then its objects are freed one by one.
    """
    gc.freeze()


class PageHeap:
    """Keeps pages out of the searches, as long as they are there. Methods run on one event loop."""

    def __init__(self) -> None:
        self._new = 0
        self._left = 0

    def page_greeted(self) -> None:
        """Count a page that stays; freezing costs nothing."""
        self._new += 1
        if self._new >= FREEZE_PAGES:
            self._new = 0
            gc.freeze()

    def page_left(self, remaining: int) -> None:
        """Count a page that has left. Once as many have left as remain, there is one search of everything."""
        self._left += 1
        if self._left >= max(LEFT_PAGES, remaining):
            self._left = 0
            gc.unfreeze()
            freeze_heap()
