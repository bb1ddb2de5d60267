"""The path below which a bridge is reached, where its origin has other programs as well."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

MAX_PREFIX_CHARS = 100
"""Maximum length of a path prefix; chosen."""

OWN_SEGMENTS = frozenset(
    {
        ".well-known",
        "api",
        "companion.zip",
        "conversations",
        "document-worker",
        "executor",
        "files",
        "healthz",
        "login",
        "logout",
        "mcp",
        "metrics",
        "oauth",
        "openapi.json",
        "plugins",
        "probe",
        "readyz",
        "servers",
        "sse",
        "static",
        "system",
        "tools",
        "v1",
        "ws",
    }
)
"""What paths of the bridge begin with. A prefix may not: of `/tools/tools/x` it could not be known whether a
proxy has taken the prefix away."""

_PREFIX = re.compile(r"(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)+")
"""Segments that nothing on the way writes in another form: no proxy encodes or resolves them."""


def check_prefix(prefix: str) -> str:
    """Return a path prefix such as `/bridge`.

    Raises:
        ValueError: it cannot be one; the text follows the name of an address.
    """
    if len(prefix) > MAX_PREFIX_CHARS or not _PREFIX.fullmatch(prefix):
        raise ValueError(
            f"has a path that cannot be a prefix: at most {MAX_PREFIX_CHARS} letters, digits and the "
            "characters - _ . / are, and no part of it begins with a dot"
        )
    first = prefix.split("/")[1]
    if first in OWN_SEGMENTS:
        raise ValueError(f"has a path that begins with /{first}, as paths of the bridge do: take another")
    return prefix


def prefix_of(url: str) -> str:
    """Return the path prefix of a bridge's address, such as `/bridge`; "" for none."""
    return urlsplit(url).path.rstrip("/")
