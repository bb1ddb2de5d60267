"""What browsers are told about an answer that says nothing of it itself: JSON is no page, and not to be kept.

The page, its files and files of answers have headers of their own, which stay. Programs show nothing and keep
what they like: their answers, of which there are thousands a second, stay short.
"""

from __future__ import annotations

from collections.abc import Mapping

from aiohttp import hdrs, web

HEADERS = (
    ("X-Content-Type-Options", "nosniff"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
    ("Referrer-Policy", "no-referrer"),
    (hdrs.CACHE_CONTROL, "no-store"),
)
"""Name and value."""

FILE_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"
"""Content policy of a file: opened in a tab it runs nothing, loads nothing, and has no origin."""

BROWSERS = "Mozilla/"
"""How the `User-Agent` of every browser begins."""

_SWITCHING_PROTOCOLS = 101


def is_browser(headers: Mapping[str, str]) -> bool:
    """Return whether the headers of a request are those of a browser."""
    return headers.get(hdrs.USER_AGENT, "").startswith(BROWSERS)


async def add_security_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Add those that an answer to a browser lacks, to errors and streams as well; a signal of aiohttp."""
    if not is_browser(request.headers) or response.status == _SWITCHING_PROTOCOLS:
        return
    for name, value in HEADERS:
        if name not in response.headers:
            response.headers[name] = value
