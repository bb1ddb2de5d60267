"""Fixtures of the tests that open what an older bridge left."""

from collections.abc import AsyncIterator, Generator
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.support.models.scripted_provider import ScriptedProvider
from tests.upgrade.opened import FIRST, SNAPSHOTS, Left, Visitor, copied, opened

# As in tests/browser: a page opens slowly beside other tests; none judges by this bound.
expect.set_options(timeout=20_000)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what is marked so with each snapshot, its SQLite folder and its PostgreSQL dump."""
    if metafunc.definition.get_closest_marker("both_databases") and "left" in metafunc.fixturenames:
        kinds = [
            pytest.param((kind, snapshot), marks=marks, id=f"{kind}-{snapshot or 'first'}")
            for snapshot in SNAPSHOTS
            for kind, marks in (("sqlite", ()), ("postgresql", (pytest.mark.slow,)))
        ]
        metafunc.parametrize("left", kinds, indirect=True)


@pytest.fixture
def left(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Left]:
    """A copy of a snapshot for this test alone."""
    kind, snapshot = getattr(request, "param", ("sqlite", FIRST))
    with copied(kind, snapshot, tmp_path, request) as found:
        yield found


@pytest_asyncio.fixture
async def visitor(left: Left, provider: ScriptedProvider) -> AsyncIterator[Visitor]:
    """A bridge of today on what was left, and whoever comes back to it."""
    async with opened(left, provider) as bridge, aiohttp.ClientSession() as http:
        yield Visitor(left, bridge, http)
