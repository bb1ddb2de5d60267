"""Clients that describe themselves at their own address (Client ID Metadata Document)."""

import socket
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from tests.support.oauth.records import Client


class _ThisMachine(AbstractResolver):
    """Every host is this machine, as for the browsers of the tests."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        return [
            ResolveResult(hostname=host, host="127.0.0.1", port=port, family=family, proto=0, flags=0),
        ]

    async def close(self) -> None:
        """Holds nothing."""


async def read_client_document(client_id: str) -> Client | None:
    """The client of that document, whoever signed its certificate; None: there is no document.

    Raises:
        ValueError: the document is another client's, or no public client's.
    """
    connector = aiohttp.TCPConnector(ssl=False, resolver=_ThisMachine())
    async with (
        aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(10)) as http,
        http.get(client_id, allow_redirects=False) as answer,
    ):
        if answer.status != 200 or answer.content_type != "application/json":
            return None
        about: dict[str, Any] = await answer.json()
        if about["client_id"] != client_id:
            raise ValueError(f"{client_id} describes another client.")
    if about["token_endpoint_auth_method"] != "none" or not about["client_name"]:
        raise ValueError(f"{client_id} describes no public client with a name.")
    return Client(client_id, tuple(about["redirect_uris"]), grants=tuple(about["grant_types"]))
