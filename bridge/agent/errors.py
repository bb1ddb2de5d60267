"""How a request to a model fails, in the words and statuses of OpenAI's API.

An error knows its status, type, code and param; whoever speaks HTTP adds the `error_id`, which is logged too.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from http import HTTPStatus

from bridge.agent.model import ModelError
from bridge.agent.request_fields import InvalidRequest
from bridge.agent.turn import TurnResult
from bridge.errors import HTTP_STATUS_OF, BridgeError, ErrorCode, WireError, fit_message
from toolserver.json_types import JsonObject, object_at, text_at

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

    def build_body(self, error_id: str) -> JsonObject:
        """The value of `error`. The id stands in the message too: many programs show nothing else."""
        return {
            "message": fit_text(f"{self.message} (error_id: {error_id})"),
            "type": self.kind,
            "param": self.param,
            "code": self.code,
            "error_id": error_id,
        }


class ApiFailure(Exception):
    """Ends a request to a model with an error."""

    def __init__(self, error: ApiError) -> None:
        super().__init__(error.message)
        self.error = error


def log_error(error: ApiError, error_id: str, *, to: logging.Logger = _log) -> None:
    """One line: what a user reads out to whoever runs the bridge leads here."""
    level = logging.WARNING if error.status >= HTTPStatus.INTERNAL_SERVER_ERROR else logging.INFO
    message = error.message.replace("\n", " ")[:500]
    to.log(level, "error_id=%s %d %s: %s", error_id, error.status, error.code, message)


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


def unknown_model(message: str) -> ApiError:
    """There is no model of a name."""
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


def told_error(error: ModelError | BridgeError | InvalidRequest) -> ApiError:
    """What ended a turn, in OpenAI's form."""
    match error:
        case ModelError():
            return of_model(error)
        case InvalidRequest():
            return of_invalid(error)
        case BridgeError():
            return of_wire(error.error)


def of_failed(result: TurnResult) -> ApiError | None:
    """Why a turn failed after it had begun; None when it did not fail."""
    if result.status != "failed":
        return None
    if result.error is not None:
        return of_model(result.error)
    told = object_at(result.response, "error")
    message = text_at(told, "message") or "The provider failed and did not say why."
    return ApiError(HTTPStatus.BAD_GATEWAY, message, _SERVER, text_at(told, "code") or "server_error")


_PASSED_ON = frozenset({400, 402, 404, 409, 413, 415, 422, 429})
"""Statuses of a provider that say something about the request."""


def _status_for(status: int | None) -> int:
    if status in _PASSED_ON:
        return status
    if status in (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.GATEWAY_TIMEOUT):
        return HTTPStatus.GATEWAY_TIMEOUT
    return HTTPStatus.BAD_GATEWAY
