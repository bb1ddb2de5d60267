"""Fixtures of tests that talk to a real bridge in this process; a module may put its own in their place."""

from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest_asyncio

from bridge.service import Bridge
from tests.support.compiled import document_text
from tests.support.running import running_bridge


@pytest_asyncio.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    """An HTTP client."""
    async with aiohttp.ClientSession() as session:
        yield session


@pytest_asyncio.fixture
async def bridge(tmp_path: Path) -> AsyncIterator[Bridge]:
    """A bridge that offers one small shop to everybody."""
    async with running_bridge(tmp_path) as running:
        await running.rooms.registry.share("shop.json", document_text(), source_url=None)
        yield running
