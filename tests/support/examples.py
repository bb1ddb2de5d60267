"""How many examples, seeds or cases a test is held to: a few at each change, many in `make test-all`."""

import os
from collections import Counter
from typing import Any

import pytest
from hypothesis import settings

WIDE = "TEST_WIDE"
"""Environment variable: anything in it means many."""

SHARE = 6
"""One example of so many is played where time is short."""

FEW_CASES = 2
"""So many cases of a test are played at each change, where each costs a bridge or a process of its own."""

COSTLY = (
    "tests/cli/",
    "tests/http/",
    "tests/plugins/",
    "tests/replicas/",
    "tests/socket/",
    "tests/storage/",
)
"""Folders of such tests."""


def examples(count: int) -> settings:
    """`count` of them, or a share; goes with `@pytest.mark.wide`, so that `make test-all` runs the test."""
    return settings(max_examples=count if os.environ.get(WIDE) else max(1, count // SHARE), deadline=None)


def seeds(count: int) -> list[Any]:
    """So many seeds of random stories, as parameters; all but a share are `slow`."""
    return [pytest.param(seed, marks=[pytest.mark.slow] * (seed > count // SHARE)) for seed in range(count)]


class FurtherCases:
    """Tells the first cases of each test from its further ones, as they are collected."""

    def __init__(self) -> None:
        self._met: Counter[str] = Counter()

    def is_further(self, nodeid: str) -> bool:
        """Whether this is a case of a costly test of which enough were met before."""
        name, _, case = nodeid.partition("[")
        self._met[name] += 1
        return bool(case) and name.startswith(COSTLY) and self._met[name] > FEW_CASES
