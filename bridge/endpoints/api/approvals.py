"""`/api/approval`: which calls need approval, and the grants that excuse calls from it."""

from __future__ import annotations

from aiohttp import web

from bridge.audit import AuditKind
from bridge.calls.approval_policy import Grant, GrantScope
from bridge.calls.approvals import Approvals
from bridge.errors import BridgeError, ErrorCode
from bridge.http.access import caller_of
from bridge.http.audit import set_audit_detail
from bridge.http.body import read_body
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, ok
from bridge.http.routing import ApiModel, json_answer
from bridge.settings.approvals import ApprovalMode


class GrantFacts(ApiModel):
    """A grant: calls of one unchanged operation need no approval. Times are UTC seconds since 1970."""

    id: str
    server: str
    operation: str
    """For example `POST /orders`."""
    digest: str
    scope: GrantScope
    chat_id: str | None
    caller_id: str | None
    """With `chat_id`: the id of the key that asked, or of the OAuth client; `page`: the page."""
    granted_at: float
    expires_at: float | None
    """None: until it is revoked or the operation changes."""


class ApprovalChoice(ApiModel):
    """The calls that need approval: `safe`: those that may change something, `ask`: all, `all`: none."""

    mode: ApprovalMode | None


class ApprovalFacts(ApiModel):
    """The caller's approval settings."""

    mode: ApprovalMode
    chosen: ApprovalMode | None
    """The user's own choice; None: the bridge's default."""
    default: ApprovalMode
    approval_s: float
    """Seconds to answer; no answer is a denial."""
    grants: list[GrantFacts]
    """Oldest first."""


_NOW = ok("What holds now.", ApprovalFacts)


class ApprovalRoutes(DeclaredApiRoutes):
    """Handlers of the mode and the grants."""

    def __init__(self, approvals: Approvals, approval_s: float) -> None:
        self._approvals = approvals
        self._approval_s = approval_s

    @api_route("GET /api/approval", _NOW)
    async def show_approval(self, request: web.Request) -> web.Response:
        """Show which calls need approval."""
        return await self._answer(caller_of(request).user.id)

    @api_route(
        "PUT /api/approval",
        _NOW,
        body=ApprovalChoice,
        access="page",
        errors=(ErrorCode.INVALID_REQUEST,),
        audited=AuditKind.SETTINGS,
    )
    async def choose_approval(self, request: web.Request) -> web.Response:
        """Choose which calls need approval. Null chooses the bridge's default."""
        caller = caller_of(request)
        mode = (await read_body(request, ApprovalChoice)).mode
        await self._approvals.choose_mode(caller.user.id, mode)
        set_audit_detail(request, approval=mode)
        return await self._answer(caller.user.id)

    @api_route("DELETE /api/approval/grants", _NOW, access="page", audited=AuditKind.GRANT)
    async def revoke_grants(self, request: web.Request) -> web.Response:
        """Revoke every grant, so that all calls need approval again."""
        caller = caller_of(request)
        grants = await self._approvals.list_grants(caller.user.id)
        await self._approvals.revoke_grants(caller.user.id, [grant.id for grant in grants])
        set_audit_detail(request, revoked=len(grants))
        return await self._answer(caller.user.id)

    @api_route(
        "DELETE /api/approval/grants/{id}",
        _NOW,
        access="page",
        errors=(ErrorCode.NOT_FOUND,),
        audited=AuditKind.GRANT,
    )
    async def revoke_grant(self, request: web.Request) -> web.Response:
        """Revoke one grant, so that its calls need approval again."""
        caller = caller_of(request)
        grant_id = request.match_info["id"]
        if not await self._approvals.revoke_grants(caller.user.id, [grant_id]):
            raise BridgeError(ErrorCode.NOT_FOUND, f"There is no grant {grant_id!r}; it may have expired.")
        set_audit_detail(request, revoked=1)
        return await self._answer(caller.user.id)

    async def _answer(self, user_id: str) -> web.Response:
        facts = ApprovalFacts(
            mode=await self._approvals.mode_of_user(user_id),
            chosen=await self._approvals.chosen_mode(user_id),
            default=self._approvals.default,
            approval_s=self._approval_s,
            grants=[_facts(grant) for grant in await self._approvals.list_grants(user_id)],
        )
        return json_answer(facts)


def _facts(grant: Grant) -> GrantFacts:
    return GrantFacts(
        id=grant.id,
        server=grant.server_id,
        operation=grant.operation_key,
        digest=grant.digest,
        scope=grant.scope,
        chat_id=grant.chat_id,
        caller_id=grant.caller_id,
        granted_at=grant.granted_at,
        expires_at=grant.expires_at,
    )
