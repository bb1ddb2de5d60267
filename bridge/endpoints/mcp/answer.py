"""The answer to one request: a JSON body, or a stream once the request takes long.

A stream is opened lazily. Where a client gave a progress token it is told in words what its call waits for;
other lines are kept alive by comments, and those of clients that read no streams by white space.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any

from aiohttp import hdrs, web

from bridge.endpoints.mcp.progress import CallProgress
from bridge.endpoints.mcp.protocol import RequestId, RpcError, error_bytes, event_frame, of_wire
from bridge.errors import WireError
from bridge.http.long_lists import MAX_AT_ONCE_BYTES, body_of
from bridge.http.program_answers import AnswerHead, ProgramAnswer
from bridge.http.routing import timings_of
from bridge.http.streaming import event_stream, run_kept_alive
from bridge.tasks import run_with_companion, yield_to_loop
from toolserver.value_object import value_object

_HEAD = AnswerHead({hdrs.CONTENT_TYPE: "application/json", hdrs.CACHE_CONTROL: "no-store"})

SSE_TYPE = "text/event-stream"

_OK = HTTPStatus.OK.value


@value_object
class Answer:
    """A JSON-RPC response, and the HTTP status with which it is sent if no stream has been opened."""

    body: bytes
    status: int = 200


def error_answer(error: RpcError) -> Answer:
    """Return the answer for an error."""
    return Answer(error_bytes(error), error.status)


def reads_streams(request: web.Request) -> bool:
    """Whether the client takes an event stream."""
    accepted = request.headers.get(hdrs.ACCEPT, "*/*")
    return SSE_TYPE in accepted or "*/*" in accepted


def http_response(answer: Answer, further: Mapping[str, str] | None = None) -> web.Response:
    """Return the HTTP response, with further headers; no one may cache it."""
    if answer.status == _OK and not further:
        return ProgramAnswer(answer.body, _HEAD)
    return web.Response(body=answer.body, status=answer.status, headers={**_HEAD.headers, **(further or {})})


async def answer_list(content: bytes) -> web.Response:
    """Return the HTTP response with a list; one of megabytes is sent in slices."""
    if len(content) <= MAX_AT_ONCE_BYTES:
        return http_response(Answer(content))
    await yield_to_loop()  # to write such a list has taken milliseconds, too
    return web.Response(body=body_of(content), headers=_HEAD.headers)


async def run_and_answer(
    request: web.Request,
    work: Coroutine[Any, Any, Answer],
    progress: CallProgress | None,
    request_id: RequestId | None,
    *,
    outlasts_client: bool = False,
) -> web.StreamResponse:
    """Run `work`, and write the answer that it gives to its last byte.

    `progress`: None if nobody notes what becomes of it. `request_id`: of the message that is answered.
    A client that is gone when a line is kept open cancels the work, unless it `outlasts_client`.

    Raises:
        ConnectionError: the client was gone before the last byte was written.
    """
    if not reads_streams(request):
        answer, begun = await run_kept_alive(
            request,
            work,
            outlasts_client=outlasts_client,
            describe_failure=partial(refusal_bytes, request_id),
        )
        return await write_whole(request, answer) if begun is None else await _end(begun, answer)

    stream = partial(_stream_answer, request, progress, request_id)
    timings = timings_of(request)
    silence_s = timings.keep_alive_s if progress is None or progress.token is None else timings.told_after_s
    answer, streamed = await run_with_companion(work, stream, silence_s, ends_work=not outlasts_client)
    return await write_whole(request, answer) if streamed is None else streamed


def refusal_bytes(request_id: RequestId | None, error: WireError) -> bytes:
    """Return the answer to a request that the bridge itself refuses or ends."""
    failure = of_wire(error)
    failure.request_id = request_id
    return error_bytes(failure)


def refusal_event(request_id: RequestId | None, error: WireError) -> bytes:
    """Return that answer as the last event of a stream."""
    return event_frame(refusal_bytes(request_id, error))


async def _stream_answer(
    request: web.Request,
    progress: CallProgress | None,
    request_id: RequestId | None,
    running: asyncio.Future[Answer],
) -> web.StreamResponse:
    progress = progress or CallProgress(None)
    running.add_done_callback(progress.wake)
    stream_of = event_stream(
        request,
        {},
        silence=progress.take_frame,
        describe_failure=partial(refusal_event, request_id),
    )
    async with stream_of as stream:
        while not running.done():
            seen = progress.news
            await stream.send_frames(progress.take_frame())
            await progress.wait_for_news(seen)
        await stream.send_frames(event_frame(running.result().body))
    return stream.response


async def write_whole(request: web.Request, answer: Answer) -> web.StreamResponse:
    """Write an answer as one body, and return when its last byte is written.

    Raises:
        ConnectionError: the client was gone before.
    """
    response = http_response(answer)
    await response.prepare(request)
    await response.write_eof()
    return response


async def _end(begun: web.StreamResponse, answer: Answer) -> web.StreamResponse:
    await begun.write(answer.body)
    await begun.write_eof()
    return begun
