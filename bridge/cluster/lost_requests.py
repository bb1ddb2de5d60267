"""What a caller hears whose request was passed on to a home that is lost: what became of it, as it is kept.

The next home settles the calls that the lost one left; this waits for it, and reads the ending by the id
under which the request was passed on. Nothing is sent again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bridge.calls.fenced_journal import KEPT_S, LOOK_S, KnownCall, told_outcome
from bridge.cluster.homes import Homes
from bridge.errors import BridgeError, ErrorCode, WireError
from bridge.homes import Home
from bridge.tasks import sleep_safely

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

CALLING_PATHS = frozenset(
    {
        "/tools/{tool}",
        "/servers/{server}/tools/{tool}",
        "/api/calls",
        "/api/calls/{id}/retry",
        "/api/batches",
        "/mcp",
        "/servers/{server}/mcp",
    }
)
"""Patterns of paths whose requests do nothing but call tools: each unsafe call is in the journal before it is
sent, so that a request without one has changed nothing."""


@dataclass(frozen=True, slots=True)
class LostRequest:
    """A request whose home was lost before anything of its response went to the caller."""

    method: str
    pattern: str
    """Pattern of the path that it matched."""
    user_id: str
    home: Home
    request_id: str
    """The id under which it was passed on."""
    may_be_done: bool
    """Whether the home had the whole request."""


class RequestRecords(Protocol):
    """What is stored under the ids of requests that were passed on.

    Raises, in every coroutine:
        BridgeError: `database_unavailable`.
    """

    async def find_relayed(self, user_id: str, request_id: str) -> Sequence[KnownCall]:
        """Return the unsafe calls of a request."""
        ...

    async def find_response(self, user_id: str, request_id: str) -> str | None:
        """Return the id of the stored response that a request made."""
        ...


class LostRequests:
    """Tells what became of requests."""

    def __init__(self, homes: Homes, records: RequestRecords) -> None:
        self._homes = homes
        self._records = records

    async def explain_loss(self, lost: LostRequest) -> BridgeError:
        """Return what the caller is told.

        Takes until the next home has settled the calls, at most `KEPT_S` seconds beyond the wait for it.
        """
        if not lost.may_be_done or lost.method in SAFE_METHODS:
            return _nothing_done()
        try:
            await self._homes.locate(lost.user_id, refused=lost.home)
            if lost.pattern in CALLING_PATHS:
                return await self._read_calls(lost.user_id, lost.request_id)
            return _perhaps_done(await self._records.find_response(lost.user_id, lost.request_id))
        except BridgeError:  # nobody can tell now
            return _perhaps_done(None)

    async def _read_calls(self, user_id: str, request_id: str) -> BridgeError:
        calls: Sequence[KnownCall] = ()
        for _ in range(int(KEPT_S / LOOK_S)):
            calls = await self._records.find_relayed(user_id, request_id)
            if all(call.outcome is not None for call in calls):
                break
            await sleep_safely(LOOK_S)
        if not calls:
            return _nothing_done()
        if len(calls) > 1:
            return _several(calls)
        error = _told(calls[0])
        return BridgeError(error.code, error.message, detail=error.detail, retryable=error.retryable)


def explain_stop(method: str) -> BridgeError:
    """Return what a caller is told whose request was under way at its home when this replica stopped."""
    return _nothing_done() if method in SAFE_METHODS else _perhaps_done(None)


def _told(call: KnownCall) -> WireError:
    if call.outcome is None or (error := told_outcome(call.outcome).error) is None:
        return _perhaps_done(None).error
    detail = {**error.detail, "call_id": call.call_id}
    return error.model_copy(update={"detail": detail})


def _several(calls: Sequence[KnownCall]) -> BridgeError:
    states = [None if call.outcome is None else call.outcome.state for call in calls]
    told = [
        {"call_id": call.call_id, "tool": call.tool, "state": state}
        for call, state in zip(calls, states, strict=True)
    ]
    message = (
        "The replica that was answering stopped or was cut off. What is known of the calls stands in the "
        "detail; read each by its id before you repeat it."
    )
    return BridgeError(ErrorCode.REPLICA_LOST, message, detail={"calls": told})


def _nothing_done() -> BridgeError:
    message = "The replica that was answering stopped or was cut off; nothing was changed. Try again."
    return BridgeError(ErrorCode.REPLICA_LOST, message, retryable=True)


def _perhaps_done(response_id: str | None) -> BridgeError:
    told, detail = "the request may have been worked on: look before you repeat it", dict[str, object]()
    if response_id is not None:
        told = f"what is stored of its answer is the response {response_id}"
        detail = {"response_id": response_id}
    message = f"The replica that was answering stopped or was cut off; {told}."
    return BridgeError(ErrorCode.REPLICA_LOST, message, detail=detail)
