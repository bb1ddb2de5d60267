"""Errors of turns and providers, as OpenAI's clients read them."""

from __future__ import annotations

from http import HTTPStatus

from bridge.errors import Blame, BridgeError
from bridge.models.agent.model import ModelError
from bridge.models.agent.request_fields import InvalidRequest
from bridge.models.agent.turn import TurnResult
from bridge.openai_errors import INVALID, NOT_AGAIN, SERVER, ApiError, of_wire
from toolserver.json_types import object_at, text_at


def of_invalid(error: InvalidRequest) -> ApiError:
    """Convert the error of a request that cannot be understood."""
    return ApiError(HTTPStatus.BAD_REQUEST, error.message, INVALID, error.code, error.param)


def unknown_model(message: str) -> ApiError:
    """Build the error for a model name that nobody offers."""
    return ApiError(HTTPStatus.NOT_FOUND, message, INVALID, "model_not_found", "model")


def database_unavailable(message: str, param: str | None = None) -> ApiError:
    """Build the error for a database that cannot be read or written."""
    status = HTTPStatus.SERVICE_UNAVAILABLE
    return ApiError(status, message, SERVER, "database_unavailable", param, blame=Blame.OPERATOR)


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
        may_retry=status == HTTPStatus.TOO_MANY_REQUESTS and error.code not in NOT_AGAIN,
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
    return ApiError(HTTPStatus.BAD_GATEWAY, message, SERVER, code, blame=Blame.PROVIDER)


_PASSED_ON = frozenset({400, 402, 404, 409, 413, 415, 422, 429})
"""Provider statuses that blame the request, passed on to the caller."""


def _status_for(status: int | None) -> int:
    if status in _PASSED_ON:
        return status
    if status in (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.GATEWAY_TIMEOUT):
        return HTTPStatus.GATEWAY_TIMEOUT
    return HTTPStatus.BAD_GATEWAY
