"""How many examples or seeds a property is held to: a few at each change, many in `make test-all`."""

import os
from typing import Any

import pytest
from hypothesis import settings

WIDE = "TEST_WIDE"
"""Environment variable: anything in it means many."""

SHARE = 6
"""One example of so many is played where time is short."""


def examples(count: int) -> settings:
    """`count` of them, or a share; goes with `@pytest.mark.wide`, so that `make test-all` runs the test."""
    return settings(max_examples=count if os.environ.get(WIDE) else max(1, count // SHARE), deadline=None)


def seeds(count: int) -> list[Any]:
    """So many seeds of random stories, as parameters; all but a share are `slow`."""
    return [pytest.param(seed, marks=[pytest.mark.slow] * (seed > count // SHARE)) for seed in range(count)]
