"""The history in `/api/calls`: listing calls, cancelling open ones, repeating ended ones."""

from __future__ import annotations

import math
from collections.abc import Iterable

from aiohttp import web

from bridge.calls.call_facts import CallFacts
from bridge.calls.dispatcher import Dispatcher
from bridge.errors import BridgeError, ErrorCode
from bridge.http.access import caller_of
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, ok
from bridge.http.routing import ApiModel, Confirmation, json_answer
from bridge.storage.call_journal import CallJournal
from bridge.storage.call_mapping import facts_of_call

PAGE_OF_CALLS = 100
"""Calls in one answer."""


class CallList(ApiModel):
    """Calls, newest first. `next` is the value of `before` for the rest; None at the end."""

    calls: list[CallFacts]
    next: float | None


class CallHistoryRoutes(DeclaredApiRoutes):
    """Handlers of the history of calls."""

    def __init__(self, dispatcher: Dispatcher, journal: CallJournal) -> None:
        self._dispatcher = dispatcher
        self._journal = journal

    @api_route(
        "GET /api/calls",
        ok(
            "Calls; `?before=` a time lists older ones, `?open=true` only open ones, "
            "`?server=` an id with `&operation=` a key only those of one operation.",
            CallList,
        ),
        errors=(ErrorCode.INVALID_REQUEST,),
    )
    async def list_calls(self, request: web.Request) -> web.Response:
        """List the caller's calls, open ones and those of the last 30 days, newest first.

        Open ones are in their current state, not the journal's.
        """
        caller = caller_of(request)
        operation = _operation(request)
        opened = {
            call.call_id: facts_of_call(call)
            for call in self._dispatcher.open_calls(caller.user.id)
            if operation in (None, (call.request.server_id, call.request.operation_key))
        }
        if _is_true(request.query.get("open")):
            return json_answer(CallList(calls=_newest_first(opened.values()), next=None))
        before = _time(request.query.get("before"))
        stored = await self._journal.list_calls(
            caller.user.id, before=before, limit=PAGE_OF_CALLS, operation=operation
        )
        more = stored[-1].opened_at if len(stored) == PAGE_OF_CALLS else None
        ended = [call for call in stored if call.call_id not in opened]
        now = [call for call in opened.values() if (more or 0.0) <= call.opened_at < (before or math.inf)]
        return json_answer(CallList(calls=_newest_first([*now, *ended]), next=more))

    @api_route("GET /api/calls/{id}", ok("The call.", CallFacts), errors=(ErrorCode.NOT_FOUND,))
    async def show_call(self, request: web.Request) -> web.Response:
        """Show one call."""
        caller = caller_of(request)
        call_id = request.match_info["id"]
        call = self._dispatcher.open_call(call_id)
        if call is not None and call.user_id == caller.user.id:
            return json_answer(facts_of_call(call))
        stored = await self._journal.find_call(caller.user.id, call_id)
        if stored is None:
            message = f"There is no call {call_id!r}; calls are stored for 30 days."
            raise BridgeError(ErrorCode.NOT_FOUND, message)
        return json_answer(stored)

    @api_route(
        "POST /api/calls/{id}/cancel", ok("It has ended.", Confirmation), errors=(ErrorCode.NOT_FOUND,)
    )
    async def cancel_call(self, request: web.Request) -> web.Response:
        """Stop a call that is open; its page aborts the request."""
        caller = caller_of(request)
        call_id = request.match_info["id"]
        if not self._dispatcher.cancel_call(call_id, caller.user.id, "user"):
            raise BridgeError(ErrorCode.NOT_FOUND, f"There is no open call {call_id!r}; it may have ended.")
        return json_answer(Confirmation())


def _newest_first(calls: Iterable[CallFacts]) -> list[CallFacts]:
    return sorted(calls, key=lambda call: call.opened_at, reverse=True)


def _operation(request: web.Request) -> tuple[str, str] | None:
    server = request.query.get("server")
    key = request.query.get("operation")
    if (server is None) != (key is None):
        message = "server and operation: the id of a server and the key of its operation, or neither."
        raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"field": "operation"})
    return None if server is None or key is None else (server, key)


def _is_true(text: str | None) -> bool:
    if text not in (None, "true", "false"):
        message = "open: true for calls that have not ended, or false."
        raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"field": "open"})
    return text == "true"


def _time(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        message = "before: a time in UTC seconds since 1970, as `next` gives it."
        raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"field": "before"}) from None
