"""Fetching documents by URL: for the operator without limits of place, for users from public addresses only.

A user's document that only the browser can reach is fetched by the browser. What the bridge fetches for a
user must not become a way into the bridge's own network, so every address a name resolves to is checked, at
every redirect.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Self
from urllib.parse import urljoin

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import DefaultResolver
from yarl import URL

from bridge.config import origin_of
from bridge.wire import BridgeError, ErrorCode
from toolserver.document import Limits

FETCH_SECONDS = 30.0
MAX_REDIRECTS = 5
MAX_AT_ONCE = 6
"""Requests to one host at a time, as browsers do."""
ACCEPT = "application/json, application/yaml, */*;q=0.5"

_TOO_MANY_REDIRECTS = "too many redirects"
_TRANSLATED = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("::/96"))
"""IPv6 networks whose addresses end in an IPv4 address that is meant."""


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


class FetchFailed(Exception):
    """An address that gives no text; its text is the reason, without a full stop."""


async def fetch_public(url: str) -> str:
    """The text at a public http or https address.

    Raises:
        BridgeError: `document_unreachable`.
    """
    connector = aiohttp.TCPConnector(resolver=PublicResolver(), use_dns_cache=False)
    async with aiohttp.ClientSession(connector=connector, timeout=_timeout(), trust_env=False) as session:
        for _ in range(MAX_REDIRECTS + 1):
            try:
                fetched = await _get(session, _public_url(url))
            except FetchFailed as error:
                raise _unreachable(url, str(error)) from None
            if fetched.redirect is None:
                return fetched.text
            url = fetched.redirect
    raise _unreachable(url, _TOO_MANY_REDIRECTS)


class OperatorFetch:
    """Fetches what the operator named, private addresses included, and what that refers to.

    A host's name is resolved once: what a document calls its own origin stays where the document came from.
    """

    async def __aenter__(self) -> Self:
        connector = aiohttp.TCPConnector(ttl_dns_cache=None, limit_per_host=MAX_AT_ONCE)
        self._session = aiohttp.ClientSession(connector=connector, timeout=_timeout(), trust_env=True)
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self._session.close()

    async def document(self, url: str) -> tuple[str, str]:
        """The text, and the address that redirects led to.

        Raises:
            BridgeError: `document_unreachable`.
        """
        try:
            return await self.get(url, within=None)
        except FetchFailed as error:
            raise _unreachable(url, str(error)) from None

    async def get(self, url: str, *, within: Collection[str] | None) -> tuple[str, str]:
        """As `document`; redirects lead to the origins `within` only, or anywhere.

        Raises:
            FetchFailed: with the reason.
        """
        for _ in range(MAX_REDIRECTS + 1):
            try:
                address, origin = URL(url), origin_of(url)
            except ValueError as error:
                raise FetchFailed(str(error)) from None
            if within is not None and origin not in within:
                raise FetchFailed(f"it redirects to {origin}; --refs-origin {origin} allows that")
            fetched = await _get(self._session, address)
            if fetched.redirect is None:
                return fetched.text, fetched.url
            url = fetched.redirect
        raise FetchFailed(_TOO_MANY_REDIRECTS)


def read_document_file(path: Path) -> str:
    """The text of a file that the operator named.

    Raises:
        BridgeError: `document_unreachable`.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise _unreachable(str(path), str(error)) from None


@dataclass(frozen=True, slots=True)
class _Fetched:
    text: str
    url: str
    redirect: str | None = None


async def _get(session: aiohttp.ClientSession, address: URL) -> _Fetched:
    limit, url = Limits().max_bytes, str(address)
    try:
        async with session.get(address, headers={"Accept": ACCEPT}, allow_redirects=False) as response:
            if response.status in (301, 302, 303, 307, 308):
                return _Fetched("", url, urljoin(url, response.headers.get("Location", "")))
            if response.status != HTTPStatus.OK:
                raise FetchFailed(f"HTTP status {response.status}")
            content = await response.content.read(limit + 1)
            while len(content) <= limit and (more := await response.content.read(limit + 1 - len(content))):
                content += more
            if len(content) > limit:
                raise FetchFailed(f"larger than {limit} bytes")
            return _Fetched(content.decode("utf-8-sig", "replace"), str(response.url))
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        raise FetchFailed(str(error) or type(error).__name__) from None


def _public_url(text: str) -> URL:
    """The address as aiohttp itself will read it: a second parser could find another host in the same text.

    Raises:
        BridgeError: `document_unreachable`.
    """
    try:
        url = URL(text)
    except ValueError as error:
        raise _unreachable(text, str(error)) from None
    if url.scheme not in ("http", "https") or not url.raw_host:
        raise _unreachable(text, "only http and https addresses can be fetched")
    try:
        _refuse_private(url.raw_host)
    except ValueError:
        return url  # a name: the resolver checks what it leads to
    except OSError as error:
        raise _unreachable(text, str(error)) from None
    return url


def _refuse_private(host: str) -> None:
    """Raises OSError for a private address, ValueError for what is no address at all."""
    address = ipaddress.ip_address(host.partition("%")[0])
    if not all(one.is_global and not one.is_multicast for one in (address, *_carried(address))):
        raise OSError(f"{address} is not a public address; let the browser fetch it")


def _carried(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> list[ipaddress.IPv4Address]:
    """IPv4 addresses that an IPv6 one leads to by translation (NAT64, 6to4, IPv4-compatible)."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    carried = [address.sixtofour] if address.sixtofour else []
    if any(address in network for network in _TRANSLATED):
        carried.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return carried


def _timeout() -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=FETCH_SECONDS)


def _unreachable(url: str, reason: str) -> BridgeError:
    message = f"The document at {url} could not be fetched: {reason}."
    return BridgeError(ErrorCode.DOCUMENT_UNREACHABLE, message, detail={"url": url})
