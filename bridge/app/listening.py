"""The sockets on which a bridge listens."""

from __future__ import annotations

import socket

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
