"""Connects only where it may: for addresses that users type in.

A name is resolved once for each request, every address that it leads to is checked, and one of these is
connected to, so that a second look-up cannot lead elsewhere. Redirects are not followed by its client.
"""

from __future__ import annotations

import asyncio
import socket

import httpx2

from bridge.providers.ports import Refuse


class GuardedTransport(httpx2.AsyncBaseTransport):
    """A transport that refuses addresses."""

    def __init__(self, refuse: Refuse) -> None:
        self._refuse = refuse
        self._inner = httpx2.AsyncHTTPTransport(trust_env=False)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request to the first of the allowed addresses that is there.

        Raises:
            httpx2.ConnectError: the host must not be reached, with the reason, or is not reached.
        """
        host = request.url.host
        failure: httpx2.ConnectError | None = None
        for address in await self._allowed_addresses(host, request.url.port or 0):
            try:
                return await self._inner.handle_async_request(_sent_to(request, host, address))
            except httpx2.ConnectError as error:  # nothing was sent
                failure = error
        raise failure or httpx2.ConnectError(f"{host} leads to no address")

    async def aclose(self) -> None:
        """Close all connections."""
        await self._inner.aclose()

    async def _allowed_addresses(self, host: str, port: int) -> list[str]:
        try:
            self._refuse(host)
        except ValueError:
            pass  # a name: the addresses it leads to are checked
        except OSError as error:
            raise httpx2.ConnectError(str(error)) from None
        else:
            return [host]
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise httpx2.ConnectError(f"{host}: {error.strerror or error}") from None
        addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
        for address in addresses:
            try:
                self._refuse(address)
            except OSError as error:
                raise httpx2.ConnectError(f"{host} resolves to {address}, and {error}") from None
        return addresses


def _sent_to(request: httpx2.Request, host: str, address: str) -> httpx2.Request:
    """Return the request for one address; the name stays in `Host` and in TLS."""
    return httpx2.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": host},
    )
