"""`/api/audit`: the audit log of the caller; the operator can read that of everybody."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from bridge.audit import AuditKind
from bridge.errors import BridgeError, ErrorCode
from bridge.http.access import caller_of
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, ok
from bridge.http.routing import ApiModel, json_answer
from bridge.storage.audit_log import AuditCursor, AuditLog, AuditQuery, StoredAuditEntry
from bridge.storage.call_journal import CallJournal

PAGE_OF_ENTRIES = 100
"""Entries in one answer."""


class AuditFacts(ApiModel):
    """An entry of the audit log; `detail` holds the facts of its kind."""

    id: str
    at: float
    """UTC seconds since 1970."""
    kind: AuditKind
    user: str | None
    """Name of the user it concerns; None for no user, or a deleted one."""
    user_id: str | None
    actor: str
    call_id: str | None
    server: str | None
    operation: str | None
    detail: dict[str, Any]


class AuditList(ApiModel):
    """Entries, newest first. `next` is the value of `before` for the rest; None at the end."""

    entries: list[AuditFacts]
    next: str | None


class AuditRoutes(DeclaredApiRoutes):
    """Handlers of the audit log."""

    def __init__(self, audit: AuditLog, journal: CallJournal) -> None:
        """`journal`: whose calls are among the entries."""
        self._audit = audit
        self._journal = journal

    @api_route(
        "GET /api/audit",
        ok("Entries; for older ones, send `next` as `?before=`.", AuditList),
        access="page",
        errors=(ErrorCode.INVALID_REQUEST, ErrorCode.OPERATOR_ONLY),
        query={
            "before": "`next` of the previous answer.",
            "kind": "Only entries of this kind; several are separated by commas.",
            "since": "Only entries from this time on, in UTC seconds since 1970.",
            "users": "`all`: entries of every user and of none; for the operator only.",
        },
    )
    async def list_audit(self, request: web.Request) -> web.Response:
        """List the entries of the audit log, newest first. The operator may ask for all users'."""
        caller = caller_of(request)
        wants_all = request.query.get("users") == "all"
        if wants_all and not caller.user.is_operator:
            message = "Only an operator of the bridge may read what happened to other users."
            raise BridgeError(ErrorCode.OPERATOR_ONLY, message)
        query = AuditQuery(
            user_id=None if wants_all else caller.user.id,
            kinds=_kinds(request.query.get("kind")),
            since=_time(request.query.get("since")),
            before=_place(request.query.get("before")),
            limit=PAGE_OF_ENTRIES,
        )
        await self._journal.catch_up()
        found = await self._audit.read_entries(query)
        more = str(found[-1].place) if len(found) == PAGE_OF_ENTRIES else None
        return json_answer(AuditList(entries=[audit_facts(stored) for stored in found], next=more))


def audit_facts(stored: StoredAuditEntry) -> AuditFacts:
    """Return an entry in the form of the API."""
    entry = stored.entry
    return AuditFacts(
        id=str(stored.place),
        at=entry.at,
        kind=entry.kind,
        user=stored.user,
        user_id=entry.user_id,
        actor=entry.actor,
        call_id=entry.call_id,
        server=entry.server_id,
        operation=entry.operation_key,
        detail=dict(entry.detail),
    )


def _kinds(text: str | None) -> list[AuditKind] | None:
    try:
        return [AuditKind(name) for name in text.split(",")] if text else None
    except ValueError:
        raise _invalid("kind", f"is one of {', '.join(AuditKind)}") from None


def _time(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        raise _invalid("since", "is a time in UTC seconds since 1970") from None


def _place(text: str | None) -> AuditCursor | None:
    try:
        return AuditCursor.parse_cursor(text) if text else None
    except ValueError:
        raise _invalid("before", "is what `next` of another answer gave") from None


def _invalid(field: str, meaning: str) -> BridgeError:
    return BridgeError(ErrorCode.INVALID_REQUEST, f"{field}: {meaning}.", detail={"field": field})
