"""Other Pythons read JSON of other depths: their limit is played by setting this one's."""

import sys
from collections.abc import Generator
from contextlib import contextmanager

DEEP, SHALLOW = 9_000, 900
"""Python 3.12 and newer read many thousand levels, 3.11 about a thousand less what is on the stack."""

INTERPRETERS = (DEEP, SHALLOW)


@contextmanager
def python_that_reads(levels: int) -> Generator[None]:
    """Within it the interpreter's own limit is about that."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(levels)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
