"""The history in `/api/calls`: listing calls, cancelling open ones, repeating ended ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from aiohttp import web

from bridge.calls.call_facts import CallFacts
from bridge.calls.call_filter import CALL_KINDS, CallFilter, CallKind
from bridge.calls.dispatcher import Dispatcher
from bridge.errors import BridgeError, ErrorCode
from bridge.http.access import caller_of
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, ok
from bridge.http.routing import ApiModel, Confirmation, json_answer
from bridge.storage.call_journal import CallJournal
from bridge.storage.call_mapping import facts_of_call
from bridge.storage.calls.refused_calls import RefusedCallTables, StoredRefusal

PAGE_OF_CALLS = 100
"""Calls in one answer."""

MAX_WORDS_CHARS = 200
"""Maximum characters of the words that calls are searched for."""


class CallList(ApiModel):
    """Calls, newest first. `next` is the value of `before` for the rest; None at the end."""

    calls: list[CallFacts]
    next: float | None


class RefusedCallFacts(ApiModel):
    """A call that was refused before a page was asked. Neither arguments nor message are stored."""

    id: str
    tool: str
    """As the caller wrote it, if there is no such tool."""
    server: str | None
    """None: not known."""
    code: str
    """Error code that the caller got."""
    asked_by: str | None
    chat_id: str | None
    at: float
    """UTC seconds since 1970."""


class RefusedCallList(ApiModel):
    """The newest 200 refused calls, newest first."""

    calls: list[RefusedCallFacts]
    total: int
    """Refused calls of the last 30 days, with older ones that were only counted."""


class AskerList(ApiModel):
    """Who asked for the newest 5,000 calls, as `asked_by` of a call names them; in order of the alphabet."""

    askers: list[str]


class CallHistoryRoutes(DeclaredApiRoutes):
    """Handlers of the history of calls."""

    def __init__(self, dispatcher: Dispatcher, journal: CallJournal, refused: RefusedCallTables) -> None:
        self._dispatcher = dispatcher
        self._journal = journal
        self._refused = refused

    @api_route(
        "GET /api/calls",
        ok(
            "Calls; `?before=` a time lists older ones, `?open=true` only open ones. `?server=` an id, "
            "`&operation=` a key, `&asker=` as `asked_by` says it, `&state=` `good`, `bad` or `not_made`, "
            "`&since=` a time and `&text=` a part of a tool or operation narrow the list.",
            CallList,
        ),
        errors=(ErrorCode.INVALID_REQUEST,),
    )
    async def list_calls(self, request: web.Request) -> web.Response:
        """List the caller's calls, open ones and those of the last 30 days, newest first.

        Open ones are in their current state, not the journal's.
        """
        caller = caller_of(request)
        which = _filter_of(request)
        facts = (facts_of_call(call) for call in self._dispatcher.open_calls(caller.user.id))
        opened = {each.call_id: each for each in facts if which.includes(each)}
        if _is_true(request.query.get("open")):
            return json_answer(CallList(calls=_newest_first(opened.values()), next=None))
        before = _time(request, "before")
        stored = await self._journal.list_calls(
            caller.user.id, before=before, limit=PAGE_OF_CALLS, which=which
        )
        more = stored[-1].opened_at if len(stored) == PAGE_OF_CALLS else None
        ended = [call for call in stored if call.call_id not in opened]
        now = [call for call in opened.values() if (more or 0.0) <= call.opened_at < (before or math.inf)]
        return json_answer(CallList(calls=_newest_first([*now, *ended]), next=more))

    @api_route("GET /api/calls/refused", ok("Refused calls.", RefusedCallList))
    async def list_refused(self, request: web.Request) -> web.Response:
        """List the caller's newest calls that were refused before a page was asked."""
        found = await self._refused.list_refused(caller_of(request).user.id)
        calls = [_refused_facts(each) for each in found.calls]
        return json_answer(RefusedCallList(calls=calls, total=found.total))

    @api_route("GET /api/calls/askers", ok("Who asked.", AskerList))
    async def list_askers(self, request: web.Request) -> web.Response:
        """List who asked for the caller's newest calls."""
        return json_answer(AskerList(askers=await self._journal.list_askers(caller_of(request).user.id)))

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


def _refused_facts(call: StoredRefusal) -> RefusedCallFacts:
    return RefusedCallFacts(
        id=call.id,
        tool=call.tool,
        server=call.server_id,
        code=call.code,
        asked_by=call.asked_by,
        chat_id=call.chat_id,
        at=call.at,
    )


def _filter_of(request: web.Request) -> CallFilter:
    query = request.query
    server = query.get("server")
    key = query.get("operation")
    words = query.get("text", "")
    if server is None and key is not None:
        message = "operation: the key of an operation of the server that `server` names."
        raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"field": "operation"})
    if len(words) > MAX_WORDS_CHARS:
        message = f"text: at most {MAX_WORDS_CHARS} characters."
        raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"field": "text"})
    since = _time(request, "since")
    return CallFilter(server, key, query.get("asker"), _kind(query.get("state")), since, words)


_KINDS: Mapping[str, CallKind] = {kind: kind for kind in CALL_KINDS}


def _kind(text: str | None) -> CallKind | None:
    found = None if text is None else _KINDS.get(text)
    if text is not None and found is None:
        message = f"state: one of {', '.join(CALL_KINDS)}."
        raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"field": "state"})
    return found


def _is_true(text: str | None) -> bool:
    if text not in (None, "true", "false"):
        message = "open: true for calls that have not ended, or false."
        raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"field": "open"})
    return text == "true"


def _time(request: web.Request, name: str) -> float | None:
    text = request.query.get(name)
    try:
        return None if text is None else float(text)
    except ValueError:
        message = f"{name}: a time in UTC seconds since 1970, as `next` gives it."
        raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"field": name}) from None
