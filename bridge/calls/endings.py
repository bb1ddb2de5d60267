"""The errors of calls whose end no page reported: what happened and what to do. Pure."""

from __future__ import annotations

from typing import Literal

from bridge.browser_protocol import DecisionReason
from bridge.calls.limits.settings import Deadline, SetBy
from bridge.errors import ErrorCode, WireError
from bridge.settings.limits import name_in_full


def page_lost() -> WireError:
    """Return the error for a page that went away with its call and did not come back in time."""
    message = "The bridge page was closed, reloaded or lost its connection while the call was running."
    return WireError(code=ErrorCode.NO_BROWSER, message=message, retryable=True)


def page_too_old() -> WireError:
    """Return the error for a call whose page, from before an update, cannot build the edited request."""
    message = (
        "The bridge page was open before the bridge was updated, and cannot make calls of edited tools. "
        "Nothing was sent. Reload the page."
    )
    return WireError(code=ErrorCode.NO_BROWSER, message=message, retryable=True)


def worker_lost() -> WireError:
    """Return the error for a page that came back without the worker that had begun the call."""
    message = "The bridge page was reloaded while the request was under way."
    return WireError(code=ErrorCode.NO_BROWSER, message=message, retryable=True)


def bridge_stopped() -> WireError:
    """Return the error for a call interrupted because the bridge stops."""
    message = "The bridge was stopped while the call was running."
    return WireError(code=ErrorCode.NO_BROWSER, message=message, retryable=True)


def replica_lost(*, is_unsent: bool, safe: bool = False) -> WireError:
    """Return the error for a call whose replica was lost, or does not have its user any more."""
    message = "The replica that had this call stopped or was cut off"
    ending = "; nothing was sent. Try again." if is_unsent else " while the call was running."
    return WireError(code=ErrorCode.REPLICA_LOST, message=f"{message}{ending}", retryable=is_unsent or safe)


def answer_lost() -> WireError:
    """Return the error for a call that succeeded, and whose answer was in a replica that is gone."""
    message = (
        "The call was performed and succeeded, but its answer was lost with the replica that had it. "
        "Do not repeat the call; read what it changed."
    )
    return WireError(code=ErrorCode.ANSWER_LOST, message=message, detail={"performed": True})


def stopped(by: Literal["caller", "user"]) -> WireError:
    """Return the error for a call that its caller or its user stopped."""
    who = "The caller went away" if by == "caller" else "The user stopped the call"
    return WireError(code=ErrorCode.CANCELLED, message=f"{who} before the call ended.", detail={"by": by})


def out_of_time(deadline_s: float, *, safe: bool) -> WireError:
    """Return the error for a call whose deadline has passed."""
    message = f"No answer within {deadline_s:g} s."
    return WireError(
        code=ErrorCode.TIMEOUT, message=message, detail={"deadline_s": deadline_s}, retryable=safe
    )


def with_first_try(error: WireError, first: WireError | None) -> WireError:
    """Return the error of a call that was not sent, or what its first try met, if there was one.

    The first may have arrived; why the second one was not sent, such as a grant that was taken back, says
    nothing about that.
    """
    if first is None:
        return error
    return WireError(
        code=first.code,
        message=f"{first.message} A second try was not sent: {error.message}",
        detail={**first.detail, "second_try": error.code.value},
        retryable=error.retryable,
    )


def ran_out_of_time(error: WireError) -> bool:
    """Whether the deadline ended the call, whichever side noticed it."""
    return ErrorCode.TIMEOUT in (error.code, error.detail.get("reason"))


def with_deadline(error: WireError, deadline: Deadline | None) -> WireError:
    """Return the error, extended by which deadline has passed if one has."""
    if deadline is None or not ran_out_of_time(error):
        return error
    return WireError(
        code=error.code,
        message=f"{error.message} That is {_WHOSE[deadline.set_by]}.",
        detail={**error.detail, "deadline_s": round(deadline.seconds, 3), "set_by": deadline.set_by},
        retryable=error.retryable,
    )


_WHOSE: dict[SetBy, str] = {
    "call": "the deadline that the caller set",
    "tool": "the deadline of this tool",
    "server": "the deadline of its server",
    "user": "the deadline of its user",
    "TOOL_TIMEOUT_SECONDS": name_in_full("TOOL_TIMEOUT_SECONDS"),
    "TOOL_BATCH_TIMEOUT_SECONDS": "the end of its batch",
}


def denied(reason: DecisionReason, approval_s: float) -> WireError:
    """Return the error for a user who said no or did not answer, or a policy that does not allow the call."""
    messages: dict[DecisionReason, str] = {
        "user": "The user denied this call; nothing was sent. Do not repeat it unless the user asks for it.",
        "policy": "Nobody is at the page that would run this call, and its policy does not allow it; nothing "
        "was sent. Do not repeat it.",
        "no_answer": f"The user did not approve this call within {approval_s:g} s, which counts as a denial.",
    }
    return WireError(code=ErrorCode.DENIED, message=messages[reason], detail={"reason": reason})


def database_unavailable() -> WireError:
    """Return the error for a call that cannot be recorded: an unsafe one is not sent before it is."""
    message = (
        "The bridge cannot write to its database, so it sends no call that may change something. "
        "Calls that only read still work. See the bridge's log; is the disk full?"
    )
    return WireError(code=ErrorCode.DATABASE_UNAVAILABLE, message=message, retryable=True)
