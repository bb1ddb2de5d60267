"""Every way in which something can fail: its code, its HTTP status, and the one shape of errors."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator

from bridge.told_failure import ToldFailure
from toolserver.json_types import dump_json

MESSAGE_CHARS = 4000
"""Maximum characters of an error's message; a longer one is cut."""


class Blame(StrEnum):
    """Who can do something about an error."""

    CALLER = "caller"
    """The model or program that called."""
    USER = "user"
    """The user, in the page or the browser."""
    OPERATOR = "operator"
    """Whoever runs the bridge."""
    DOCUMENT = "document"
    """The author or host of the OpenAPI document."""
    API = "api"
    """Whoever runs the API."""
    PROVIDER = "provider"
    """The provider of the model, or the operator who set it up."""
    BRIDGE = "bridge"
    """A bug of the bridge."""
    NOBODY = "nobody"
    """Nobody did anything wrong."""


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
    LOGIN_NEEDED = "login_needed"
    DATABASE_UNAVAILABLE = "database_unavailable"
    BROWSER_STORAGE_UNAVAILABLE = "browser_storage_unavailable"
    COMPANION_MISSING = "companion_missing"
    COMPANION_REFUSED = "companion_refused"
    CLUSTER_UNAVAILABLE = "cluster_unavailable"
    REPLICA_LOST = "replica_lost"
    # A call that was performed, or may have been.
    HTTP_STATUS = "http_status"
    TOOL_FAILED = "tool_failed"
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
    ANSWER_LOST = "answer_lost"
    # The bridge's own endpoints.
    UNAUTHORIZED = "unauthorized"
    UNVERIFIED_USER = "unverified_user"
    PAGE_ONLY = "page_only"
    OPERATOR_ONLY = "operator_only"
    INSUFFICIENT_SCOPE = "insufficient_scope"
    AUTHORIZATION_UNAVAILABLE = "authorization_unavailable"
    RATE_LIMITED = "rate_limited"
    BUDGET_EXCEEDED = "budget_exceeded"
    QUOTA_EXCEEDED = "quota_exceeded"
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
    WRONG_REPLICA = "wrong_replica"
    INTERNAL = "internal"

    @classmethod
    def _missing_(cls, value: object) -> ErrorCode | None:
        """Read a former code as the present one."""
        code = code_of(value) if isinstance(value, str) else value
        return None if code == value else cls(code)

    @property
    def facts(self) -> ErrorFacts:
        """What is true of every error of this code."""
        return _FACTS[self]


FORMER_CODES = {
    "database_unavailable": "store_unavailable",
    "browser_storage_unavailable": "storage_unavailable",
}
"""By the present code: the former one, which older pages and replicas write, and the database keeps.

Until release 0.2.0 errors name it in `detail.former_code`, for programs that decide by it.
"""


def code_of(code: str) -> str:
    """Return the present form of a code that something of another version may have written."""
    return next((each for each, former in FORMER_CODES.items() if former == code), code)


class ErrorFacts(NamedTuple):
    """What is true of every error of one code."""

    http_status: int
    """Status of the bridge's own answer (ruling 9); the API's own status is `detail.status`."""
    blame: Blame


_FACTS: dict[ErrorCode, ErrorFacts] = {
    ErrorCode.INVALID_ARGUMENTS: ErrorFacts(400, Blame.CALLER),
    ErrorCode.UNKNOWN_TOOL: ErrorFacts(404, Blame.CALLER),
    ErrorCode.NOT_ACCEPTED: ErrorFacts(403, Blame.USER),
    ErrorCode.NO_BROWSER: ErrorFacts(503, Blame.USER),
    ErrorCode.QUEUE_FULL: ErrorFacts(429, Blame.CALLER),
    ErrorCode.BREAKER_OPEN: ErrorFacts(503, Blame.API),
    ErrorCode.DEPENDENCY_FAILED: ErrorFacts(424, Blame.CALLER),
    ErrorCode.UNSENDABLE: ErrorFacts(400, Blame.DOCUMENT),
    ErrorCode.DENIED: ErrorFacts(403, Blame.USER),
    ErrorCode.LOGIN_NEEDED: ErrorFacts(403, Blame.USER),
    ErrorCode.DATABASE_UNAVAILABLE: ErrorFacts(503, Blame.OPERATOR),
    ErrorCode.BROWSER_STORAGE_UNAVAILABLE: ErrorFacts(503, Blame.USER),
    ErrorCode.COMPANION_MISSING: ErrorFacts(503, Blame.USER),
    ErrorCode.COMPANION_REFUSED: ErrorFacts(403, Blame.USER),
    ErrorCode.CLUSTER_UNAVAILABLE: ErrorFacts(503, Blame.OPERATOR),
    ErrorCode.REPLICA_LOST: ErrorFacts(503, Blame.NOBODY),
    ErrorCode.HTTP_STATUS: ErrorFacts(502, Blame.API),
    ErrorCode.TOOL_FAILED: ErrorFacts(502, Blame.API),
    ErrorCode.NETWORK: ErrorFacts(502, Blame.API),
    ErrorCode.CORS: ErrorFacts(502, Blame.API),
    ErrorCode.MIXED_CONTENT: ErrorFacts(502, Blame.USER),
    ErrorCode.BLOCKED_LOCAL_NETWORK: ErrorFacts(502, Blame.USER),
    ErrorCode.BLOCKED_BY_POLICY: ErrorFacts(502, Blame.USER),
    ErrorCode.REDIRECT_REFUSED: ErrorFacts(502, Blame.DOCUMENT),
    ErrorCode.TOO_LARGE: ErrorFacts(413, Blame.CALLER),
    ErrorCode.TIMEOUT: ErrorFacts(504, Blame.API),
    ErrorCode.CANCELLED: ErrorFacts(409, Blame.NOBODY),
    ErrorCode.OUTCOME_UNKNOWN: ErrorFacts(409, Blame.NOBODY),
    ErrorCode.ANSWER_LOST: ErrorFacts(410, Blame.NOBODY),
    ErrorCode.UNAUTHORIZED: ErrorFacts(401, Blame.CALLER),
    ErrorCode.UNVERIFIED_USER: ErrorFacts(403, Blame.OPERATOR),
    ErrorCode.PAGE_ONLY: ErrorFacts(403, Blame.CALLER),
    ErrorCode.OPERATOR_ONLY: ErrorFacts(403, Blame.CALLER),
    ErrorCode.INSUFFICIENT_SCOPE: ErrorFacts(403, Blame.CALLER),
    ErrorCode.AUTHORIZATION_UNAVAILABLE: ErrorFacts(503, Blame.OPERATOR),
    ErrorCode.RATE_LIMITED: ErrorFacts(429, Blame.CALLER),
    ErrorCode.BUDGET_EXCEEDED: ErrorFacts(429, Blame.OPERATOR),
    ErrorCode.QUOTA_EXCEEDED: ErrorFacts(409, Blame.USER),
    ErrorCode.SERVER_BUSY: ErrorFacts(503, Blame.NOBODY),
    ErrorCode.MODEL_FAILED: ErrorFacts(502, Blame.PROVIDER),
    ErrorCode.FOREIGN_HOST: ErrorFacts(421, Blame.OPERATOR),
    ErrorCode.FOREIGN_ORIGIN: ErrorFacts(403, Blame.OPERATOR),
    ErrorCode.NOT_FOUND: ErrorFacts(404, Blame.CALLER),
    ErrorCode.METHOD_NOT_ALLOWED: ErrorFacts(405, Blame.CALLER),
    ErrorCode.INVALID_REQUEST: ErrorFacts(400, Blame.CALLER),
    ErrorCode.UNSUPPORTED_ENCODING: ErrorFacts(415, Blame.CALLER),
    ErrorCode.INVALID_DOCUMENT: ErrorFacts(422, Blame.DOCUMENT),
    ErrorCode.DOCUMENT_CHANGED: ErrorFacts(409, Blame.USER),
    ErrorCode.DOCUMENT_UNREACHABLE: ErrorFacts(502, Blame.DOCUMENT),
    ErrorCode.CONVERSATION_BUSY: ErrorFacts(409, Blame.NOBODY),
    ErrorCode.WRONG_REPLICA: ErrorFacts(421, Blame.NOBODY),
    ErrorCode.INTERNAL: ErrorFacts(500, Blame.BRIDGE),
}


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
    detail: dict[str, Any] = Field(default_factory=dict, validate_default=True)
    """Facts for a program, for example `{"status": 404, "body": "…"}` of an `http_status`."""
    retryable: bool = False
    """Whether the same call may be made again without a risk of doing something twice."""

    @field_validator("detail")
    @classmethod
    def _name_former_code(cls, detail: dict[str, Any], others: ValidationInfo) -> dict[str, Any]:
        """Name the former code of this error, and not that of a cause whose facts it has."""
        told = {name: value for name, value in detail.items() if name != "former_code"}
        former = FORMER_CODES.get(others.data.get("code", ""))
        return told if former is None else {**told, "former_code": former}

    def to_stored(self) -> str:
        """Return JSON for the database: with the former code, so that an older replica reads it, too."""
        stored = self.model_dump(mode="json")
        return dump_json({**stored, "code": FORMER_CODES.get(self.code, self.code)}).decode()


BUG = WireError(code=ErrorCode.INTERNAL, message="The bridge has a bug; see its log.")
"""What a caller is told about a failure that nobody expected."""


class BridgeError(ToldFailure):
    """An expected failure on its way to the caller; the HTTP layer turns it into `{"error": …}`."""

    def __init__(
        self, code: ErrorCode, message: str, *, detail: dict[str, Any] | None = None, retryable: bool = False
    ) -> None:
        super().__init__(message)
        self.error = WireError(code=code, message=message, detail=detail or {}, retryable=retryable)
