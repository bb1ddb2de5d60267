"""Passes what pages report of calls on to the dispatcher; audits decisions and forged reports."""

from __future__ import annotations

from collections.abc import Mapping

from bridge.audit import Audit, AuditKind
from bridge.auth.rejected_requests import RejectedRequests
from bridge.browser_protocol import EVENT_DECISION, EVENT_RESULT, Accepted, Decision, DecisionReply, Result
from bridge.calls.dispatcher import Dispatcher
from bridge.calls.open_call import Confirmation, OpenCall, Page
from bridge.calls.state_machine import CallPhase

FORGED = "forged"
"""Code of a rejection: a page reported on a call that another page has, or that another user made."""


class AuditedListener:
    """Implements the gateway's `CallListener`; passes everything to the dispatcher unchanged."""

    def __init__(self, dispatcher: Dispatcher, audit: Audit, rejections: RejectedRequests) -> None:
        self._dispatcher = dispatcher
        self._audit = audit
        self._rejections = rejections

    def accept_call(self, sid: str, accepted: Accepted) -> None:
        """Pass on to the dispatcher."""
        self._dispatcher.accept_call(sid, accepted)

    async def apply_decision(self, sid: str, decision: Decision) -> DecisionReply:
        """Pass on to the dispatcher, and note the decision once.

        A page repeats a decision when the answer was lost, and when an approved call has got its slot.
        """
        call = self._dispatcher.open_call(decision.call_id)
        if call is not None and call.sid != sid:
            if call.sid is not None:  # else it was withdrawn from a page that may not know yet
                self._rejections.record_rejection(FORGED, f"socket {sid}", endpoint=EVENT_DECISION)
            call = None
        is_new = call is not None and _is_undecided(call, decision)
        reply = await self._dispatcher.apply_decision(sid, decision)
        if call is not None and is_new:
            self._add_audit_entry(call, decision, reply)
        return reply

    def take_report(self, user_id: str, sid: str, result: Result) -> Confirmation | None:
        """Pass on to the dispatcher."""
        call = self._dispatcher.open_call(result.call_id)
        if call is not None and call.user_id != user_id:
            self._rejections.record_rejection(
                FORGED, f"socket of user {user_id}", endpoint=EVENT_RESULT, user_id=user_id
            )
        return self._dispatcher.take_report(user_id, sid, result)

    def abandon_session(self, sid: str) -> None:
        """Pass on to the dispatcher."""
        self._dispatcher.abandon_session(sid)

    def reconcile_page(
        self, user_id: str, page: Page, alive: frozenset[str], listed: Mapping[str, str]
    ) -> list[str]:
        """Pass on to the dispatcher."""
        return self._dispatcher.reconcile_page(user_id, page, alive, listed)

    def _add_audit_entry(self, call: OpenCall, decision: Decision, reply: DecisionReply) -> None:
        request = call.request
        is_waiting = not reply.may_begin and call.outcome is None
        detail = {
            "decision": decision.decision,
            "reason": decision.reason,
            **request.context.origin,
        }
        self._audit.add_entry(
            AuditKind.DECISION,
            call.user_id,
            f"page {call.device_id}",
            call_id=call.call_id,
            server_id=request.server_id,
            operation_key=request.operation_key,
            detail=detail | ({"waits": True} if is_waiting else {"go": reply.may_begin}),
        )


def _is_undecided(call: OpenCall, decision: Decision) -> bool:
    if call.phase is CallPhase.APPROVED:
        return decision.decision == "denied"
    return call.phase in (CallPhase.SENT, CallPhase.ASKING, CallPhase.AWAITING_APPROVAL)
