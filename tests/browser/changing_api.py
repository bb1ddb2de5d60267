"""An API of the test's own whose document may change while it runs; pages of every origin may read it."""

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import hdrs, web

from tests.support.web_servers import for_every_page, serving
from toolserver.json_types import JsonObject


@dataclass
class ChangingApi:
    """Answers every path with what it was asked; `paths` are those of its document."""

    url: str
    paths: JsonObject
    asked: list[str] = field(default_factory=list[str])
    """Method, path and query of every request except those for the document."""
    document_answers: list[int] = field(default_factory=list[int])
    """Statuses with which requests for the document were answered: 304 for whoever has it by its ETag."""
    abandoned: list[str] = field(default_factory=list[str])
    """Those whose sender went away before they were answered."""
    release: asyncio.Event = field(default_factory=asyncio.Event)
    """Below `/endless` nothing is answered before this is set."""

    @property
    def text(self) -> str:
        """The document as it is now."""
        info: JsonObject = {"title": "Own API", "version": "1"}
        return json.dumps({"openapi": "3.1.0", "info": info, "servers": [{"url": "/"}], "paths": self.paths})


@asynccontextmanager
async def changing_api(paths: JsonObject) -> AsyncGenerator[ChangingApi]:
    """Listen on a free port of this machine; the document is at `/openapi.json`."""
    api = ChangingApi("", paths)

    def answer_document(request: web.Request) -> web.Response:
        etag = f'"{hashlib.sha256(api.text.encode()).hexdigest()}"'
        is_known = request.headers.get(hdrs.IF_NONE_MATCH) == etag
        api.document_answers.append(304 if is_known else 200)
        if is_known:
            return web.Response(status=304, headers={hdrs.ETAG: etag})
        return web.Response(text=api.text, content_type="application/json", headers={hdrs.ETAG: etag})

    async def answer(request: web.Request) -> web.Response:
        if request.path == "/openapi.json":
            return answer_document(request)
        asked = f"{request.method} {request.raw_path}"
        api.asked.append(asked)
        if request.path.startswith("/endless"):
            try:
                await api.release.wait()
            except asyncio.CancelledError:
                api.abandoned.append(asked)
                raise
        return web.json_response({"asked": asked})

    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", answer)
    async with serving(for_every_page(app), notices_hang_up=True) as api.url:
        yield api
