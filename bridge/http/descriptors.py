"""File descriptors: every connection needs one, and so does the database."""

from __future__ import annotations

import sys

if sys.platform != "win32":
    import resource

ENOUGH = 65_536
"""Maximum number of descriptors to ask for."""

UNLIMITED_SYSTEM = 4_096
"""Limit to assume where the system states none."""


def raise_descriptor_limit() -> None:
    """Raise this process's limit of descriptors as far as its user may, up to `ENOUGH`; never fails.

    Many systems start processes with 1,024 although they may have a million.
    """
    if sys.platform != "win32":
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        target = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
        if soft != resource.RLIM_INFINITY and soft < target:
            resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))


def descriptor_limit() -> int:
    """Return how many descriptors this process may have now."""
    if sys.platform == "win32":
        return UNLIMITED_SYSTEM
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return ENOUGH if soft == resource.RLIM_INFINITY else soft
