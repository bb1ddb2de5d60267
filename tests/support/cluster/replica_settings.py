"""What makes a bridge of a test one of several replicas."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bridge.timings import Timings
from tests.support.tcp_servers import free_port

REDIS_S, STILL_S = 10.0, 30.0
"""Seconds for an answer of Redis, and that a replica may stand still, until it counts as away."""


def make_patient(timings: Timings) -> Timings:
    """The same for replicas of one process, which bear that it is slow.

    One event loop is that of all of them and of the test, compiles documents, too, and stands still with its
    machine: after a second of that Redis would be away, after three each replica would have lost its users.
    """
    return replace(timings, redis_s=REDIS_S, silent_s=STILL_S, lease_s=STILL_S)


def replica_settings(redis_url: str, secret: str, *, drain_s: float = 0) -> dict[str, Any]:
    """What makes a bridge one of several replicas."""
    return {
        "redis_url": redis_url,
        "replica_url": f"http://127.0.0.1:{free_port()}",
        "secret_key": secret,
        "drain_s": drain_s,
    }
