"""Fixtures of the tests of OAuth at the MCP endpoints."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.support.authorization_server import AuthorizationServer, authorization_server
from tests.support.oauth_client import OAuthClient, oauth_client
from tests.support.stores.databases import Where


@pytest_asyncio.fixture
async def server() -> AsyncIterator[AuthorizationServer]:
    """An authorization server."""
    async with authorization_server() as running:
        yield running


@pytest_asyncio.fixture
async def client(tmp_path: Path, database: Where, server: AuthorizationServer) -> AsyncIterator[OAuthClient]:
    """A client of a bridge that trusts that server."""
    async with oauth_client(tmp_path, server, database=database) as made:
        yield made
