"""Finds the addresses that a request may go to: for hosts that users type in.

A name is resolved once for each request, every address that it leads to is checked, and one of these is
connected to by its number, so that a second look-up cannot lead elsewhere.
"""

from __future__ import annotations

import asyncio
import socket

from yarl import URL

from bridge.models.providers.ports import Refuse


async def find_allowed(url: URL, refuse: Refuse) -> list[URL]:
    """Return the URL once for each allowed address of its host, with the address in the host's place.

    Raises:
        OSError: the host must not be reached, with the reason; or it leads to no address.
    """
    host, port = url.host or "", url.port or 0
    try:
        refuse(host)
    except ValueError:
        pass  # a name: the addresses it leads to are checked
    else:
        return [url]
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise OSError(f"{host}: {error.strerror or error}") from None
    addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
    for address in addresses:
        try:
            refuse(address)
        except OSError as error:
            raise OSError(f"{host} resolves to {address}, and {error}") from None
    if not addresses:
        raise OSError(f"{host} leads to no address")
    return [url.with_host(address) for address in addresses]
