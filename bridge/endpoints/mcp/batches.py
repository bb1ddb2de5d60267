"""Batches of JSON-RPC, which servers of revision 2025-03-26 must take, and which later ones have no more.

The requests of a batch run together; their answers come as one array, in the order of the requests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import TypeAlias

import msgspec
import orjson
from aiohttp import web

from bridge.endpoints.mcp.answer import Answer, error_answer, refusal_bytes, run_and_answer
from bridge.endpoints.mcp.calls import McpCalls
from bridge.endpoints.mcp.headers import VERSION_HEADER
from bridge.endpoints.mcp.protocol import (
    CANCELLED,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    UNTOLD_VERSION,
    RequestId,
    RpcError,
    RpcMessage,
    read_message,
    result_bytes,
)
from bridge.errors import BridgeError
from bridge.http.access import caller_of
from toolserver.json_types import load_json, may_nest_deeply

MAX_BATCH_MESSAGES = 50
"""Maximum messages of a batch; chosen."""

_TEXTS = msgspec.json.Decoder(list[msgspec.Raw])

_Work: TypeAlias = Callable[[], Awaitable[Answer]]
ListTools: TypeAlias = "Callable[[web.Request, RpcMessage], Awaitable[bytes]]"


def read_batch(request: web.Request, body: bytes) -> list[bytes] | None:
    """Return the messages of a batch; None: the body is none, or its revision knows none.

    Raises:
        RpcError: `INVALID_REQUEST`: it is empty or too long.
    """
    if (
        not body.lstrip().startswith(b"[")
        or request.headers.get(VERSION_HEADER, UNTOLD_VERSION) != UNTOLD_VERSION
    ):
        return None
    try:
        if may_nest_deeply(body):
            load_json(body, orjson.loads)
        texts = [bytes(text) for text in _TEXTS.decode(body)]
    except ValueError:  # no JSON, as is said of any message
        return None
    if not 1 <= len(texts) <= MAX_BATCH_MESSAGES:
        raise RpcError(INVALID_REQUEST, f"A batch has 1 to {MAX_BATCH_MESSAGES} messages.")
    return texts


@dataclass(slots=True)
class _Batch:
    """A batch that is being read."""

    request: web.Request
    repeats: list[str] = field(default_factory=list[str])
    """Ids under which the delivery of its calls is noted."""
    has_list: bool = False


class McpBatches:
    """Answers batches."""

    def __init__(self, calls: McpCalls, list_tools: ListTools) -> None:
        """`list_tools`: returns the response with the list, as JSON."""
        self._calls = calls
        self._list_tools = list_tools

    async def answer_batch(self, request: web.Request, texts: list[bytes]) -> web.StreamResponse:
        """Run all requests of a batch, and write the array of their answers; 202 where there is none."""
        batch = _Batch(request)
        works = [work for text in texts if (work := await self._prepare(batch, text)) is not None]
        if not works:
            return web.Response(status=HTTPStatus.ACCEPTED)
        with self._calls.outlast_client(request, *batch.repeats):
            return await run_and_answer(request, _run_together(works), None, None, outlasts_client=True)

    async def _prepare(self, batch: _Batch, text: bytes) -> _Work | None:
        """Return what answers a message, whatever is wrong with it; None: it is a notification."""
        request_id: RequestId | None = None
        try:
            message = read_message(text)
            request_id = message.request_id
            if message.is_modern:
                raise RpcError(INVALID_REQUEST, "This version of MCP has no batches.")
            if request_id is None:
                if message.method == CANCELLED:
                    self._calls.cancel_call(caller_of(batch.request), message)
                return None
            if message.method == "tools/call":
                work, repeat = await self._calls.prepare_batched(batch.request, message)
                batch.repeats.append(repeat)
                return partial(_answer_refusal, work, request_id)
            return _answering(Answer(await self._answer_at_once(batch, message)))
        except RpcError as error:
            error.request_id = request_id if error.request_id is None else error.request_id
            return _answering(error_answer(error))
        except BridgeError as error:
            return _answering(Answer(refusal_bytes(request_id, error.error)))

    async def _answer_at_once(self, batch: _Batch, message: RpcMessage) -> bytes:
        if message.method == "tools/list":
            if batch.has_list:  # each may be megabytes, and all are held at once
                raise RpcError(INVALID_REQUEST, "A batch holds the list of tools once.")
            batch.has_list = True
            return await self._list_tools(batch.request, message)
        if message.method == "ping":
            return result_bytes(message.request_id, {})
        if message.method == "initialize":
            raise RpcError(INVALID_REQUEST, "initialize stands alone: no batch may hold it.")
        raise RpcError(METHOD_NOT_FOUND, f"The bridge has no method {message.method[:100]!r} in a batch.")


def _answering(answer: Answer) -> _Work:
    async def work() -> Answer:
        return answer

    return work


async def _answer_refusal(work: _Work, request_id: RequestId) -> Answer:
    """Return what `work` gives: what the bridge refuses to one call must not end the others."""
    try:
        return await work()
    except BridgeError as error:
        return Answer(refusal_bytes(request_id, error.error))


async def _run_together(works: list[_Work]) -> Answer:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_run(work)) for work in works]
    return Answer(b"[" + b",".join(task.result().body for task in tasks) + b"]")


async def _run(work: _Work) -> Answer:
    return await work()
