"""What makes a bridge of a test one of several replicas."""

from __future__ import annotations

import secrets
import socket
from contextlib import suppress
from typing import Any

PORTS = range(20_000, 32_000)
"""Below those that the system gives to whoever asks for any: none of these becomes busy by chance."""


def free_port() -> int:
    """A port that nobody has now."""
    while True:
        port = secrets.choice(PORTS)  # not what pytest-randomly has every worker choose
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def replica_settings(redis_url: str, secret: str, *, drain_s: float = 0) -> dict[str, Any]:
    """What makes a bridge one of several replicas."""
    return {
        "redis_url": redis_url,
        "replica_url": f"http://127.0.0.1:{free_port()}",
        "secret_key": secret,
        "drain_s": drain_s,
    }
