"""The mirror of `documents/mirror.yaml`: whatever arrives below `/echo` is shown exactly as it arrived."""

import base64

from aiohttp import web

from .document_files import JsonObject


async def show_request(request: web.Request) -> web.Response:
    """The request line and the body before any decoding; headers with lower-case names."""
    path, _, query = request.raw_path.partition("?")
    content = await request.read()
    try:
        body, encoding = content.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        body, encoding = base64.b64encode(content).decode("ascii"), "base64"
    headers: JsonObject = {name.lower(): ", ".join(request.headers.getall(name)) for name in request.headers}
    return web.json_response(
        {
            "method": request.method,
            "path": path,
            "query": query,
            "headers": headers,
            "body": body,
            "body_encoding": encoding,
        }
    )


def echo_routes() -> list[web.RouteDef]:
    """Any method, `/echo` and everything below it."""
    return [web.route("*", "/echo", show_request), web.route("*", "/echo/{rest:.*}", show_request)]
