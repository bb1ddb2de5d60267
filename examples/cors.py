"""CORS for the sample API: every page of the allowed origins may call it, except below `/nocors`.

The rules are those of the Fetch standard (https://fetch.spec.whatwg.org/#http-cors-protocol). Requests never
carry cookies, so credentials are not allowed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from aiohttp import web
from aiohttp.typedefs import Handler

Origins = Literal["*"] | Sequence[str]


@dataclass(frozen=True, slots=True)
class CorsPolicy:
    """Which pages may read answers."""

    allow_origins: Origins
    """`"*"`: pages of every origin."""


CORS_POLICY = web.AppKey("cors_policy", CorsPolicy)

_MAX_AGE_S = 600
_UNREADABLE = "/nocors/"
_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
_ALWAYS_EXPOSED = frozenset(
    {
        "cache-control",
        "content-language",
        "content-length",
        "content-type",
        "expires",
        "last-modified",
        "pragma",
    }
)


@web.middleware
async def answer_preflights(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer a browser's question whether it may send; an OPTIONS request that is none passes on."""
    asks = request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers
    if not asks or request.path.startswith(_UNREADABLE):
        return await handler(request)
    headers = {"Access-Control-Allow-Methods": _METHODS, "Access-Control-Max-Age": str(_MAX_AGE_S)}
    if wanted := request.headers.get("Access-Control-Request-Headers"):
        headers["Access-Control-Allow-Headers"] = wanted
    if request.headers.get("Access-Control-Request-Private-Network") == "true":
        headers["Access-Control-Allow-Private-Network"] = "true"
    return web.Response(status=204, headers=headers)


async def allow_reading(request: web.Request, response: web.StreamResponse) -> None:
    """Signal handler that marks every answer, streamed ones and errors too, just before it is sent."""
    if request.path.startswith(_UNREADABLE):
        return
    allowed = request.app[CORS_POLICY].allow_origins
    origin = request.headers.get("Origin")
    if allowed == "*":
        response.headers["Access-Control-Allow-Origin"] = "*"
    else:
        response.headers["Vary"] = "Origin"
        if origin is None or origin not in allowed:
            return
        response.headers["Access-Control-Allow-Origin"] = origin
    own = {name.lower() for name in response.headers if not name.lower().startswith("access-control-")}
    if exposed := sorted(own - _ALWAYS_EXPOSED):
        response.headers["Access-Control-Expose-Headers"] = ", ".join(exposed)
