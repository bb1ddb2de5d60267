"""Fetching documents by URL: for the operator without limits of place, for users from public addresses only.

A user's document that only the browser can reach is fetched by the browser. What the bridge fetches for a
user must not become a way into the bridge's own network, so every address a name resolves to is checked, at
every redirect.
"""

from __future__ import annotations

import asyncio
import ipaddress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import DefaultResolver

from bridge.wire import BridgeError, ErrorCode
from toolserver.document import Limits

FETCH_SECONDS = 30.0
MAX_REDIRECTS = 5
ACCEPT = "application/json, application/yaml, */*;q=0.5"


class PublicResolver(AbstractResolver):
    """Resolves names, and refuses those that lead to private addresses."""

    def __init__(self) -> None:
        self._resolver = DefaultResolver()

    async def resolve(self, host: str, port: int = 0, family: int = 0) -> list[ResolveResult]:  # pyright: ignore[reportIncompatibleMethodOverride] - aiohttp annotates `family` with an enum
        """All addresses, if every one of them is public."""
        found = await self._resolver.resolve(host, port, family)  # pyright: ignore[reportArgumentType]
        for result in found:
            _refuse_private(result["host"])
        return found

    async def close(self) -> None:
        """Close the resolver."""
        await self._resolver.close()


async def fetch_public(url: str) -> str:
    """The text at a public http or https address.

    Raises:
        BridgeError: `document_unreachable`.
    """
    connector = aiohttp.TCPConnector(resolver=PublicResolver(), use_dns_cache=False)
    async with aiohttp.ClientSession(connector=connector, timeout=_timeout(), trust_env=False) as session:
        for _ in range(MAX_REDIRECTS + 1):
            _refuse_private_url(url)
            fetched = await _get(session, url, follow=False)
            if fetched.redirect is None:
                return fetched.text
            url = fetched.redirect
    raise _unreachable(url, "too many redirects")


async def read_source(source: str) -> tuple[str, str | None]:
    """The text of a file or address that the operator named, and the address if it has one.

    Raises:
        BridgeError: `document_unreachable`.
    """
    if source.startswith(("http://", "https://")):
        async with aiohttp.ClientSession(timeout=_timeout(), trust_env=True) as session:
            fetched = await _get(session, source, follow=True)
            return fetched.text, fetched.url
    try:
        return await asyncio.to_thread(Path(source).read_text, encoding="utf-8-sig"), None
    except (OSError, UnicodeDecodeError) as error:
        raise _unreachable(source, str(error)) from None


@dataclass(frozen=True, slots=True)
class _Fetched:
    text: str
    url: str
    redirect: str | None = None


async def _get(session: aiohttp.ClientSession, url: str, *, follow: bool) -> _Fetched:
    limit = Limits().max_bytes
    try:
        async with session.get(url, headers={"Accept": ACCEPT}, allow_redirects=follow) as response:
            if not follow and response.status in (301, 302, 303, 307, 308):
                return _Fetched("", url, urljoin(url, response.headers.get("Location", "")))
            if response.status != HTTPStatus.OK:
                raise _unreachable(url, f"HTTP status {response.status}")
            content = await response.content.read(limit + 1)
            while len(content) <= limit and (more := await response.content.read(limit + 1 - len(content))):
                content += more
            if len(content) > limit:
                raise _unreachable(url, f"larger than {limit} bytes")
            return _Fetched(content.decode("utf-8-sig", "replace"), str(response.url))
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        raise _unreachable(url, str(error) or type(error).__name__) from None


def _refuse_private_url(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise _unreachable(url, "only http and https addresses can be fetched")
    try:
        _refuse_private(parts.hostname)
    except ValueError:
        return  # a name: the resolver checks what it leads to
    except OSError as error:
        raise _unreachable(url, str(error)) from None


def _refuse_private(host: str) -> None:
    """Raises OSError for a private address, ValueError for what is no address at all."""
    address = ipaddress.ip_address(host.partition("%")[0])
    if not address.is_global or address.is_multicast:
        raise OSError(f"{address} is not a public address; let the browser fetch it")


def _timeout() -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=FETCH_SECONDS)


def _unreachable(url: str, reason: str) -> BridgeError:
    message = f"The document at {url} could not be fetched: {reason}."
    return BridgeError(ErrorCode.DOCUMENT_UNREACHABLE, message, detail={"url": url})
