"""What went wrong between the bridge and a provider, as the `ModelError` that its caller reads.

The provider's own message is passed on, without its key. Statuses that come without a message get one.
"""

from __future__ import annotations

import email.utils
import time
from collections.abc import Mapping
from typing import cast

from bridge.models.agent.model import ModelError
from bridge.models.providers.error_words import error_of
from toolserver.errors import quote_text
from toolserver.json_types import JsonObject, object_at, text_at

MAX_MESSAGE_CHARS = 1000
"""Maximum characters of a provider's message that are passed on."""

_MAX_QUOTED_BYTES = 1000
"""More than a message quotes, so that a key at the end of the quotation is whole and is found."""

_BY_STATUS: Mapping[int, tuple[str, str, str]] = {
    400: ("invalid_request", "invalid_request_error", "did not accept the request"),
    401: ("invalid_api_key", "authentication_error", "refused the bridge's key"),
    402: ("insufficient_credits", "billing_error", "requires payment first"),
    403: ("permission_denied", "permission_error", "does not allow this for the bridge's key"),
    404: ("not_found", "invalid_request_error", "does not know this model or address"),
    408: ("request_timeout", "timeout_error", "gave up waiting for the request"),
    409: ("conflict", "invalid_request_error", "reported a conflict"),
    413: ("request_too_large", "invalid_request_error", "found the request too large"),
    422: ("invalid_request", "invalid_request_error", "did not accept the request"),
    429: ("rate_limit_exceeded", "rate_limit_error", "accepts no more requests for now"),
    529: ("overloaded", "overloaded_error", "has too much to do for now"),
}
"""Status to code, type and message, for answers that carry none of their own."""

_STATUSES: Mapping[str, int] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}
"""Types of errors of Anthropic's, which may come within a stream, to the status that they have before it."""

_WITHOUT_KEY = "was sent no key, because its settings have no `api_key_env`, and refused the request"
"""What a provider did that wants a key and has none."""

_FOR_THE_KEY = frozenset({401, 403})
"""Statuses that blame the key."""

RESPONSES_PATH = "/responses"

_NO_SUCH_PATH = frozenset({404, 405})
"""Statuses of servers that have no such path; a provider that has no such model names the model."""

_SPEAKS_CHAT = 'If it speaks Chat Completions alone, its settings need `api = "chat"`.'

_SERVER_ERROR = ("server_error", "server_error", "failed")
_OTHER = ("upstream_error", "upstream_error", "answered with an error")
_FIRST_SERVER_ERROR = 500


class Failures:
    """Builds the errors of one provider."""

    def __init__(self, provider: str, key: str | None) -> None:
        """`provider`: its name, for people. `key` never appears in an error; None: none is sent."""
        self._provider = provider
        self._key = key

    def of_body(self, body: object, *, status: int | None, path: str = "") -> ModelError:
        """Convert an error object that a provider sent, with a status or within a stream of events.

        `path`: what was asked for; one that the provider lacks has a remedy.
        """
        found = error_of(body)
        status = _status_in_stream(body) if status is None else status
        code, kind, deed = _kind_of_status(status)
        if self._key is None and status in _FOR_THE_KEY:
            deed = _WITHOUT_KEY
        fields = {name: self._without_key(text_at(found, name)) for name in ("code", "type", "param")}
        message = _cut(self._without_key(text_at(found, "message")))
        what = f"The provider {self._provider} {deed}"
        told = f"{what}: {message}" if message else f"{what}."
        lacks_path = path == RESPONSES_PATH and status in _NO_SUCH_PATH and "model" not in str(body).lower()
        return ModelError(
            f"{told.rstrip('.')}. {_SPEAKS_CHAT}" if lacks_path else told,
            code=code if not fields["code"] or fields["code"].isdigit() else fields["code"],
            kind=kind if fields["type"] in ("", "error") else fields["type"],
            param=fields["param"] or None,
            status=status,
        )

    def describe_silence(self, code: str) -> ModelError:
        """Describe that nothing arrived in time."""
        return ModelError(
            f"The provider {self._provider} did not answer in time.", code=code, kind="timeout_error"
        )

    def broken_off(self) -> ModelError:
        """Describe a stream that ended without an ending event."""
        return ModelError(
            f"The provider {self._provider} broke off in the middle of its answer.",
            code="upstream_disconnected",
        )

    def describe_unreadable(self, what: str) -> ModelError:
        """Describe an answer that is not a stream of events."""
        return ModelError(
            self._without_key(f"The provider {self._provider} sent an unreadable answer: {what}"),
            code="upstream_malformed",
        )

    def of_no_json(self, data: bytes) -> ModelError:
        """Describe what should have been JSON and is not, by its beginning: perhaps a proxy speaks."""
        begin = self._without_key(data[:_MAX_QUOTED_BYTES].decode("utf-8", "replace"))
        return self.describe_unreadable(f"not JSON, but {quote_text(begin)}.")

    def repeat_refusal(self, remembered: ModelError, retry_in_s: float) -> ModelError:
        """Describe a key that was refused a moment ago, so that the provider is not asked."""
        return ModelError(
            f"{remembered.message} It is not asked again for {retry_in_s:.0f} s.",
            code=remembered.code,
            kind=remembered.kind,
            status=remembered.status,
            retry_after_s=retry_in_s,
        )

    def describe_unreachable(self, cause: str) -> ModelError:
        """Describe a provider that cannot be reached; `cause` says why, or is empty."""
        reason = self._without_key(cause).rstrip(".")
        return ModelError(
            f"The provider {self._provider} cannot be reached" + (f": {reason}." if reason else "."),
            code="upstream_unreachable",
        )

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "…") if self._key else text


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a provider asks to wait before a retry; None when it does not say."""
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            return max(0.0, float(headers.get(name, "")) / unit)
        except ValueError:
            continue
    try:
        moment = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    return max(0.0, moment.timestamp() - time.time())


def _kind_of_status(status: int | None) -> tuple[str, str, str]:
    if status is None:
        return _SERVER_ERROR
    return _BY_STATUS.get(status, _SERVER_ERROR if status >= _FIRST_SERVER_ERROR else _OTHER)


def _status_in_stream(body: object) -> int | None:
    """Return the status of an error in a stream of Anthropic's; None for any other error."""
    event = cast("JsonObject", body) if isinstance(body, dict) else {}
    is_of_messages = event.get("type") == "error" and isinstance(event.get("error"), dict)
    return _STATUSES.get(text_at(object_at(event, "error"), "type")) if is_of_messages else None


def _cut(message: str) -> str:
    return message if len(message) <= MAX_MESSAGE_CHARS else message[:MAX_MESSAGE_CHARS] + "…"
