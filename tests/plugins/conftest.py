"""Fixtures of tests of the plugins: a real bridge behind them, with a provider that plays scripts."""

from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path

import pytest_asyncio

from bridge.app.server import Bridge
from tests.support.models.model_bridge import shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider, scripted_provider


@pytest_asyncio.fixture
async def provider() -> AsyncIterator[ScriptedProvider]:
    """A provider of models that says what the test has it play."""
    async with scripted_provider() as running:
        yield running


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[Bridge]:
    """A bridge whose models are the provider's, with a small shop for tools."""
    async with shop_bridge(tmp_path, provider) as running:
        yield running
