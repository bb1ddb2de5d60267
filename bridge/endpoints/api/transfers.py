"""Contents of a browser on their way to another one of the same user: `/api/transfers`."""

from __future__ import annotations

from aiohttp import web
from pydantic import Field

from bridge.audit import AuditKind
from bridge.browsers.transfers import (
    MAX_TRANSFER_CHARS,
    TRANSFER_SECONDS,
    Transfers,
    TransferStanding,
)
from bridge.errors import ErrorCode
from bridge.http.access import caller_of
from bridge.http.audit import set_audit_detail
from bridge.http.body import read_body
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, created, ok
from bridge.http.routing import ApiModel, Confirmation, json_answer

ID = r"^[0-9a-f]{32}$"
BODY_BYTES = MAX_TRANSFER_CHARS + 64 * 1024
"""Maximum bytes of an offer: the envelope, whose quotes are escaped in the JSON around it."""


class TransferOffer(ApiModel):
    """What a browser hands over: encrypted there, under a key that is never sent."""

    id: str = Field(pattern=ID)
    envelope: str = Field(min_length=1, max_length=MAX_TRANSFER_CHARS)


class TransferWaits(ApiModel):
    """How long it can be fetched, in seconds."""

    expires_in: int


class TransferId(ApiModel):
    """Derived from the code in the browser; the key cannot be derived from it."""

    id: str = Field(pattern=ID)


class TransferFetched(ApiModel):
    """What the other browser handed over, as it was."""

    envelope: str


class TransferFacts(ApiModel):
    """How the user's last transfer stands."""

    state: TransferStanding


class TransferRoutes(DeclaredApiRoutes):
    """Handlers of transfers."""

    def __init__(self, transfers: Transfers) -> None:
        self._transfers = transfers

    @api_route(
        "POST /api/transfers",
        created("It waits to be fetched.", TransferWaits),
        body=TransferOffer,
        access="page",
        errors=(ErrorCode.INVALID_REQUEST, ErrorCode.TOO_LARGE, ErrorCode.RATE_LIMITED),
        audited=AuditKind.BROWSER_MOVED,
    )
    async def offer_transfer(self, request: web.Request) -> web.Response:
        """Hand over what lives only in this browser, encrypted, in place of a former offer."""
        offer = await read_body(request, TransferOffer, max_bytes=BODY_BYTES)
        self._transfers.offer_transfer(caller_of(request).user.id, offer.id, offer.envelope)
        set_audit_detail(request, step="offered")
        return json_answer(TransferWaits(expires_in=TRANSFER_SECONDS), status=201)

    @api_route(
        "POST /api/transfers/fetch",
        ok("As it was handed over.", TransferFetched),
        body=TransferId,
        access="page",
        errors=(ErrorCode.INVALID_REQUEST, ErrorCode.NOT_FOUND, ErrorCode.RATE_LIMITED),
        audited=AuditKind.BROWSER_MOVED,
    )
    async def fetch_transfer(self, request: web.Request) -> web.Response:
        """Fetch what another browser of the user handed over; works once."""
        wanted = await read_body(request, TransferId)
        envelope = self._transfers.take_transfer(caller_of(request).user.id, wanted.id)
        set_audit_detail(request, step="fetched")
        return json_answer(TransferFetched(envelope=envelope))

    @api_route("GET /api/transfers", ok("How things stand.", TransferFacts), access="page")
    async def show_transfer(self, request: web.Request) -> web.Response:
        """Show whether what was handed over has been fetched."""
        return json_answer(TransferFacts(state=self._transfers.find_standing(caller_of(request).user.id)))

    @api_route(
        "DELETE /api/transfers",
        ok("Nothing waits any more.", Confirmation),
        access="page",
        audited=AuditKind.BROWSER_MOVED,
    )
    async def withdraw_transfer(self, request: web.Request) -> web.Response:
        """Take back what was not fetched."""
        self._transfers.withdraw_transfer(caller_of(request).user.id)
        set_audit_detail(request, step="withdrawn")
        return json_answer(Confirmation())
