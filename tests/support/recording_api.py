"""An API that answers everything and remembers what it was sent; pages of every origin may call it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import hdrs, web

from tests.support.documents.original_server import Recorded
from tests.support.web_servers import serving


@dataclass
class RecordingApi:
    """`requests` in order of arrival; each answer names the place of its request there."""

    url: str = ""
    requests: list[Recorded] = field(default_factory=list[Recorded])
    documents: dict[str, str] = field(default_factory=dict[str, str])
    """Texts by the paths at which it serves them; who reads them is not remembered."""

    async def answer(self, request: web.Request) -> web.Response:
        """Preflights are answered and forgotten: an operation's own OPTIONS has no such header."""
        allowed = {
            "Access-Control-Allow-Origin": "*",
            "Access-Control-Allow-Methods": request.headers.get("Access-Control-Request-Method", "*"),
            "Access-Control-Allow-Headers": request.headers.get("Access-Control-Request-Headers", "*"),
        }
        if request.method == hdrs.METH_OPTIONS and "Access-Control-Request-Method" in request.headers:
            return web.Response(status=204, headers=allowed)
        if request.method == hdrs.METH_GET and (text := self.documents.get(request.path)) is not None:
            return web.Response(text=text, content_type="application/json", headers=allowed)
        headers = tuple((name, text) for name, text in request.headers.items())
        recorded = Recorded(request.method, request.raw_path, headers, await request.read())
        self.requests.append(recorded)
        return web.json_response({"recorded": len(self.requests) - 1}, headers=allowed)


@asynccontextmanager
async def run_recording_api() -> AsyncGenerator[RecordingApi]:
    """Listen on a free port of this machine."""
    recorder = RecordingApi()
    app = web.Application(client_max_size=16 * 1024 * 1024)
    app.router.add_route("*", "/{rest:.*}", recorder.answer)
    async with serving(app) as recorder.url:
        yield recorder
