"""Fetches documents by URL: for the operator from anywhere, for users from public addresses only.

A user's document that only the browser can reach is fetched by the browser. What the bridge fetches for a
user must not become a way into the bridge's own network, so every address that a name resolves to is checked,
at every redirect.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Self, TypeAlias
from urllib.parse import urljoin

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from bridge.documents.network_table import METADATA_NAMES, Conclusion
from bridge.documents.networks import network_of
from bridge.errors import BridgeError, ErrorCode
from bridge.settings.network import origin_of
from toolserver.errors import DocumentError
from toolserver.openapi.document import DocumentLimits
from toolserver.openapi.source_text import decode_file

FETCH_SECONDS = 30.0
MAX_REDIRECTS = 5
MAX_AT_ONCE = 6
"""Maximum number of parallel requests, as in browsers: to one host, and for users to all hosts together."""
ACCEPT = "application/json, application/yaml, */*;q=0.5"

_TOO_MANY_REDIRECTS = "too many redirects"

_NUMBER = re.compile(r"(?:^|\.)(?:\d+|0x[\da-f]*)\.?$", re.ASCII | re.IGNORECASE)
"""The end of a host that is an IPv4 address in the standard of browsers (url.spec.whatwg.org), in any of the
forms in which C reads numbers. Some clients connect to it without a resolver, and so without its check."""

Refuse: TypeAlias = Callable[[str], None]
"""Takes a host; raises OSError, with the reason, if it must not be reached, and ValueError if it is no
address."""


def refuse_metadata(host: str) -> None:
    """Raise OSError for an address that serves the metadata of a cloud's machine, or leads there."""
    address = host.partition("%")[0]
    if source := METADATA_NAMES.get(host.rstrip(".").lower()):
        raise OSError(f"{host} is a cloud metadata service ({source}); nothing is fetched from there")
    network = network_of(address)
    if network.conclusion is Conclusion.METADATA:
        raise OSError(f"{address} leads to cloud metadata ({network.name}); nothing is fetched from there")


def refuse_private(host: str) -> None:
    """Raise OSError for an address that is not public or serves metadata, also one that leads there."""
    refuse_metadata(host)
    address = host.partition("%")[0]
    network = network_of(address)
    if network.conclusion is Conclusion.PRIVATE:
        what = f"{network.name}, {network.source}"
        raise OSError(f"{address} is not a public address ({what}); let the browser fetch it")


def refuse_link_local(host: str) -> None:
    """Raise OSError for an address that is link-local or serves metadata: for what the operator names.

    Nobody runs a service there on purpose, and metadata gives away credentials of the machine.
    """
    address = host.partition("%")[0]
    if source := METADATA_NAMES.get(host.rstrip(".").lower()):
        raise OSError(f"{host} is a cloud metadata service ({source}); nothing is sent there")
    network = network_of(address)
    if network.conclusion is Conclusion.METADATA or network.name == "link-local":
        raise OSError(f"{address} is {network.name}; nothing is sent there")


def refuse_internal(host: str) -> None:
    """Raise OSError as `refuse_private` does, where no browser could go instead of the bridge."""
    try:
        refuse_private(host)
    except OSError as error:
        raise OSError(str(error).partition(";")[0]) from None


class CheckedResolver(AbstractResolver):
    """A resolver that refuses names which lead to addresses that must not be reached."""

    def __init__(self, refuse: Refuse = refuse_private) -> None:
        self._resolver = aiohttp.DefaultResolver()
        self._refuse = refuse

    async def resolve(self, host: str, port: int = 0, family: int = 0) -> list[ResolveResult]:  # pyright: ignore[reportIncompatibleMethodOverride] - aiohttp annotates `family` with an enum
        """Return all addresses, if every one of them may be reached.

        Raises:
            OSError: one may not, with the reason and without `strerror`; or there are none.
        """
        found = await self._resolver.resolve(host, port, family)  # pyright: ignore[reportArgumentType]
        for result in found:
            try:
                self._refuse(result["host"])
            except OSError as error:
                raise OSError(f"{host} resolves to {result['host']}, and {error}") from None
        return found

    async def close(self) -> None:
        """Close the resolver."""
        await self._resolver.close()


class FetchFailed(Exception):
    """Nothing can be fetched from an address; the exception's text is the reason, without a full stop."""


class DocumentFetch(ABC):
    """Fetches a document and what it refers to; use it as an async context manager."""

    async def __aenter__(self) -> Self:
        self._session = self._new_session()
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self._session.close()

    @abstractmethod
    def how_to_allow(self, origin: str) -> str:
        """Return what the user has to do before anything is fetched from `origin`, without a full stop."""

    @abstractmethod
    def _new_session(self) -> aiohttp.ClientSession: ...

    @abstractmethod
    def _address(self, url: str) -> URL:
        """Check and parse `url`; raises FetchFailed or ValueError for what must not or cannot be reached."""

    async def fetch_document(self, url: str) -> tuple[str, str]:
        """Return the text, and the address that redirects led to.

        Raises:
            BridgeError: `document_unreachable`.
        """
        try:
            return await self.fetch_within(url, within=None)
        except FetchFailed as error:
            raise _unreachable(url, str(error)) from None

    async def fetch_within(self, url: str, *, within: Collection[str] | None) -> tuple[str, str]:
        """Fetch as `fetch_document` does; redirects may lead only to the origins `within`, if given.

        Raises:
            FetchFailed: the address cannot or must not be reached, with the reason.
        """
        requested = url
        for _ in range(MAX_REDIRECTS + 1):
            try:
                address = self._address(url)
                origin = origin_of(url)
            except (FetchFailed, ValueError) as error:
                raise FetchFailed(f"{error}{_redirected(requested, url)}") from None
            if within is not None and origin not in within:
                raise FetchFailed(f"it redirects to {origin}; {self.how_to_allow(origin)}")
            fetched = await _get(self._session, address)
            if fetched.redirect is None:
                return fetched.text, fetched.url
            url = fetched.redirect
        raise FetchFailed(_TOO_MANY_REDIRECTS)


class PublicFetch(DocumentFetch):
    """Fetches for users from public http and https addresses, and from nowhere else.

    `refuse` checks every address, at every redirect, at the moment of the connection.
    """

    def __init__(self, refuse: Refuse = refuse_private) -> None:
        self._refuse = refuse

    def how_to_allow(self, origin: str) -> str:  # noqa: D102 - inherited
        return f"{origin} in `reference_origins` allows that"

    def _new_session(self) -> aiohttp.ClientSession:
        resolver = CheckedResolver(self._refuse)
        connector = aiohttp.TCPConnector(resolver=resolver, use_dns_cache=False, limit=MAX_AT_ONCE)
        return aiohttp.ClientSession(connector=connector, timeout=_timeout(), trust_env=False)

    def _address(self, url: str) -> URL:
        return check_address(url, self._refuse)


class OperatorFetch(DocumentFetch):
    """Fetches what the operator named, private addresses included, and what that refers to.

    Metadata services are left out: whoever serves the document could redirect there. A host's name is
    resolved only once, so that what a document fetches from its own origin comes from the host that the
    document came from.
    """

    def how_to_allow(self, origin: str) -> str:  # noqa: D102 - inherited
        return f"--refs-origin {origin} allows that"

    def _new_session(self) -> aiohttp.ClientSession:
        resolver = CheckedResolver(refuse_metadata)
        connector = aiohttp.TCPConnector(resolver=resolver, ttl_dns_cache=None, limit_per_host=MAX_AT_ONCE)
        return aiohttp.ClientSession(connector=connector, timeout=_timeout(), trust_env=True)

    def _address(self, url: str) -> URL:
        return check_address(url, refuse_metadata)


def check_address(url: str, refuse: Refuse) -> URL:
    """Parse an address as aiohttp will: another parser could find another host in the same text.

    Raises:
        FetchFailed: nothing is fetched from there.
        ValueError: it is no address.
    """
    address = URL(url)
    if address.scheme not in ("http", "https") or not address.raw_host:
        raise FetchFailed("only http and https addresses can be fetched")
    try:
        refuse(address.raw_host)
    except ValueError:  # a name: the resolver checks the addresses it leads to
        if _NUMBER.search(address.raw_host):
            raise FetchFailed(f"{address.raw_host} is no name; write it as four decimal numbers") from None
        return address
    except OSError as error:
        raise FetchFailed(str(error)) from None
    return address


def _redirected(requested: str, url: str) -> str:
    return "" if url == requested else f", after a redirect to {url}"


def read_document_file(path: Path) -> str:
    """Return the text of a file that the operator named.

    Raises:
        BridgeError: `document_unreachable`; `invalid_document` if it is in no encoding of Unicode.
    """
    try:
        return decode_file(path.read_bytes())
    except OSError as error:
        message = f"The document {path} cannot be read: {error.strerror}."
        raise BridgeError(ErrorCode.DOCUMENT_UNREACHABLE, message, detail={"url": str(path)}) from None
    except DocumentError as error:
        detail = {"code": error.code, "pointer": error.pointer}
        raise BridgeError(ErrorCode.INVALID_DOCUMENT, f"{path}: {error.message}", detail=detail) from None


@dataclass(frozen=True, slots=True)
class _Fetched:
    text: str
    url: str
    redirect: str | None = None


async def _get(session: aiohttp.ClientSession, address: URL) -> _Fetched:
    limit = DocumentLimits().max_bytes
    url = str(address)
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
            return _Fetched(_decode_leniently(content), str(response.url))
    except aiohttp.ClientConnectorDNSError as error:
        refused = error.os_error.strerror is None  # refused by CheckedResolver; aiohttp would write "[None]"
        raise FetchFailed(str(error.os_error if refused else error)) from None
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        raise FetchFailed(str(error) or type(error).__name__) from None


def _decode_leniently(content: bytes) -> str:
    """The text; bytes in no encoding of Unicode are replaced, since most of the document is readable."""
    try:
        return decode_file(content)
    except DocumentError:
        return content.decode("utf-8", "replace")


def _timeout() -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=FETCH_SECONDS)


def _unreachable(url: str, reason: str) -> BridgeError:
    message = f"The document at {url} could not be fetched: {reason}."
    return BridgeError(ErrorCode.DOCUMENT_UNREACHABLE, message, detail={"url": url})
