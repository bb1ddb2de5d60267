"""The odd answers of `documents/answers.yaml`; `transport_api` has those that travel oddly."""

import json

from aiohttp import web

from .media import draw_png, sing_wav
from .problem import ApiProblem, problem_response
from .reading import read_choice, read_integer, read_text

_RETRY_LATER = (429, 503)
_FAILURES = ("400", "401", "403", "409", "422", "429", "500", "502", "503")
_SENTENCE = "The café closes at five; the façade stays lit.\n"
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Harbor news</title></head>
<body>
<h1>Harbor news</h1>
<p>The ferry runs again. <a href="/answers/text">More</a></p>
<script>document.title = "A script that nobody should run";</script>
</body>
</html>
"""
_WIDGET = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Tide</title>
<style>meter { width: 100% }</style></head>
<body><label>Tide <meter min="0" max="4" value="2.6">2.6 m</meter></label></body>
</html>
"""
_JSON = {
    "null": "null",
    "array": '[{"id": 1}, {"id": 2}]',
    "number": "42.5",
    "text": '"just a text"',
    "true": "true",
    "object": '{"id": 1, "name": "an object"}',
}
_BIG_INTEGERS = (
    '{"beyond_double": 9007199254740993, "beyond_64_bits": 123456789012345678901234567890, '
    '"negative": -9007199254740995}'
)


async def _get_nothing(_request: web.Request) -> web.Response:
    return web.Response(status=204)


async def _get_empty(_request: web.Request) -> web.Response:
    return web.Response(status=200)


async def _get_missing(_request: web.Request) -> web.Response:
    raise ApiProblem(404, "Shelf 7 was taken down last year.")


async def _get_failure(request: web.Request) -> web.Response:
    status = int(read_choice(read_text(request, "status", "500"), "status", _FAILURES))
    headers = {"Retry-After": "1"} if status in _RETRY_LATER else {}
    return problem_response(status, f"You asked for a {status}.", headers=headers)


async def _get_large(request: web.Request) -> web.Response:
    size = read_integer(request, "bytes", 2**20, 32, 100 * 2**20)
    kind = read_choice(read_text(request, "kind", "json"), "kind", ("json", "text", "binary"))
    if kind == "binary":
        return web.Response(body=bytes(range(256)) * (size // 256) + bytes(size % 256))
    if kind == "text":
        line = "All work and no play makes a long text.\n"
        return web.Response(text=(line * (size // len(line) + 1))[:size])
    frame = len('{"filler":""}')
    return web.Response(text=f'{{"filler":"{"x" * (size - frame)}"}}', content_type="application/json")


async def _get_picture(_request: web.Request) -> web.Response:
    return web.Response(body=draw_png((200, 60, 60)), content_type="image/png")


async def _get_recording(_request: web.Request) -> web.Response:
    return web.Response(body=sing_wav(), content_type="audio/wav")


async def _get_download(_request: web.Request) -> web.Response:
    headers = {"Content-Disposition": 'attachment; filename="bytes.bin"'}
    return web.Response(body=bytes(range(256)), content_type="application/octet-stream", headers=headers)


async def _get_page(_request: web.Request) -> web.Response:
    return web.Response(text=_PAGE, content_type="text/html")


async def _get_widget(_request: web.Request) -> web.Response:
    return web.Response(text=_WIDGET, content_type="text/html", headers={"Content-Disposition": "inline"})


async def _get_text(request: web.Request) -> web.Response:
    charset = read_choice(read_text(request, "charset", "utf-8"), "charset", ("utf-8", "iso-8859-1"))
    return web.Response(body=_SENTENCE.encode(charset), content_type="text/plain", charset=charset)


async def _get_lines(_request: web.Request) -> web.Response:
    lines = "".join(json.dumps({"line": number}) + "\n" for number in (1, 2, 3))
    return web.Response(text=lines, content_type="application/x-ndjson")


async def _get_json(request: web.Request) -> web.Response:
    kind = request.match_info["kind"]
    if kind not in _JSON:
        raise ApiProblem(404, f"There is no {kind} here.")
    return web.Response(text=_JSON[kind], content_type="application/json")


async def _get_big_integers(_request: web.Request) -> web.Response:
    return web.Response(text=_BIG_INTEGERS, content_type="application/json")


async def _get_not_json(_request: web.Request) -> web.Response:
    return web.Response(text="<html>Our JSON is on holiday.</html>", content_type="application/json")


def answers_routes() -> list[web.RouteDef]:
    """The operations of the document that answer at once, below `/answers`."""
    return [
        web.get("/answers/nothing", _get_nothing),
        web.get("/answers/empty", _get_empty),
        web.get("/answers/missing", _get_missing),
        web.get("/answers/failure", _get_failure),
        web.get("/answers/large", _get_large),
        web.get("/answers/picture", _get_picture),
        web.get("/answers/recording", _get_recording),
        web.get("/answers/download", _get_download),
        web.get("/answers/page", _get_page),
        web.get("/answers/widget", _get_widget),
        web.get("/answers/text", _get_text),
        web.get("/answers/lines", _get_lines),
        web.get("/answers/json/{kind}", _get_json),
        web.get("/answers/big-integers", _get_big_integers),
        web.get("/answers/not-json", _get_not_json),
    ]
