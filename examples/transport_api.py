"""The operations of `documents/answers.yaml` whose answers travel oddly.

They come late, in pieces, compressed, from elsewhere, not at all, or without leave for pages to read them.
"""

import asyncio
import gzip
import json

from aiohttp import web
from yarl import URL

from .reading import read_choice, read_number, read_object, read_text

CLOSING = web.AppKey("closing", asyncio.Event)
"""Set when the server stops, so that no slow answer holds it up."""

_NOTE_SCHEMA = "/paths/~1slow/post/requestBody/content/application~1json/schema"
_READING_SCHEMA = "/paths/~1readings/post/requestBody/content/application~1json/schema"
_ANNOUNCED_BYTES = 1000


async def _pause(request: web.Request, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await request.app[CLOSING].wait()
    except TimeoutError:
        return


async def _get_slow(request: web.Request) -> web.Response:
    seconds = read_number(request, "seconds", 3, 0, 300)
    await _pause(request, seconds)
    return web.json_response({"waited_seconds": seconds})


async def _write_slowly(request: web.Request) -> web.Response:
    seconds = read_number(request, "seconds", 3, 0, 300)
    body = await read_object(request, "answers.yaml", _NOTE_SCHEMA) if request.can_read_body else {}
    await _pause(request, seconds)
    return web.json_response({"waited_seconds": seconds, "note": body.get("note")})


async def _get_trickle(request: web.Request) -> web.StreamResponse:
    lines = int(read_number(request, "lines", 3, 1, 100))
    seconds = read_number(request, "pause", 0.2, 0, 10)
    response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
    await response.prepare(request)
    for number in range(1, lines + 1):
        if number > 1:
            await _pause(request, seconds)
        await response.write(json.dumps({"line": number}).encode() + b"\n")
    await response.write_eof()
    return response


async def _get_interrupted(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/plain"})
    response.content_length = _ANNOUNCED_BYTES
    await response.prepare(request)
    await response.write(b"This sentence has a beginning, but")
    if request.transport is not None:
        request.transport.close()
    return response


async def _get_compressed(_request: web.Request) -> web.Response:
    body = gzip.compress(b'{"compressed": "' + b"again and " * 100 + b'again"}', mtime=0)
    return web.Response(body=body, content_type="application/json", headers={"Content-Encoding": "gzip"})


async def _get_redirect(request: web.Request) -> web.Response:
    target = read_choice(
        read_text(request, "target", "same-origin"), "target", ("same-origin", "other-origin")
    )
    place = URL("/answers/text")
    if target == "other-origin":
        own = request.url.origin()
        place = own.with_host("localhost" if own.host == "127.0.0.1" else "127.0.0.1").join(place)
    return web.Response(status=302, headers={"Location": str(place)})


async def _get_unreadable(_request: web.Request) -> web.Response:
    return web.json_response({"value": 4.2})


async def _post_unreadable(request: web.Request) -> web.Response:
    body = await read_object(request, "answers.yaml", _READING_SCHEMA)
    return web.json_response({"value": body.get("value", 0)})


async def _post_unreadable_text(request: web.Request) -> web.Response:
    return web.json_response({"value": len(await request.text())})


def transport_routes() -> list[web.RouteDef]:
    """The rest of the document's operations, below `/answers` and `/nocors`."""
    return [
        web.get("/answers/slow", _get_slow),
        web.post("/answers/slow", _write_slowly),
        web.get("/answers/trickle", _get_trickle),
        web.get("/answers/interrupted", _get_interrupted),
        web.get("/answers/compressed", _get_compressed),
        web.get("/answers/redirect", _get_redirect),
        web.get("/nocors/readings", _get_unreadable),
        web.post("/nocors/readings", _post_unreadable),
        web.post("/nocors/notes", _post_unreadable_text),
    ]
