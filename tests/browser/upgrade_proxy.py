"""A proxy before the bridge that passes requests and no WebSocket, as many do as they are installed."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import aiohttp
from aiohttp import hdrs, web
from multidict import CIMultiDict

HOP_BY_HOP = (hdrs.CONNECTION, hdrs.UPGRADE, hdrs.TRANSFER_ENCODING, hdrs.CONTENT_LENGTH)


@asynccontextmanager
async def proxy_without_upgrades() -> AsyncGenerator["DeafProxy"]:
    """Listens on a free port; where it leads may become known later."""
    async with aiohttp.ClientSession(auto_decompress=False) as http:
        proxy = DeafProxy(http)
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_route("*", "/{path:.*}", proxy.pass_on)
        runner = web.AppRunner(app, shutdown_timeout=1, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        proxy.port = runner.addresses[0][1]
        try:
            yield proxy
        finally:
            await runner.cleanup()


class DeafProxy:
    """Passes on method, address, headers and body, as nginx's `proxy_pass` does."""

    def __init__(self, http: aiohttp.ClientSession) -> None:
        self._http = http
        self.port = 0
        self.target_port = 0
        self.upgrades = 0
        """Those that were asked for, and went on as plain requests."""

    @property
    def url(self) -> str:
        """The canonical address of what is behind it."""
        return f"http://127.0.0.1:{self.port}"

    async def pass_on(self, request: web.Request) -> web.StreamResponse:
        """Answer what is behind it."""
        self.upgrades += hdrs.UPGRADE in request.headers
        target = f"http://127.0.0.1:{self.target_port}{request.raw_path}"
        asked = CIMultiDict(
            (name, value) for name, value in request.headers.items() if name not in HOP_BY_HOP
        )
        body = await request.read()
        async with self._http.request(
            request.method, target, headers=asked, data=body, allow_redirects=False
        ) as answer:
            headers = CIMultiDict((n, v) for n, v in answer.headers.items() if n not in HOP_BY_HOP)
            return web.Response(status=answer.status, headers=headers, body=await answer.read())
