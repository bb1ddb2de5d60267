"""HTTP routes as a table: the same rows make the aiohttp router and our own OpenAPI document.

Also what handlers share: reading a body into a model, answering JSON, and the one error shape.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from math import ceil
from typing import Literal, TypeAlias, TypeVar

import orjson
from aiohttp import hdrs, web
from pydantic import BaseModel, Field, ValidationError

from bridge.audit import AuditKind
from bridge.errors import HTTP_STATUS_OF, BridgeError, ErrorCode, WireError
from toolserver.json_types import dump_json

DOCUMENT_BODY_BYTES = 40 * 1024 * 1024
"""Largest body that carries a document: 32 MiB inside JSON."""

DECISION_BODY_BYTES = 4 * 1024 * 1024
"""Largest body that names operations: 20,000 of them with their digests."""

SMALL_BODY_BYTES = 64 * 1024
"""Largest body of every other route."""

BODY_SECONDS = 120.0
"""For a body to arrive; whoever sends it byte by byte does not hold a request open for ever."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Access: TypeAlias = Literal["caller", "reader", "page", "result_token", "public"]
"""Who may use a route.

`caller`: whoever shows an API key or a session token. `reader`: likewise, and a forwarder need not name a
user. `page`: a session token, for what a person decides. `result_token`: the token that came with a call,
read by the handler. `public`: anybody, also whoever follows a signed link.
"""

ModelT = TypeVar("ModelT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class RouteAnswer:
    """One answer of a route, for the OpenAPI document."""

    description: str
    model: type[BaseModel] | None = None
    media_type: str = "application/json"
    """Where `model` is None: "" for no body."""


@dataclass(frozen=True, slots=True)
class Route:
    """One method of one path, and who may use it."""

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: str
    handler: Handler
    access: Access = field(default="caller", kw_only=True)
    answers_head: bool = field(default=False, kw_only=True)
    """`HEAD` is answered as well, as whoever fetches documents and pages expects of their addresses."""


@dataclass(frozen=True, slots=True)
class ApiRoute(Route):
    """A route of the API that the page and the commands use, with what its document says of it."""

    operation_id: str
    summary: str
    answers: Mapping[int, RouteAnswer]
    body: type[BaseModel] | None = None
    body_required: bool = True
    errors: tuple[ErrorCode, ...] = field(default=())
    audited: AuditKind | None = None
    """What the audit log says when it succeeded; see `tell_audit`."""
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    """Optional query parameters: name to meaning."""


class ErrorBody(BaseModel):
    """Every failure of the bridge, on every route."""

    error: WireError


class EmptyObject(BaseModel):
    """A body without content."""


class Confirmation(BaseModel):
    """Done."""

    ok: bool = Field(default=True)


def address_of(request: web.Request) -> str:
    """Where a request comes from. Behind a proxy that is the proxy: what it says of others can be made up."""
    return request.remote or ""


@asynccontextmanager
async def body_in_time() -> AsyncGenerator[None]:
    """Read a body within `BODY_SECONDS`.

    Raises:
        BridgeError: `invalid_request`: it took longer.
    """
    try:
        async with asyncio.timeout(BODY_SECONDS):
            yield
    except TimeoutError:
        message = f"The body did not arrive within {BODY_SECONDS:g} s."
        raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"limit_s": BODY_SECONDS}) from None


async def read_body(
    request: web.Request, model: type[ModelT], *, max_bytes: int = SMALL_BODY_BYTES
) -> ModelT:
    """The request's JSON body as a model; a longer body than `max_bytes` is not read.

    Raises:
        BridgeError: `invalid_request`, naming the field that is wrong; `too_large`.
    """
    try:
        async with body_in_time():
            body = await request.clone(client_max_size=max_bytes).read()
        return model.model_validate(orjson.loads(body or b"{}"))
    except web.HTTPRequestEntityTooLarge:
        message = f"The body exceeds {max_bytes} bytes."
        raise BridgeError(ErrorCode.TOO_LARGE, message, detail={"limit_bytes": max_bytes}) from None
    except orjson.JSONDecodeError as error:
        raise BridgeError(ErrorCode.INVALID_REQUEST, f"The body is not JSON: {error}.") from None
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(str(part) for part in problem["loc"]) or "body"
        raise BridgeError(
            ErrorCode.INVALID_REQUEST, f"{where}: {problem['msg']}.", detail={"field": where}
        ) from None


def json_answer(model: BaseModel, *, status: int = 200) -> web.Response:
    """A model as a JSON response."""
    return web.Response(
        body=model.model_dump_json(exclude_none=False), status=status, content_type="application/json"
    )


def error_answer(error: WireError) -> web.Response:
    """An error with the status that its code has on HTTP, and with `Retry-After` where it says when."""
    wait = error.detail.get("retry_after_s")
    headers = {hdrs.RETRY_AFTER: str(ceil(wait))} if isinstance(wait, int | float) else None
    return web.Response(
        body=error_bytes(error),
        status=HTTP_STATUS_OF[error.code],
        content_type="application/json",
        headers=headers,
    )


def error_bytes(error: WireError) -> bytes:
    """`{"error": {code, message, detail, retryable}}`; integers in an API's body keep their digits."""
    return dump_json({"error": error.model_dump(mode="json")})
