"""What makes a bridge of a test one of several replicas."""

from __future__ import annotations

from typing import Any

from tests.support.tcp_servers import free_port


def replica_settings(redis_url: str, secret: str, *, drain_s: float = 0) -> dict[str, Any]:
    """What makes a bridge one of several replicas."""
    return {
        "redis_url": redis_url,
        "replica_url": f"http://127.0.0.1:{free_port()}",
        "secret_key": secret,
        "drain_s": drain_s,
    }
