"""How a call ended, as a value, and how a page's report is read. Pure.

A success carries what the API answered, everything else a `WireError`; the two never share a type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from http import HTTPStatus
from typing import Literal, NamedTuple

from bridge.browser_protocol import AnsweredOutcome, FailedOutcome, MissingCredential, UploadedBody
from bridge.calls.missing_credentials import explain_missing
from bridge.calls.state_machine import CallEvent, CallState
from bridge.errors import MESSAGE_CHARS, ErrorCode, WireError
from toolserver.answer.problem_details import problem_text
from toolserver.answer.result import LOST, Answered, FileBody, TextBody, may_be_json
from toolserver.answer.tolerant_json import readable_json
from toolserver.json_types import JsonValue, load_json
from toolserver.value_object import value_object

ERROR_BODY_CHARS = 4000
"""Maximum characters of an API's error body that are passed on: enough for a problem+json, too few to flood a
model."""


_ANSWERS = frozenset((ErrorCode.TOO_LARGE, ErrorCode.TOOL_FAILED))
"""Failures that are answers: one too large to read, and an MCP server's own. Nothing is in doubt."""


class Way(NamedTuple):
    """By what a request went out."""

    transport: Literal["page", "companion"]
    login: bool
    """Whether the user's cookies for the API went along."""


@value_object
class CallOutcome:
    """How one call ended. Exactly one of `answered` and `error` is set."""

    call_id: str
    state: CallState
    """A terminal state."""
    answered: Answered | None
    error: WireError | None
    server_id: str = ""
    """Server of the tool that ran, which a `run_operation` only names; "" for the bridge's own tools."""
    joined_call_id: str = ""
    """The earlier call whose ending this is; "": the call was performed for its own request."""
    decoded: tuple[str, ...] = ()
    """Arguments that came as the text of their JSON, by name; their values were sent."""

    @property
    def way(self) -> Way | None:
        """By what the request went out, or was refused; None: not known, as when nothing was to be sent."""
        if self.answered is not None:
            return Way(self.answered.transport, self.answered.login)
        if self.error is None:
            return None
        if self.error.detail.get("transport") == "companion":
            return Way("companion", self.error.detail.get("login") is True)
        return Way("page", login=False) if self.error.code is ErrorCode.HTTP_STATUS else None

    @property
    def was_sent(self) -> bool:
        """Whether the request of an unsafe call was performed, or may have been."""
        if self.state is CallState.FAILED:
            return self.error is not None and self.error.code in (ErrorCode.HTTP_STATUS, *_ANSWERS)
        return self.state in (CallState.SUCCEEDED, CallState.OUTCOME_UNKNOWN)

    def without_text(self) -> CallOutcome:
        """The same ending, with the answer's body lost."""
        if self.answered is None or self.answered.body is None:
            return self
        return replace(self, answered=replace(self.answered, body=None, truncated=True))


@value_object
class ReportedOutcome:
    """A page's report, once read: the event for the call table, with its answer or error."""

    event: CallEvent
    answered: Answered | None = None
    error: WireError | None = None

    @property
    def may_work_next_time(self) -> bool:
        """Whether a safe request failed in a way that another try may mend."""
        return self.error is not None and self.error.code is ErrorCode.NETWORK and self.error.retryable


def read_report(
    report: AnsweredOutcome | FailedOutcome,
    uploaded: TextBody | FileBody | None,
    *,
    safe: bool,
    proves_unsent: bool = True,
) -> ReportedOutcome:
    """Turn what a page reported into an event of the call table.

    `uploaded` is the body that arrived earlier by HTTP PUT, if any; `safe`: repeating the request does no
    harm; `proves_unsent`: whether a page that says that nothing was sent knows that. If the page announced an
    upload that is missing, an unsafe call still ends by its status, because that says what the API did.
    """
    if isinstance(report, FailedOutcome):
        is_proven = proves_unsent and report.delivered == "no"
        return ReportedOutcome(_event_of_failure(report.error.code, is_proven=is_proven), error=report.error)
    if safe and isinstance(report.body, UploadedBody) and uploaded is None:
        error = WireError(code=ErrorCode.INTERNAL, message="The page announced an answer that never arrived.")
        return ReportedOutcome(CallEvent.DOUBTFUL, error=error)
    answered = _answered(report, uploaded)
    if report.http_status < HTTPStatus.BAD_REQUEST:
        return ReportedOutcome(CallEvent.ANSWERED, answered=answered)
    error = http_status_error(answered, report.status_text, report.missing_credentials, safe=safe)
    return ReportedOutcome(CallEvent.FAILED, error=error)


def _event_of_failure(code: ErrorCode, *, is_proven: bool) -> CallEvent:
    if code is ErrorCode.CANCELLED:
        return CallEvent.WITHDRAWN if is_proven else CallEvent.STOPPED
    if is_proven or code in _ANSWERS:
        return CallEvent.FAILED
    return CallEvent.DEADLINE if code is ErrorCode.TIMEOUT else CallEvent.DOUBTFUL


def _answered(report: AnsweredOutcome, uploaded: TextBody | FileBody | None) -> Answered:
    body = report.body
    return Answered(
        http_status=report.http_status,
        content_type=report.content_type,
        headers=report.headers,
        body=uploaded if body.kind == "uploaded" else TextBody(body.text) if body.kind == "text" else None,
        truncated=report.truncated or (body.kind == "uploaded" and uploaded is None),
        total_bytes=report.total_bytes,
        cut_by=report.cut_by,
        transport=report.transport,
        login=report.login,
    )


def http_status_error(
    answered: Answered, status_text: str, missing: Sequence[MissingCredential] = (), *, safe: bool
) -> WireError:
    """Return the error for an API answer of 400 or more: its status and the start of its body, as data.

    A JSON body is passed on as a value, and its own description of the problem follows the status in the
    message. `missing`: the credentials without which the request was sent.
    """
    status = answered.http_status
    detail: dict[str, object] = {"status": status, "content_type": answered.content_type}
    text = answered.body.text if isinstance(answered.body, TextBody) else ""
    reason = problem_text(text) if may_be_json(answered.content_type, text) else ""
    if status_text:  # a problem's title often repeats it
        reason = "" if reason == status_text else reason.removeprefix(f"{status_text}: ")
    if isinstance(answered.body, TextBody):
        body = _json_value(text) if len(text) <= ERROR_BODY_CHARS else None
        detail["body"] = text[:ERROR_BODY_CHARS] if body is None else body
        if answered.truncated or len(text) > ERROR_BODY_CHARS:
            detail["truncated"] = True
    elif answered.truncated and answered.body is None:
        detail["note"] = LOST
    if retry_after := answered.headers.get("retry-after"):
        detail["retry_after"] = retry_after
    if answered.transport == "companion":
        detail |= {"transport": answered.transport, "login": answered.login}
    if missing:
        detail["missing_credentials"] = [each.model_dump() for each in missing]
    return WireError(
        code=ErrorCode.HTTP_STATUS,
        message=_status_message(f"{status} {status_text}".rstrip(), reason, explain_missing(missing)),
        detail=detail,
        retryable=safe and status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE),
    )


def _status_message(status: str, reason: str, way_out: str) -> str:
    message = f"The API answered {status}: {reason}" if reason else f"The API answered {status}."
    if not way_out:
        return message
    ending = "" if message.endswith((".", "!", "?")) else "."
    return f"{message[: MESSAGE_CHARS - len(way_out) - 2]}{ending} {way_out}"


def _json_value(text: str) -> JsonValue:
    """Return the JSON value of a text; None if it is no JSON object or array."""
    readable = readable_json(text.encode("utf-8", "replace"))
    try:
        value = None if readable is None else load_json(readable)
    except ValueError:
        return None
    return value if isinstance(value, dict | list) else None


def doubtful_error(cause: WireError) -> WireError:
    """Return the error of `outcome_unknown`, which includes the cause."""
    return WireError(
        code=ErrorCode.OUTCOME_UNKNOWN,
        message=f"The request may or may not have been performed. {cause.message} "
        "Check the present state by reading before you try again.",
        detail={**cause.detail, "reason": cause.code.value},
    )
