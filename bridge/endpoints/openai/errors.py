"""Errors of the model routes, as OpenAI's clients read them: `{"error": {message, type, param, code}}`.

Every error has an `error_id`, which the log has too: it is the id of the request, and the `x-request-id` of
its answer.
"""

from __future__ import annotations

import logging
import secrets
from math import ceil

from aiohttp import hdrs, web

from bridge.endpoints.openai.frames import encode_events
from bridge.errors import WireError
from bridge.http.access import has_caller
from bridge.log_lines import OncePerMinute
from bridge.openai_errors import ApiError, log_error, of_wire
from toolserver.json_types import JsonObject, dump_json

REQUEST_ID_HEADER = "x-request-id"
RETRY_HEADER = "x-should-retry"
"""OpenAI's clients try again by themselves, unless this header of theirs says `false`."""

_REQUEST_ID: web.RequestKey[str] = web.RequestKey("request_id", str)

_log = logging.getLogger(__name__)
_log_of_strangers = logging.getLogger(f"{__name__}.strangers")
"""Who shows no valid key could fill the disk with lines of his own."""

_log_of_strangers.addFilter(OncePerMinute())


def request_id_of(request: web.Request) -> str:
    """16 hexadecimal digits, the same as often as it is asked for."""
    if _REQUEST_ID not in request:
        request[_REQUEST_ID] = secrets.token_hex(8)
    return request[_REQUEST_ID]


def error_response(request: web.Request, error: ApiError) -> web.Response:
    """The answer; what went wrong is logged under its id."""
    error_id = request_id_of(request)
    log_error(error, error_id, to=_log if has_caller(request) else _log_of_strangers)
    headers = {REQUEST_ID_HEADER: error_id}
    if error.retry_after_s is not None:
        headers[hdrs.RETRY_AFTER] = str(ceil(error.retry_after_s))
    if not error.may_retry:
        headers[RETRY_HEADER] = "false"
    return web.Response(
        body=dump_json({"error": error.build_body(error_id)}),
        status=error.status,
        content_type="application/json",
        headers=headers,
    )


def error_event(error: WireError, number: int) -> bytes:
    """The last event of a stream of a response; `number`: its `sequence_number`."""
    shown = of_wire(error)
    body: JsonObject = {
        "type": "error",
        "code": shown.code,
        "message": shown.message,
        "param": None,
        "sequence_number": number,
    }
    return encode_events([body])


def wire_error_response(request: web.Request, error: WireError) -> web.Response:
    """The answer for an error of the bridge itself."""
    return error_response(request, of_wire(error))
