"""Fixtures of tests that talk to a real bridge in this process; a module may put its own in their place."""

from collections import ChainMap
from collections.abc import AsyncIterator, Generator
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio
from openai import AsyncOpenAI

from bridge.app.server import Bridge
from bridge.timings import Timings
from tests.support.documents.compiled import document_text
from tests.support.models.model_bridge import client_of
from tests.support.models.scripted_provider import ScriptedProvider, scripted_provider
from tests.support.running_bridge import running_bridge
from tests.support.stores.databases import Where, fresh_database
from tests.support.stores.postgresql import PostgresServer
from tests.support.stores.redis import RedisServer


@pytest_asyncio.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    """An HTTP client."""
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.fixture(scope="session")
def postgres_server() -> Generator[PostgresServer]:
    """The PostgreSQL server of this process, started when the first test needs it."""
    server = PostgresServer()
    yield server
    server.remove()


@pytest.fixture(scope="session")
def started_redis() -> Generator[RedisServer]:
    """The Redis server of this process, started when the first test needs it."""
    server = RedisServer()
    yield server
    server.remove()


@pytest.fixture
def redis_server(started_redis: RedisServer) -> RedisServer:
    """The same, running and empty."""
    started_redis.flush()
    return started_redis


@pytest.fixture
def database(request: pytest.FixtureRequest) -> Generator[Where]:
    """Where the store of a test is: an SQLite file, or what `pytest_generate_tests` has chosen."""
    with fresh_database(getattr(request, "param", "sqlite"), request) as where:
        yield where


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a mark `timings` at a test whose bridge does not hear of it."""
    for item in items:
        if item.get_closest_marker("timings") and "timings" not in getattr(item, "fixturenames", ()):
            raise pytest.UsageError(f"{item.nodeid}: none of its fixtures asks for `timings`")


@pytest.fixture
def timings(request: pytest.FixtureRequest) -> Timings:
    """How long the bridge of a test waits: as usual, but for what its marks and its module's say."""
    marks = [mark.kwargs for mark in request.node.iter_markers("timings")]
    return Timings(**dict(ChainMap(*marks)))


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, database: Where, timings: Timings) -> AsyncIterator[Bridge]:
    """A bridge that offers one small shop to everybody."""
    async with running_bridge(tmp_path, database=database, timings=timings) as running:
        await running.components.registry.share_document("shop.json", document_text(), source_url=None)
        yield running


@pytest_asyncio.fixture
async def provider() -> AsyncIterator[ScriptedProvider]:
    """A provider of models that says what the test has it play."""
    async with scripted_provider() as running:
        yield running


@pytest_asyncio.fixture
async def client(bridge: Bridge) -> AsyncIterator[AsyncOpenAI]:
    """OpenAI's own client in front of the bridge."""
    async with client_of(bridge) as made:
        yield made
