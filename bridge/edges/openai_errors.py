"""Errors of the model routes, as OpenAI's clients read them: `{"error": {message, type, param, code}}`.

Every error has an `error_id`, which the log has too: it is the id of the request, and the `x-request-id` of
its answer.
"""

from __future__ import annotations

import logging
import re
import secrets
from dataclasses import dataclass
from http import HTTPStatus
from math import ceil

from aiohttp import hdrs, web

from bridge.turns.model import ModelError
from bridge.turns.request_members import InvalidRequest
from bridge.wire import HTTP_STATUS_OF, ErrorCode, WireError, fit_message
from toolserver.json_types import JsonObject, dump_json

REQUEST_ID_HEADER = "x-request-id"
RETRY_HEADER = "x-should-retry"
"""OpenAI's clients try again by themselves, unless this header of theirs says `false`."""

MODEL_PREFIX = "/v1/"

_REQUEST_ID = "openai_errors.request_id"
_INVALID, _SERVER = "invalid_request_error", "server_error"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ApiError:
    """An error of a model route."""

    status: int
    message: str
    kind: str
    """`type` on the wire."""
    code: str
    param: str | None = None
    retry_after_s: float | None = None
    may_retry: bool = True
    """False: a client that tries again by itself would only make it worse."""

    def body(self, error_id: str) -> JsonObject:
        """The value of `error`. The id stands in the message too: many programs show nothing else."""
        return {
            "message": fit_text(f"{self.message} (error_id: {error_id})"),
            "type": self.kind,
            "param": self.param,
            "code": self.code,
            "error_id": error_id,
        }


def is_model_path(path: str) -> bool:
    """Whether a path belongs to the model routes."""
    return re.sub("/+", "/", path).startswith(MODEL_PREFIX)


def request_id_of(request: web.Request) -> str:
    """16 hexadecimal digits, the same as often as it is asked for."""
    if _REQUEST_ID not in request:
        request[_REQUEST_ID] = secrets.token_hex(8)
    return request[_REQUEST_ID]


def error_response(request: web.Request, error: ApiError) -> web.Response:
    """The answer; what went wrong is logged under its id."""
    error_id = request_id_of(request)
    log_error(error, error_id)
    headers = {REQUEST_ID_HEADER: error_id}
    if error.retry_after_s is not None:
        headers[hdrs.RETRY_AFTER] = str(ceil(error.retry_after_s))
    if not error.may_retry:
        headers[RETRY_HEADER] = "false"
    return web.Response(
        body=dump_json({"error": error.body(error_id)}),
        status=error.status,
        content_type="application/json",
        headers=headers,
    )


def log_error(error: ApiError, error_id: str) -> None:
    """One line: what a user reads out to whoever runs the bridge leads here."""
    level = logging.WARNING if error.status >= HTTPStatus.INTERNAL_SERVER_ERROR else logging.INFO
    message = error.message.replace("\n", " ")[:500]
    _log.log(level, "error_id=%s %d %s: %s", error_id, error.status, error.code, message)


def fit_text(text: str) -> str:
    """A message as long as every error's may be."""
    return str(fit_message(text))


def of_wire(error: WireError) -> ApiError:
    """An error of the bridge itself."""
    kind, code = _OWN.get(error.code, (None, error.code.value))
    status = HTTP_STATUS_OF[error.code]
    if kind is None:
        kind = _INVALID if status < HTTPStatus.INTERNAL_SERVER_ERROR else _SERVER
    wait = error.detail.get("retry_after_s")
    return ApiError(
        status,
        error.message,
        kind,
        code,
        retry_after_s=wait if isinstance(wait, int | float) else None,
        may_retry=error.code is not ErrorCode.BREAKER_OPEN,
    )


_OWN: dict[ErrorCode, tuple[str | None, str]] = {
    ErrorCode.UNAUTHORIZED: (_INVALID, "invalid_api_key"),
    ErrorCode.RATE_LIMITED: ("rate_limit_error", "rate_limit_exceeded"),
}
"""Codes for which OpenAI has a name of its own: type (None: by the status) and code."""


def of_invalid(error: InvalidRequest) -> ApiError:
    """A request that cannot be understood."""
    return ApiError(HTTPStatus.BAD_REQUEST, error.message, _INVALID, error.code, error.param)


def unknown_model(model: str) -> ApiError:
    """There is no model of that name here."""
    message = f"The model '{model[:200]}' does not exist here. GET /v1/models lists those that do."
    return ApiError(HTTPStatus.NOT_FOUND, message, _INVALID, "model_not_found", "model")


def of_model(error: ModelError) -> ApiError:
    """A provider's failure. What only the operator can change is not the caller's fault: 502."""
    is_late = error.code == "upstream_timeout"
    status = HTTPStatus.GATEWAY_TIMEOUT if is_late else _status_for(error.status)
    return ApiError(
        status,
        error.message,
        error.kind,
        error.code,
        error.param,
        retry_after_s=error.retry_after_s,
        may_retry=status == HTTPStatus.TOO_MANY_REQUESTS,
    )


_PASSED_ON = frozenset({400, 402, 404, 409, 413, 415, 422, 429})
"""Statuses of a provider that say something about the request."""


def _status_for(status: int | None) -> int:
    if status in _PASSED_ON:
        return status
    if status in (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.GATEWAY_TIMEOUT):
        return HTTPStatus.GATEWAY_TIMEOUT
    return HTTPStatus.BAD_GATEWAY
