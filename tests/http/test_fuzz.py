"""Bytes that no client of ours sends, by the ten thousand: `make fuzz` sends as many as you like."""

from pathlib import Path

import pytest

from tests.fuzz.__main__ import AREAS
from tests.fuzz.hunt import Budget, hunt
from tests.fuzz.search import search

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(300), pytest.mark.slow]

COUNT = 15_000
"""Of a million that are searched by hand; see docs/explanation/security.md."""

CASES = 150
"""Of each other area; by hand there are as many as one likes."""


async def test_no_bytes_from_outside_are_an_internal_error_a_traceback_or_a_flood_of_the_log() -> None:
    """A 500 says that the bridge has a bug, and whoever finds one from outside finds the next."""
    found = await search(0, COUNT)
    assert found.wrong == []
    assert found.total >= COUNT
    assert found.statuses[200] > 0
    assert found.left["sockets"] == 0


@pytest.mark.parametrize("name", list(AREAS))
async def test_no_area_that_strangers_reach_breaks(tmp_path: Path, name: str) -> None:
    """Results of pages, documents and their plans, messages of MCP clients, streams of providers."""
    found = await hunt(AREAS[name], tmp_path, 0, Budget(200.0, CASES))
    assert [str(finding) for finding in found.findings] == []
    assert found.tried >= CASES
