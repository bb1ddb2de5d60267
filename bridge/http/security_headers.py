"""What an answer tells browsers if its handler says nothing of it: JSON is not a page, and not to be kept.

The page, its files and files of answers have headers of their own, which stay. Every client gets them: what a
client calls itself says nothing of what shows the answer.
"""

from __future__ import annotations

from collections.abc import Mapping

from aiohttp import hdrs, web

from bridge.http.connections import is_relay_request

HEADERS = (
    ("X-Content-Type-Options", "nosniff"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
    ("Referrer-Policy", "no-referrer"),
    (hdrs.CACHE_CONTROL, "no-store"),
)
"""Name and value."""

FILE_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"
"""Content policy of a file: opened in a tab it runs nothing, loads nothing, and has no origin."""

_SWITCHING_PROTOCOLS = 101


def lacking_headers(headers: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return those that the headers of an answer lack."""
    return [(name, value) for name, value in HEADERS if name not in headers]


async def add_security_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Add those that an answer lacks, to errors and streams as well; a signal of aiohttp."""
    if response.status == _SWITCHING_PROTOCOLS or is_relay_request(request):
        return  # to another replica: the one at which the request arrived adds them
    response.headers.extend(lacking_headers(response.headers))
