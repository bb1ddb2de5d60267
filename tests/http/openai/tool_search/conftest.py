"""Fixtures of tests of tool search: a bridge whose servers are all searched, and a client of its user."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest_asyncio
from openai import AsyncOpenAI

from bridge.app.server import Bridge
from tests.support.models.scripted_provider import ScriptedProvider
from tests.support.models.search_bridge import asked, search_bridge


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[Bridge]:
    """A bridge with a shop and a zoo, and models that search."""
    async with search_bridge(tmp_path, provider) as running:
        yield running


@pytest_asyncio.fixture
async def client(bridge: Bridge) -> AsyncGenerator[AsyncOpenAI]:
    """A client of its user, whose page is open."""
    async with asked(bridge) as made:
        yield made
