"""Fixture of tests of the Messages API: a provider that speaks it."""

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.support.models.messages_side import MESSAGES
from tests.support.models.scripted_provider import ScriptedProvider, scripted_provider


@pytest_asyncio.fixture
async def provider() -> AsyncIterator[ScriptedProvider]:
    """A provider of models that says what the test has it play, by Messages too."""
    async with scripted_provider(MESSAGES) as running:
        yield running
