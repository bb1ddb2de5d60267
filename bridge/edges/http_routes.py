"""HTTP routes as a table: the same rows make the aiohttp router and our own OpenAPI document.

Also what handlers share: reading a body into a model, answering JSON, and the one error shape.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar

import orjson
from aiohttp import web
from pydantic import BaseModel, Field, ValidationError

from bridge.wire import HTTP_STATUS_OF, BridgeError, ErrorCode, WireError

MAX_BODY_BYTES = 40 * 1024 * 1024
"""Largest request body of any route: a document of 32 MiB inside JSON."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
ModelT = TypeVar("ModelT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a route, for the OpenAPI document."""

    description: str
    model: type[BaseModel] | None = None
    media_type: str = "application/json"
    """Where `model` is None: "" for no body."""


@dataclass(frozen=True, slots=True)
class Route:
    """One method of one path."""

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: str
    handler: Handler
    operation_id: str
    summary: str
    answers: Mapping[int, Answer]
    body: type[BaseModel] | None = None
    body_required: bool = True
    access: Literal["caller", "public", "result_token"] = "caller"
    """`caller`: a bearer API key or session token; `result_token`: the token that came with a call."""
    errors: tuple[ErrorCode, ...] = field(default=())
    query: tuple[str, ...] = field(default=())
    """Required query parameters."""


class ErrorBody(BaseModel):
    """Every failure of the bridge, on every route."""

    error: WireError


class EmptyObject(BaseModel):
    """A body without content."""


class Confirmation(BaseModel):
    """Done."""

    ok: bool = Field(default=True)


async def read_body(request: web.Request, model: type[ModelT]) -> ModelT:
    """The request's JSON body as a model.

    Raises:
        BridgeError: `invalid_request`, naming the field that is wrong; `too_large`.
    """
    try:
        return model.model_validate(orjson.loads(await request.read() or b"{}"))
    except web.HTTPRequestEntityTooLarge:
        message = f"The body exceeds {MAX_BODY_BYTES} bytes."
        raise BridgeError(ErrorCode.TOO_LARGE, message, detail={"limit_bytes": MAX_BODY_BYTES}) from None
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
    """An error with the status that its code has on HTTP."""
    return web.Response(
        body=error_bytes(error), status=HTTP_STATUS_OF[error.code], content_type="application/json"
    )


def error_bytes(error: WireError) -> bytes:
    """`{"error": {code, message, detail, retryable}}`."""
    return orjson.dumps({"error": error.model_dump(mode="json")})
