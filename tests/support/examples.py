"""How many examples a property is held to: a few at each change, many in `make test-all`."""

import os

from hypothesis import settings

WIDE = "TEST_WIDE"
"""Environment variable: anything in it means many."""

SHARE = 6
"""One example of so many is played where time is short."""


def examples(count: int) -> settings:
    """`count` of them, or a share; goes with `@pytest.mark.wide`, so that `make test-all` runs the test."""
    return settings(max_examples=count if os.environ.get(WIDE) else max(1, count // SHARE), deadline=None)
