"""The sockets on which a bridge listens."""

from __future__ import annotations

import socket
from http.client import HTTP_PORT
from urllib.parse import urlsplit

from bridge.settings.running_bridge import reason_of_refusal


class AddressInUse(Exception):
    """The bridge cannot listen at the address in its settings; the text says why."""


def listen_at(host: str, port: int) -> socket.socket:
    """Return a listening socket.

    Raises:
        AddressInUse: nothing can listen there.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise AddressInUse(f"cannot listen on {host}:{port}: {reason_of_refusal(error)}") from None


def listen_at_url(url: str) -> socket.socket:
    """Return a socket that listens at an address of HTTP.

    Raises:
        AddressInUse: nothing can listen there.
    """
    address = urlsplit(url)
    return listen_at(address.hostname or "", address.port or HTTP_PORT)
