"""The table of HTTP routes: the same rows build the aiohttp router and the bridge's OpenAPI document.

Also what handlers share: JSON responses, and the single error shape.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Literal, TypeAlias

from aiohttp import hdrs, web
from pydantic import BaseModel, ConfigDict, Field

from bridge.audit import AuditKind
from bridge.errors import ErrorCode, WireError
from bridge.http.client_address import FORWARDED_HEADER, find_client, limit_key
from bridge.http.relayed import relayed_of
from bridge.settings.network import ProxyNetwork
from bridge.timings import USUAL_TIMINGS, Timings
from toolserver.json_types import JsonObject, dump_json

WORTH_COMPRESSING = 1024
"""Bytes from which an answer is compressed; less than that is one packet anyway."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Method: TypeAlias = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
Access: TypeAlias = Literal["caller", "reader", "page", "mcp", "monitor", "result_token", "public"]
"""The access levels of routes.

`caller`: whoever shows an API key or a session token. `reader`: likewise, and a forwarder need not name a
user. `page`: a session token, for what a person decides. `mcp`: like `reader`, or an access token for the MCP
endpoint, where OAuth is set up. `monitor`: the token for metrics or a key of
the operator, read by the handler; every replica answers for itself. `result_token`: the token that came with
a call, read by the handler. `public`: anybody, also whoever follows a signed link.
"""


class ApiModel(BaseModel):
    """A body of a request or an answer. Its validator is built when the first one comes, not at the start."""

    model_config = ConfigDict(defer_build=True)


@dataclass(frozen=True, slots=True)
class RouteAnswer:
    """A response of a route, for the OpenAPI document."""

    description: str
    model: type[BaseModel] | None = None
    media_type: str = "application/json"
    """Media type where `model` is None; "" for no body."""


@dataclass(frozen=True, slots=True)
class Route:
    """A method of a path, and who may use it."""

    method: Method
    path: str
    handler: Handler
    access: Access = field(default="caller", kw_only=True)
    answers_head: bool = field(default=False, kw_only=True)
    """Whether `HEAD` is answered as well, as clients that fetch documents and pages expect."""


@dataclass(frozen=True, slots=True)
class ApiRoute(Route):
    """A route of the page's and commands' API, with its OpenAPI description."""

    operation_id: str
    summary: str
    answers: Mapping[int, RouteAnswer]
    body: type[BaseModel] | None = None
    body_required: bool = True
    errors: tuple[ErrorCode, ...] = field(default=())
    audited: AuditKind | None = None
    """Kind of the audit entry for each success; see `set_audit_detail`."""
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    """Optional query parameters: name to meaning."""


class ErrorBody(ApiModel):
    """The body of every error of the bridge, on every route."""

    error: WireError


class Confirmation(ApiModel):
    """Done."""

    ok: bool = Field(default=True)


TRUSTED_PROXIES = web.AppKey("trusted_proxies", Sequence[ProxyNetwork])
"""The proxies that may tell from where somebody came."""

SERVES_MODELS = web.AppKey("serves_models", bool)
"""Whether the bridge has a model API."""

NO_MODELS = "This bridge was started without models (--no-models): it has tools alone."

TIMINGS = web.AppKey("timings", Timings)
"""How long the bridge waits."""


def timings_of(request: web.Request) -> Timings:
    """Return how long the bridge waits that answers a request."""
    return request.app.get(TIMINGS, USUAL_TIMINGS)


def address_of(request: web.Request) -> str:
    """Return the address of the client; behind a proxy that is not trusted, the proxy's.

    Of a request that another replica passed on: what that replica found.
    """
    relayed = relayed_of(request)
    if relayed is not None:
        return relayed.address
    peer, proxies = request.remote or "", request.app.get(TRUSTED_PROXIES, ())
    return find_client(peer, request.headers.getall(FORWARDED_HEADER, ()), proxies) if proxies else peer


def limit_key_of(request: web.Request) -> str:
    """Return under which name to count what a client tries that has shown no right to it."""
    return limit_key(address_of(request))


def json_answer(model: BaseModel, *, status: int = 200) -> web.Response:
    """Return a model as a JSON response."""
    return web.Response(
        body=model.model_dump_json(exclude_none=False), status=status, content_type="application/json"
    )


def compressed(answer: web.Response) -> web.Response:
    """Let a long answer be compressed for clients that take it; only for lists that hold no secret."""
    if not isinstance(answer.body, bytes) or len(answer.body) >= WORTH_COMPRESSING:
        answer.enable_compression()
    return answer


def json_response(value: JsonObject, *, status: int = 200) -> web.Response:
    """Return a JSON object as a response; integers keep their digits."""
    return web.Response(body=dump_json(value), status=status, content_type="application/json")


def error_answer(error: WireError) -> web.Response:
    """Return the response for an error: the status of its code, and `Retry-After` where a time is known."""
    wait = error.detail.get("retry_after_s")
    headers = {hdrs.RETRY_AFTER: str(ceil(wait))} if isinstance(wait, int | float) else None
    return web.Response(
        body=error_bytes(error),
        status=error.code.facts.http_status,
        content_type="application/json",
        headers=headers,
    )


def error_bytes(error: WireError) -> bytes:
    """`{"error": {code, message, detail, retryable}}`; integers in an API's body keep their digits."""
    return dump_json({"error": error.model_dump(mode="json")})
