"""File descriptors: every connection takes one, and who has none left can open no database either."""

from __future__ import annotations

import sys

if sys.platform != "win32":
    import resource

ENOUGH = 65_536
"""More are never asked for."""

UNLIMITED_SYSTEM = 4_096
"""What is assumed where the system does not say."""


def raise_descriptor_limit() -> None:
    """Allow this process as many descriptors as its user may have, up to `ENOUGH`; never fails.

    Many systems start processes with 1,024 although they may have a million.
    """
    if sys.platform != "win32":
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        target = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
        if soft != resource.RLIM_INFINITY and soft < target:
            resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))


def descriptor_limit() -> int:
    """How many descriptors this process may have now."""
    if sys.platform == "win32":
        return UNLIMITED_SYSTEM
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return ENOUGH if soft == resource.RLIM_INFINITY else soft
