"""A way to the bridge for clients that cannot be given a key: what passes gets one."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import aiohttp
from aiohttp import hdrs, web

from bridge.app.server import Bridge
from tests.support.waiting import eventually
from tests.support.web_servers import serving

OF_ONE_CONNECTION = frozenset(
    {hdrs.CONNECTION, hdrs.TRANSFER_ENCODING, hdrs.CONTENT_LENGTH, hdrs.DATE, hdrs.SERVER}
)


@dataclass
class KeyProxy:
    """A proxy that adds the bridge's own key and changes nothing else.

    Who names the proxy as its host or origin has named the bridge; who names another one still does.
    """

    bridge: Bridge
    http: aiohttp.ClientSession
    url: str = ""
    passed: bytearray = field(default_factory=bytearray)
    """What the clients have been answered."""

    async def has_passed(self, words: str) -> None:
        """Wait until a client has been told something."""
        await eventually(lambda: words.encode() in self.passed, what=f"“{words}”")

    async def pass_on(self, request: web.Request) -> web.StreamResponse:
        """Answer as the bridge does, as it does."""
        url, body = self.bridge.base_url + request.raw_path, await request.read()
        async with self.http.request(
            request.method, url, data=body, headers=self._headers(request)
        ) as answer:
            passed = {k: v for k, v in answer.headers.items() if k.title() not in OF_ONE_CONNECTION}
            response = web.StreamResponse(status=answer.status, headers=passed)
            await response.prepare(request)
            async for chunk in answer.content.iter_any():
                await response.write(chunk)
                self.passed += chunk
            await response.write_eof()
            return response

    def _headers(self, request: web.Request) -> dict[str, str]:
        here, there = urlsplit(self.url).netloc, urlsplit(self.bridge.base_url).netloc
        headers = dict(request.headers)
        for name in (hdrs.HOST, hdrs.ORIGIN):
            if name in request.headers:
                headers[name] = request.headers[name].replace(here, there)
        return {**headers, hdrs.AUTHORIZATION: f"Bearer {self.bridge.key}"}


@asynccontextmanager
async def key_proxy(bridge: Bridge) -> AsyncGenerator[KeyProxy]:
    """A proxy on a free port."""
    app = web.Application()
    endless = aiohttp.ClientTimeout(total=None)
    async with aiohttp.ClientSession(auto_decompress=False, timeout=endless) as http:
        proxy = KeyProxy(bridge, http)
        app.router.add_route("*", "/{path:.*}", proxy.pass_on)
        async with serving(app, notices_hang_up=True, shutdown_s=0) as proxy.url:
            yield proxy
