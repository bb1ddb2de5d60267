"""Errors of a request to a model, with the types, codes and statuses of OpenAI's API.

An error carries its status, type, code and param; the HTTP endpoint adds the `error_id`, which is also
logged.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from http import HTTPStatus

from bridge.errors import FORMER_CODES, Blame, BridgeError, ErrorCode, WireError, fit_message
from bridge.models.agent.model import ModelError
from bridge.models.agent.request_fields import InvalidRequest
from bridge.models.agent.turn import TurnResult
from toolserver.json_types import JsonObject, object_at, text_at

_INVALID, _SERVER = "invalid_request_error", "server_error"

_OPERATORS = frozenset({Blame.OPERATOR, Blame.PROVIDER, Blame.BRIDGE})

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ApiError:
    """An error as a model endpoint answers with it."""

    status: int
    message: str
    kind: str
    """The wire's `type`."""
    code: str
    param: str | None = None
    retry_after_s: float | None = None
    blame: Blame = Blame.CALLER
    may_retry: bool = True
    """False: a client that retries by itself would only make matters worse."""

    def build_body(self, error_id: str) -> JsonObject:
        """Build the value of `error`. The same error has the same message, so programs can group by it."""
        body: JsonObject = {
            "message": fit_text(self.message),
            "type": self.kind,
            "param": self.param,
            "code": self.code,
            "error_id": error_id,
        }
        former = FORMER_CODES.get(self.code)
        return body if former is None else {**body, "former_code": former}


class ApiFailure(Exception):
    """Raised to end a request to a model with an error."""

    def __init__(self, error: ApiError) -> None:
        super().__init__(error.message)
        self.error = error


def log_error(error: ApiError, error_id: str, *, to: logging.Logger = _log) -> None:
    """Log an error in one line; the `error_id` that a user reports to the operator leads to it.

    It is a warning only if the operator can do something about it.
    """
    level = logging.WARNING if error.blame in _OPERATORS else logging.INFO
    message = error.message.replace("\n", " ")[:500]
    to.log(level, "error_id=%s %d %s: %s", error_id, error.status, error.code, message)


def fit_text(text: str) -> str:
    """Cut a text to the maximum length of an error message."""
    return str(fit_message(text))


def of_wire(error: WireError) -> ApiError:
    """Convert an error of the bridge itself."""
    kind, code = _OWN.get(error.code, (None, error.code.value))
    status, blame = error.code.facts
    is_in_doubt = error.code is ErrorCode.REPLICA_LOST and not error.retryable
    if is_in_doubt:
        status = HTTPStatus.BAD_GATEWAY
    if kind is None:
        kind = _INVALID if status < HTTPStatus.INTERNAL_SERVER_ERROR else _SERVER
    wait = error.detail.get("retry_after_s")
    return ApiError(
        status,
        error.message,
        kind,
        code,
        retry_after_s=wait if isinstance(wait, int | float) else None,
        blame=blame,
        may_retry=not is_in_doubt and error.code not in _NOT_AGAIN,
    )


_NOT_AGAIN = frozenset({ErrorCode.BREAKER_OPEN, ErrorCode.BUDGET_EXCEEDED})
"""Codes after which OpenAI's clients must not try again by themselves: seconds later it is the same."""

_OWN: dict[ErrorCode, tuple[str | None, str]] = {
    ErrorCode.UNAUTHORIZED: (_INVALID, "invalid_api_key"),
    ErrorCode.RATE_LIMITED: ("rate_limit_error", "rate_limit_exceeded"),
    ErrorCode.BUDGET_EXCEEDED: ("insufficient_quota", "budget_exceeded"),
}
"""Codes for which OpenAI has a name of its own: type (None: chosen by the status) and code."""


def of_invalid(error: InvalidRequest) -> ApiError:
    """Convert the error of a request that cannot be understood."""
    return ApiError(HTTPStatus.BAD_REQUEST, error.message, _INVALID, error.code, error.param)


def unknown_model(message: str) -> ApiError:
    """Build the error for a model name that nobody offers."""
    return ApiError(HTTPStatus.NOT_FOUND, message, _INVALID, "model_not_found", "model")


def database_unavailable(message: str, param: str | None = None) -> ApiError:
    """Build the error for a database that cannot be read or written."""
    status = HTTPStatus.SERVICE_UNAVAILABLE
    return ApiError(status, message, _SERVER, "database_unavailable", param, blame=Blame.OPERATOR)


def of_model(error: ModelError) -> ApiError:
    """Convert a provider's failure. What only the operator can fix is not the caller's fault: 502."""
    is_late = error.code == "upstream_timeout"
    status = HTTPStatus.GATEWAY_TIMEOUT if is_late else _status_for(error.status)
    return ApiError(
        status,
        error.message,
        error.kind,
        error.code,
        error.param,
        retry_after_s=error.retry_after_s,
        blame=Blame.PROVIDER if status >= HTTPStatus.INTERNAL_SERVER_ERROR else Blame.CALLER,
        may_retry=status == HTTPStatus.TOO_MANY_REQUESTS and error.code not in _NOT_AGAIN,
    )


def error_of_failure(error: ModelError | BridgeError | InvalidRequest) -> ApiError:
    """Convert whatever ended a turn into OpenAI's form."""
    match error:
        case ModelError():
            return of_model(error)
        case InvalidRequest():
            return of_invalid(error)
        case BridgeError():
            return of_wire(error.error)


def of_failed(result: TurnResult) -> ApiError | None:
    """Return why a turn failed after it had started; None when it did not fail."""
    if result.status != "failed":
        return None
    if result.error is not None:
        return of_model(result.error)
    failure = object_at(result.response, "error")
    message = text_at(failure, "message") or "The provider failed and did not say why."
    code = text_at(failure, "code") or "server_error"
    return ApiError(HTTPStatus.BAD_GATEWAY, message, _SERVER, code, blame=Blame.PROVIDER)


_PASSED_ON = frozenset({400, 402, 404, 409, 413, 415, 422, 429})
"""Provider statuses that blame the request, passed on to the caller."""


def _status_for(status: int | None) -> int:
    if status in _PASSED_ON:
        return status
    if status in (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.GATEWAY_TIMEOUT):
        return HTTPStatus.GATEWAY_TIMEOUT
    return HTTPStatus.BAD_GATEWAY
