"""Every way in which something can fail: its code, its HTTP status, and the one shape of errors."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

MESSAGE_CHARS = 4000
"""Maximum characters of an error's message; a longer one is cut."""


class ErrorCode(StrEnum):
    """Why something failed. Each code is documented in `docs/reference/errors.md`."""

    # A call that never reached the API.
    INVALID_ARGUMENTS = "invalid_arguments"
    UNKNOWN_TOOL = "unknown_tool"
    NOT_ACCEPTED = "not_accepted"
    NO_BROWSER = "no_browser"
    QUEUE_FULL = "queue_full"
    BREAKER_OPEN = "breaker_open"
    DEPENDENCY_FAILED = "dependency_failed"
    UNSENDABLE = "unsendable"
    DENIED = "denied"
    STORE_UNAVAILABLE = "store_unavailable"
    STORAGE_UNAVAILABLE = "storage_unavailable"
    # A call that was performed, or may have been.
    HTTP_STATUS = "http_status"
    NETWORK = "network"
    CORS = "cors"
    MIXED_CONTENT = "mixed_content"
    BLOCKED_LOCAL_NETWORK = "blocked_local_network"
    BLOCKED_BY_POLICY = "blocked_by_policy"
    REDIRECT_REFUSED = "redirect_refused"
    TOO_LARGE = "too_large"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    OUTCOME_UNKNOWN = "outcome_unknown"
    # The bridge's own endpoints.
    UNAUTHORIZED = "unauthorized"
    UNVERIFIED_USER = "unverified_user"
    PAGE_ONLY = "page_only"
    OPERATOR_ONLY = "operator_only"
    RATE_LIMITED = "rate_limited"
    SERVER_BUSY = "server_busy"
    MODEL_FAILED = "model_failed"
    FOREIGN_HOST = "foreign_host"
    FOREIGN_ORIGIN = "foreign_origin"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    INVALID_REQUEST = "invalid_request"
    UNSUPPORTED_ENCODING = "unsupported_encoding"
    INVALID_DOCUMENT = "invalid_document"
    DOCUMENT_CHANGED = "document_changed"
    DOCUMENT_UNREACHABLE = "document_unreachable"
    CONVERSATION_BUSY = "conversation_busy"
    INTERNAL = "internal"


HTTP_STATUS_OF: dict[ErrorCode, int] = {
    ErrorCode.INVALID_ARGUMENTS: 400,
    ErrorCode.UNKNOWN_TOOL: 404,
    ErrorCode.NOT_ACCEPTED: 403,
    ErrorCode.NO_BROWSER: 503,
    ErrorCode.QUEUE_FULL: 429,
    ErrorCode.BREAKER_OPEN: 503,
    ErrorCode.DEPENDENCY_FAILED: 424,
    ErrorCode.UNSENDABLE: 400,
    ErrorCode.DENIED: 403,
    ErrorCode.STORE_UNAVAILABLE: 503,
    ErrorCode.STORAGE_UNAVAILABLE: 503,
    ErrorCode.HTTP_STATUS: 502,
    ErrorCode.NETWORK: 502,
    ErrorCode.CORS: 502,
    ErrorCode.MIXED_CONTENT: 502,
    ErrorCode.BLOCKED_LOCAL_NETWORK: 502,
    ErrorCode.BLOCKED_BY_POLICY: 502,
    ErrorCode.REDIRECT_REFUSED: 502,
    ErrorCode.TOO_LARGE: 413,
    ErrorCode.TIMEOUT: 504,
    ErrorCode.CANCELLED: 409,
    ErrorCode.OUTCOME_UNKNOWN: 409,
    ErrorCode.UNAUTHORIZED: 401,
    ErrorCode.UNVERIFIED_USER: 403,
    ErrorCode.PAGE_ONLY: 403,
    ErrorCode.OPERATOR_ONLY: 403,
    ErrorCode.RATE_LIMITED: 429,
    ErrorCode.SERVER_BUSY: 503,
    ErrorCode.MODEL_FAILED: 502,
    ErrorCode.FOREIGN_HOST: 421,
    ErrorCode.FOREIGN_ORIGIN: 403,
    ErrorCode.NOT_FOUND: 404,
    ErrorCode.METHOD_NOT_ALLOWED: 405,
    ErrorCode.INVALID_REQUEST: 400,
    ErrorCode.UNSUPPORTED_ENCODING: 415,
    ErrorCode.INVALID_DOCUMENT: 422,
    ErrorCode.DOCUMENT_CHANGED: 409,
    ErrorCode.DOCUMENT_UNREACHABLE: 502,
    ErrorCode.CONVERSATION_BUSY: 409,
    ErrorCode.INTERNAL: 500,
}
"""Status of the bridge's own answer (ruling 9); the API's own status is `detail.status`."""


def fit_message(message: object) -> object:
    """Cut a message to `MESSAGE_CHARS`; invalid Unicode in it (from a header, say) becomes `?`."""
    if not isinstance(message, str):
        return message
    return message.encode("utf-8", "replace").decode()[:MESSAGE_CHARS]


class WireError(BaseModel):
    """The one error shape, on HTTP and on the socket."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    code: ErrorCode
    message: Annotated[str, BeforeValidator(fit_message)] = Field(max_length=MESSAGE_CHARS)
    """For a person: what is wrong and what to do. A longer message is cut."""
    detail: dict[str, Any] = Field(default_factory=dict)
    """Facts for a program, for example `{"status": 404, "body": "…"}` of an `http_status`."""
    retryable: bool = False
    """Whether the same call may be made again without a risk of doing something twice."""


BUG = WireError(code=ErrorCode.INTERNAL, message="The bridge has a bug; see its log.")
"""What a caller is told about a failure that nobody expected."""


class BridgeError(Exception):
    """An expected failure on its way to the caller; the HTTP layer turns it into `{"error": …}`."""

    def __init__(
        self, code: ErrorCode, message: str, *, detail: dict[str, Any] | None = None, retryable: bool = False
    ) -> None:
        super().__init__(message)
        self.error = WireError(code=code, message=message, detail=detail or {}, retryable=retryable)
