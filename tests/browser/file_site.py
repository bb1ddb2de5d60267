"""Origins of the test's own that serve texts, which may change while they run."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

from tests.support.web_servers import serving


@dataclass
class FileSite:
    """One origin: texts by path. Every page may read them, but for those in `closed`."""

    url: str = ""
    texts: dict[str, str] = field(default_factory=dict[str, str])
    closed: set[str] = field(default_factory=set[str])
    asked: list[str] = field(default_factory=list[str])


@asynccontextmanager
async def file_site(**texts: str) -> AsyncGenerator[FileSite]:
    """Listens on a free port of this machine; `pets="…"` is at `/pets.yaml`."""
    site = FileSite(texts={f"/{name}.yaml": text for name, text in texts.items()})

    async def answer(request: web.Request) -> web.Response:
        site.asked.append(request.path)
        allowed = {} if request.path in site.closed else {"Access-Control-Allow-Origin": "*"}
        if request.path not in site.texts:
            return web.Response(status=404, headers=allowed)
        return web.Response(text=site.texts[request.path], headers=allowed)

    app = web.Application()
    app.router.add_get("/{rest:.*}", answer)
    async with serving(app) as site.url:
        yield site
