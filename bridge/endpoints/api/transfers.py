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
from bridge.http.routing import ApiModel, ApiRoute, Confirmation, RouteAnswer, json_answer

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


class TransferRoutes:
    """Handlers of transfers."""

    def __init__(self, transfers: Transfers) -> None:
        self._transfers = transfers

    def list_routes(self) -> list[ApiRoute]:
        """Return the routes of this class."""
        return [
            ApiRoute(
                "POST",
                "/api/transfers",
                self.offer,
                "offerTransfer",
                "Hand over what lives only in this browser, encrypted, in place of a former offer",
                {201: RouteAnswer("It waits to be fetched.", TransferWaits)},
                body=TransferOffer,
                access="page",
                errors=(ErrorCode.INVALID_REQUEST, ErrorCode.TOO_LARGE, ErrorCode.RATE_LIMITED),
                audited=AuditKind.BROWSER_MOVED,
            ),
            ApiRoute(
                "POST",
                "/api/transfers/fetch",
                self.fetch,
                "fetchTransfer",
                "Fetch what another browser of the user handed over; works once",
                {200: RouteAnswer("As it was handed over.", TransferFetched)},
                body=TransferId,
                access="page",
                errors=(ErrorCode.INVALID_REQUEST, ErrorCode.NOT_FOUND, ErrorCode.RATE_LIMITED),
                audited=AuditKind.BROWSER_MOVED,
            ),
            ApiRoute(
                "GET",
                "/api/transfers",
                self.show_standing,
                "showTransfer",
                "Show whether what was handed over has been fetched",
                {200: RouteAnswer("How things stand.", TransferFacts)},
                access="page",
            ),
            ApiRoute(
                "DELETE",
                "/api/transfers",
                self.withdraw,
                "withdrawTransfer",
                "Take back what was not fetched",
                {200: RouteAnswer("Nothing waits any more.", Confirmation)},
                access="page",
                audited=AuditKind.BROWSER_MOVED,
            ),
        ]

    async def offer(self, request: web.Request) -> web.Response:
        """Let a transfer wait for another browser of the caller's user."""
        offer = await read_body(request, TransferOffer, max_bytes=BODY_BYTES)
        self._transfers.offer_transfer(caller_of(request).user.id, offer.id, offer.envelope)
        set_audit_detail(request, step="offered")
        return json_answer(TransferWaits(expires_in=TRANSFER_SECONDS), status=201)

    async def fetch(self, request: web.Request) -> web.Response:
        """Return a transfer of the caller's user, once."""
        wanted = await read_body(request, TransferId)
        envelope = self._transfers.take_transfer(caller_of(request).user.id, wanted.id)
        set_audit_detail(request, step="fetched")
        return json_answer(TransferFetched(envelope=envelope))

    async def show_standing(self, request: web.Request) -> web.Response:
        """Show how the last transfer of the caller's user stands."""
        return json_answer(TransferFacts(state=self._transfers.find_standing(caller_of(request).user.id)))

    async def withdraw(self, request: web.Request) -> web.Response:
        """Forget the transfer of the caller's user."""
        self._transfers.withdraw_transfer(caller_of(request).user.id)
        set_audit_detail(request, step="withdrawn")
        return json_answer(Confirmation())
