"""Errors as OpenAI's clients read them: types, codes and statuses of its API.

An error carries its status, type, code and param; the HTTP endpoint adds the `error_id`, which is also
logged. Apart from the models: a client of them is answered in this form also where a bridge has none.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from http import HTTPStatus

from bridge.errors import FORMER_CODES, Blame, ErrorCode, WireError, fit_message
from toolserver.json_types import JsonObject

INVALID, SERVER = "invalid_request_error", "server_error"
"""Types of errors: the request is to blame, or it is not."""

_OPERATORS = frozenset({Blame.OPERATOR, Blame.PROVIDER, Blame.BRIDGE})

NOT_AGAIN = frozenset({ErrorCode.BREAKER_OPEN, ErrorCode.BUDGET_EXCEEDED})
"""Codes after which OpenAI's clients must not try again by themselves: seconds later it is the same."""

_OWN: dict[ErrorCode, tuple[str | None, str]] = {
    ErrorCode.UNAUTHORIZED: (INVALID, "invalid_api_key"),
    ErrorCode.RATE_LIMITED: ("rate_limit_error", "rate_limit_exceeded"),
    ErrorCode.BUDGET_EXCEEDED: ("insufficient_quota", "budget_exceeded"),
}
"""Codes for which OpenAI has a name of its own: type (None: chosen by the status) and code."""

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
        kind = INVALID if status < HTTPStatus.INTERNAL_SERVER_ERROR else SERVER
    wait = error.detail.get("retry_after_s")
    return ApiError(
        status,
        error.message,
        kind,
        code,
        retry_after_s=wait if isinstance(wait, int | float) else None,
        blame=blame,
        may_retry=not is_in_doubt and error.code not in NOT_AGAIN,
    )
