"""Request bodies, read within limits of time and size and validated as models."""

from __future__ import annotations

import asyncio
from typing import TypeVar

import orjson
from aiohttp import StreamReader, web
from pydantic import BaseModel, ValidationError

from bridge.errors import BridgeError, ErrorCode
from bridge.http.routing import timings_of
from bridge.tasks import yield_to_loop
from toolserver.json_types import NestedTooDeeply, load_json

DOCUMENT_BODY_BYTES = 40 * 1024 * 1024
"""Maximum bytes of a body that carries a document: 32 MiB inside JSON."""

DECISION_BODY_BYTES = 4 * 1024 * 1024
"""Maximum bytes of a body that names operations: 20,000 of them with their digests."""

SMALL_BODY_BYTES = 64 * 1024
"""Maximum bytes of a body of every other route."""

ModelT = TypeVar("ModelT", bound=BaseModel)


_ARRIVED = web.RequestKey("arrived", bytes)


def take_arrived(request: web.Request, max_bytes: int) -> bytes | None:
    """Return the body of a request if it has one, all of it is here, and it is at most `max_bytes` long.

    `read_limited` returns it again; who reads `request.content` finds nothing.
    """
    if (arrived := request.get(_ARRIVED)) is not None:
        return arrived
    length = request.content_length
    if not length or length > max_bytes or not request.content.is_eof():
        return None
    body = request[_ARRIVED] = request.content.read_nowait()
    return body


async def read_limited(request: web.Request, max_bytes: int, *, what: str = "body") -> bytes:
    """Return the body of a request; one longer than `max_bytes` is not read to its end.

    `what`: its name in errors.

    Raises:
        BridgeError: `too_large`; `invalid_request`: it took longer than `Timings.body_s`.
    """
    content = request.content
    if content.is_eof():  # it came with its header, as nearly all do: there is nothing to wait for
        body = content.read_nowait() or request.get(_ARRIVED, b"")
    else:
        body = await _read_in_time(content, max_bytes, what, timings_of(request).body_s)
    if len(body) > max_bytes:
        message = f"The {what} may have at most {max_bytes} bytes."
        raise BridgeError(ErrorCode.TOO_LARGE, message, detail={"limit_bytes": max_bytes})
    return body


async def _read_in_time(content: StreamReader, max_bytes: int, what: str, within_s: float) -> bytes:
    body = bytearray()
    try:
        async with asyncio.timeout(within_s):
            while len(body) <= max_bytes and (more := await content.readany()):
                body += more
    except TimeoutError:
        message = f"The {what} did not arrive within {within_s:g} s."
        raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"limit_s": within_s}) from None
    return bytes(body)


async def read_body(
    request: web.Request, model: type[ModelT], *, max_bytes: int = SMALL_BODY_BYTES
) -> ModelT:
    """Return the JSON body of a request as a model.

    Raises:
        BridgeError: `invalid_request`, naming the field that is wrong; as `read_limited`.
    """
    body = await read_limited(request, max_bytes)
    if len(body) > SMALL_BODY_BYTES:
        await yield_to_loop()
    return parse_body(model, body)


def parse_body(model: type[ModelT], body: bytes) -> ModelT:
    """Return a JSON body as a model.

    Raises:
        BridgeError: `invalid_request`, naming the field that is wrong.
    """
    try:
        members = load_json(body or b"{}", orjson.loads)
    except NestedTooDeeply as error:
        raise BridgeError(ErrorCode.INVALID_REQUEST, f"The body cannot be read: {error}.") from None
    except ValueError as error:
        raise BridgeError(ErrorCode.INVALID_REQUEST, f"The body is not JSON: {error}.") from None
    return validate_members(model, members)


def validate_members(model: type[ModelT], members: object) -> ModelT:
    """Return the parsed body of a request as a model.

    Raises:
        BridgeError: `invalid_request`, naming the field that is wrong.
    """
    try:
        return model.model_validate(members)
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(str(part) for part in problem["loc"]) or "body"
        raise BridgeError(
            ErrorCode.INVALID_REQUEST, f"{where}: {problem['msg']}.", detail={"field": where}
        ) from None
