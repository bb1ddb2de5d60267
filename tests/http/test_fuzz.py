"""Bytes that no client of ours sends, by the ten thousand: `make fuzz` sends as many as you like."""

import pytest

from tests.fuzz.search import search

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(300), pytest.mark.slow]

COUNT = 15_000
"""Of a million that are searched by hand; see docs/explanation/security.md."""


async def test_no_bytes_from_outside_are_an_internal_error_a_traceback_or_a_flood_of_the_log() -> None:
    """A 500 says that the bridge has a bug, and whoever finds one from outside finds the next."""
    found = await search(0, COUNT)
    assert found.wrong == []
    assert found.total >= COUNT
    assert found.statuses[200] > 0
    assert found.left["sockets"] == 0
