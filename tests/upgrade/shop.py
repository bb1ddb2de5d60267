"""The API that the documents of the snapshot describe, and how a Chromium finds it.

The snapshot names it `http://shop.test`, without a port. Chromium is told that this host is a port of this
machine, so that no port is written down and several runs do not meet.
"""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.support.web_servers import for_every_page, serving

HOST = "shop.test"
ORIGIN = f"http://{HOST}"
KEY_HEADER, BASKET_HEADER = "X-Shop-Key", "X-Basket"


@dataclass
class ShopApi:
    """Answers who shows the key; remembers what it was asked."""

    key: str
    port: int = 0
    asked: list[tuple[str, str, Any]] = field(default_factory=list[tuple[str, str, Any]])
    """Method, path and body of each request that showed the key."""
    texts: dict[str, str] = field(default_factory=dict[str, str])
    """Documents by path; everybody may read them."""
    fetched: list[str] = field(default_factory=list[str])
    """The paths of those that were read."""
    baskets: list[str] = field(default_factory=list[str])
    """What each of them had in a header that its user adds to every request."""

    @property
    def chromium_rule(self) -> str:
        """The argument by which Chromium finds it."""
        return f"--host-resolver-rules=MAP {HOST}:80 127.0.0.1:{self.port}"

    async def answer(self, request: web.Request) -> web.Response:
        if request.method == "OPTIONS":
            return web.Response(status=204)
        if request.path in self.texts:
            self.fetched.append(request.path)
            return web.Response(text=self.texts[request.path], content_type="application/json")
        if request.headers.get(KEY_HEADER) != self.key:
            return web.json_response({"title": "The shop wants its key."}, status=401)
        self.baskets.append(request.headers.get(BASKET_HEADER, ""))
        text = await request.text()
        self.asked.append((request.method, request.path, json.loads(text) if text else None))
        return web.json_response({"products": ["tea"]}, status=200 if request.method == "GET" else 201)


@asynccontextmanager
async def shop_api(key: str, texts: dict[str, str]) -> AsyncGenerator[ShopApi]:
    """The API, while it listens on a free port of this machine."""
    shop = ShopApi(key, texts=texts)
    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", shop.answer)
    async with serving(for_every_page(app)) as url:
        shop.port = int(url.rpartition(":")[2])
        yield shop
