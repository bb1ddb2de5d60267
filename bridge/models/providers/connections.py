"""Connections to one provider: a request out, its answer's status, headers and bytes in.

Knows where it may connect to and how long it waits; knows no protocol. What goes wrong with a connection is
a `ConnectionFailed`; a status that is no success is a `RequestRefused`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Literal

import aiohttp
from aiohttp import hdrs
from aiohttp.http_exceptions import HttpProcessingError
from multidict import CIMultiDict
from yarl import URL

from bridge import __version__
from bridge.models.providers.environment import Proxy, custom_headers, find_proxy, open_tls_context
from bridge.models.providers.guarded_addresses import find_allowed
from bridge.models.providers.ports import Refuse
from bridge.settings.chat.models import ProviderSettings
from bridge.settings.chat.provider_rules import ProviderApi
from toolserver.json_types import load_json

KEPT_S = 15.0
"""Seconds for which a connection without a request is kept for the next one. Chosen: servers that close idle
ones do so after five seconds or more, and one that a server closes meanwhile is noticed."""

MAX_ERROR_BYTES = 256 * 1024
"""Maximum bytes of an error that are read."""

MESSAGES_VERSION = "2023-06-01"
"""Version of Anthropic's Messages API that is spoken."""

_FIRST_SUCCESS, _FIRST_REDIRECT = 200, 300

_NO_HEADERS: Mapping[str, str] = {}

_BROKEN = (aiohttp.ClientError, HttpProcessingError, OSError)
"""Errors of connections, timeouts included; a caller's timeout is a cancellation here."""


class ConnectionFailed(Exception):
    """There is no connection, or no more; the text says why, or is empty."""

    def __init__(self, cause: str, *, is_silent: bool) -> None:
        """`is_silent`: nothing came in time."""
        super().__init__(cause)
        self.is_silent = is_silent


class RequestRefused(Exception):
    """The provider answered with a status that is no success."""

    def __init__(self, status: int, headers: Mapping[str, str], body: object) -> None:
        """`body`: a JSON value, or the text if it is none."""
        super().__init__(status)
        self.status = status
        self.headers = headers
        self.body = body


class ProviderConnections:
    """The connections to one provider, kept for the next request. All methods run on one event loop."""

    def __init__(self, settings: ProviderSettings, key: str | None, refuse: Refuse | None) -> None:
        """`refuse`: decides about every address that is connected to; None: all are good."""
        self._settings = settings
        self._refuse = refuse
        self._headers = _headers_of_all(key, settings.api)
        self._session: aiohttp.ClientSession | None = None
        self._proxy: Proxy | None = None

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()

    async def open_answer(
        self,
        method: Literal["GET", "POST"],
        path: str,
        content: bytes | None = None,
        more: Mapping[str, str] = _NO_HEADERS,
    ) -> ProviderAnswer:
        """Send a request and return its answer; `more`: headers beside those of every request.

        Raises:
            ConnectionFailed: it was not answered.
            RequestRefused: the answer has a status that is no success.
        """
        url = URL(f"{self._settings.base_url}{path}")
        try:
            headers = {**self._headers, **more} if more else self._headers
            response = await self._send(method, url, content, headers)
        except _BROKEN as error:
            raise _failed(error) from None
        answer = ProviderAnswer(response, self._settings.idle_seconds)
        if _FIRST_SUCCESS <= response.status < _FIRST_REDIRECT:
            return answer
        try:
            body = await _read_error(answer)
        finally:
            answer.close()
        raise RequestRefused(response.status, response.headers, body)

    async def _send(
        self, method: str, url: URL, content: bytes | None, headers: Mapping[str, str]
    ) -> aiohttp.ClientResponse:
        session = self._session or self._open_session(url)
        if self._refuse is not None:
            return await self._send_guarded(
                session, method, url, content, headers=headers, refuse=self._refuse
            )
        # At another origin aiohttp forgets `Authorization`, but no header of its key that a provider has.
        follows = self._settings.api != "messages"
        if (proxy := self._proxy) is None:
            return await session.request(method, url, data=content, headers=headers, allow_redirects=follows)
        is_tunnel = url.scheme == "https"
        headers = headers if is_tunnel else {**headers, **proxy.headers}
        told = proxy.headers if is_tunnel else None
        return await session.request(
            method,
            url,
            data=content,
            headers=headers,
            proxy=proxy.url,
            proxy_headers=told,
            allow_redirects=follows,
        )

    async def _send_guarded(
        self,
        session: aiohttp.ClientSession,
        method: str,
        url: URL,
        content: bytes | None,
        *,
        headers: Mapping[str, str],
        refuse: Refuse,
    ) -> aiohttp.ClientResponse:
        """Send a request to the first of the allowed addresses that is there, and follow nobody elsewhere.

        The name stays in `Host` and in TLS; a kept connection is one to the same address for the same name.
        """
        host = url.host if url.scheme == "https" else None
        failure: aiohttp.ClientConnectorError | None = None
        for address in await find_allowed(url, refuse):
            try:
                return await session.request(
                    method,
                    address,
                    data=content,
                    headers={**headers, hdrs.HOST: url.host_port_subcomponent or ""},
                    server_hostname=host,
                    allow_redirects=False,
                )
            except aiohttp.ClientConnectorError as error:  # nothing was sent
                failure = error
        raise failure or OSError(f"{url.host} leads to no address")

    def _open_session(self, url: URL) -> aiohttp.ClientSession:
        """Open the session at the first request: it belongs to the event loop that runs then."""
        settings = self._settings
        self._proxy = find_proxy(url) if self._refuse is None else None
        connector = aiohttp.TCPConnector(
            limit=0,  # the queue of requests has one
            keepalive_timeout=KEPT_S,
            ssl=open_tls_context() if url.scheme == "https" else True,
        )
        timeout = aiohttp.ClientTimeout(
            total=None, connect=settings.connect_seconds, sock_read=settings.idle_seconds
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            timeout=timeout,
            trust_env=False,
            cookie_jar=aiohttp.DummyCookieJar(),  # requests of different users share the session
        )
        return self._session


def _headers_of_all(key: str | None, api: ProviderApi) -> CIMultiDict[str]:
    """Return the headers of every request; those of the environment count most.

    They are given with each request: what a session has of its own, aiohttp tells proxies as well.
    """
    headers = CIMultiDict(
        {
            hdrs.ACCEPT: "application/json",
            hdrs.CONTENT_TYPE: "application/json",
            hdrs.USER_AGENT: f"tool-bridge/{__version__}",
        }
    )
    headers.update(_messages_headers(key) if api == "messages" else {hdrs.AUTHORIZATION: f"Bearer {key}"})
    for name, value in custom_headers().items():
        headers[name] = value
    if key is None:
        headers.pop(hdrs.AUTHORIZATION, None)
    return headers


def _messages_headers(key: str | None) -> Mapping[str, str]:
    """Return the headers that Anthropic's Messages API demands."""
    version = {"anthropic-version": MESSAGES_VERSION}
    return version if key is None else {**version, "x-api-key": key}


class ProviderAnswer:
    """The answer to one request, of which the status was a success. Read by one task; always to be closed."""

    __slots__ = ("_idle_s", "_loop", "_response", "_timer", "_waiting_since")

    def __init__(self, response: aiohttp.ClientResponse, idle_s: float) -> None:
        """`idle_s`: maximum seconds without a byte, while somebody waits for one."""
        self._response = response
        self._idle_s = idle_s
        self._loop = asyncio.get_running_loop()
        self._waiting_since: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def content_type(self) -> str:
        """As the provider wrote it; "" if it did not."""
        return self._response.headers.get(hdrs.CONTENT_TYPE, "")

    def close(self) -> None:
        """Close the connection, unless the body has been read to its end: then it is kept for others."""
        if self._timer is not None:
            self._timer.cancel()
        self._response.close()

    async def read_some(self) -> bytes:
        """Return the next bytes of the body, as they came; empty at its end.

        Raises:
            ConnectionFailed: it broke off, or nothing came for too long.
        """
        if self._timer is None:
            self._watch_silence()
        self._waiting_since = self._loop.time()
        try:
            return await self._response.content.readany()
        except _BROKEN as error:
            raise _failed(error) from None
        finally:
            self._waiting_since = None

    async def read_body(self, max_bytes: int) -> bytes:
        """Return the body, cut off after some more than `max_bytes`.

        Raises:
            ConnectionFailed: as `read_some`.
        """
        body = bytearray()
        while len(body) <= max_bytes and (more := await self.read_some()):
            body += more
        return bytes(body)

    def _watch_silence(self) -> None:
        """Watch by one timer: aiohttp would set another one for every piece that comes."""
        if (connection := self._response.connection) is not None and connection.protocol is not None:
            connection.protocol.read_timeout = None
        self._timer = self._loop.call_later(self._idle_s, self._look)

    def _look(self) -> None:
        """End a wait that has taken too long; otherwise look again when it will have."""
        now, since = self._loop.time(), self._waiting_since
        if since is not None and since + self._idle_s <= now:
            self._response.content.set_exception(aiohttp.SocketTimeoutError("nothing came in time"))
            return
        self._timer = self._loop.call_at((now if since is None else since) + self._idle_s, self._look)


async def _read_error(answer: ProviderAnswer) -> object:
    """Return the body of an error, as far as it comes."""
    try:
        text = (await answer.read_body(MAX_ERROR_BYTES)).decode("utf-8", "replace").strip()
    except ConnectionFailed:
        return ""
    try:
        return load_json(text)
    except ValueError:
        return text


def _failed(error: Exception) -> ConnectionFailed:
    """Return the failure, in the system's words where it has some."""
    cause = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    words = cause.strerror or str(cause) if isinstance(cause, OSError) else str(cause)
    return ConnectionFailed(words, is_silent=isinstance(error, TimeoutError))
