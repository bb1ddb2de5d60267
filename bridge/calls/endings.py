"""The errors that end a call when no page reported one: what happened and what to do. Pure."""

from __future__ import annotations

from typing import Literal

from bridge.errors import ErrorCode, WireError
from bridge.limits.settings import Deadline, SetBy


def page_lost() -> WireError:
    """The page that had the call went away and did not come back in time."""
    message = "The bridge page was closed, reloaded or lost its connection while the call was running."
    return WireError(code=ErrorCode.NO_BROWSER, message=message, retryable=True)


def worker_lost() -> WireError:
    """The page came back, but what it had begun is gone with its worker."""
    message = "The bridge page was reloaded while the request was under way."
    return WireError(code=ErrorCode.NO_BROWSER, message=message, retryable=True)


def bridge_stopped() -> WireError:
    """The bridge itself ends."""
    message = "The bridge was stopped while the call was running."
    return WireError(code=ErrorCode.NO_BROWSER, message=message, retryable=True)


def stopped(by: Literal["caller", "user"]) -> WireError:
    """Somebody does not want the call any more."""
    who = "The caller went away" if by == "caller" else "The user stopped the call"
    return WireError(code=ErrorCode.CANCELLED, message=f"{who} before the call ended.", detail={"by": by})


def out_of_time(deadline_s: float, *, safe: bool) -> WireError:
    """The deadline passed."""
    message = f"No answer within {deadline_s:g} s."
    return WireError(
        code=ErrorCode.TIMEOUT, message=message, detail={"deadline_s": deadline_s}, retryable=safe
    )


def ran_out_of_time(error: WireError) -> bool:
    """Whether the deadline is what ended the call, whoever noticed it."""
    return ErrorCode.TIMEOUT in (error.code, error.detail.get("reason"))


def with_deadline(error: WireError, deadline: Deadline | None) -> WireError:
    """If the deadline passed, the error that also says which one that was; else the error as it is."""
    if deadline is None or not ran_out_of_time(error):
        return error
    return WireError(
        code=error.code,
        message=f"{error.message} That is {_WHOSE[deadline.set_by]}.",
        detail={**error.detail, "deadline_s": round(deadline.seconds, 3), "set_by": deadline.set_by},
        retryable=error.retryable,
    )


_WHOSE: dict[SetBy, str] = {
    "call": "the deadline that the call itself was given",
    "tool": "the deadline of this tool",
    "server": "the deadline of its server",
    "user": "the deadline of its user",
    "TOOL_TIMEOUT_SECONDS": "TOOL_TIMEOUT_SECONDS",
    "TOOL_BATCH_TIMEOUT_SECONDS": "the end of its batch",
}


def denied(reason: Literal["user", "no_answer"], approval_s: float) -> WireError:
    """The user said no, or nothing."""
    message = (
        "The user denied this call; nothing was sent. Do not repeat it unless the user asks for it."
        if reason == "user"
        else f"The user did not approve this call within {approval_s:g} s, which counts as a denial."
    )
    return WireError(code=ErrorCode.DENIED, message=message, detail={"reason": reason})


def store_unavailable() -> WireError:
    """What may change something is not sent before it is written down."""
    message = (
        "The bridge cannot write to its database, so it sends no call that may change something. "
        "Calls that only read go on. See the bridge's log; is the disk full?"
    )
    return WireError(code=ErrorCode.STORE_UNAVAILABLE, message=message, retryable=True)
