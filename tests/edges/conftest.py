"""Fixtures of tests that talk to a real bridge in this process; a module may put its own in their place."""

from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest_asyncio
from openai import AsyncOpenAI

from bridge.service import Bridge
from tests.support.compiled import document_text
from tests.support.models import client_of
from tests.support.running import running_bridge
from tests.support.scripted_provider import ScriptedProvider, scripted_provider


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
