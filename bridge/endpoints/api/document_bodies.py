"""Request bodies that carry documents: their long texts are parsed in the process that reads documents."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from aiohttp import web
from pydantic import BaseModel

from bridge.documents.bodies import SplitBody
from bridge.http.body import DOCUMENT_BODY_BYTES, SMALL_BODY_BYTES, parse_body, read_limited, validate_members

SplitBodyOf = Callable[[bytes], Awaitable[SplitBody]]
"""Splits a body; raises BridgeError `invalid_request` or `invalid_document`."""

ModelT = TypeVar("ModelT", bound=BaseModel)


async def read_document_body(request: web.Request, model: type[ModelT], split: SplitBodyOf) -> ModelT:
    """Return the JSON body of a request as a model whose texts may be as long as a document.

    Raises:
        BridgeError: `invalid_request`, `too_large`, `invalid_document`.
    """
    content = await read_limited(request, DOCUMENT_BODY_BYTES)
    if len(content) <= SMALL_BODY_BYTES:
        return parse_body(model, content)
    body = await split(content)
    read = validate_members(model, body.members)
    return read.model_copy(update={name: body.whole(value) for name, value in read})
