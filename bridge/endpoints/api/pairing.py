"""Pairing of browsers: `POST /api/devices` with a ticket, `/api/pairings` with a code."""

from __future__ import annotations

from typing import Any, Literal

from aiohttp import hdrs, web
from pydantic import Field

from bridge.audit import AuditKind
from bridge.auth.browser_keys import canonical_public_key
from bridge.auth.identity import Identity
from bridge.auth.pairing_codes import CODE_SECONDS, PairingCodes, ShownCode
from bridge.browsers.browser_names import browser_name
from bridge.calls.limits.token_bucket import RateLimit
from bridge.errors import ErrorCode
from bridge.http.access import caller_of
from bridge.http.audit import set_audit_detail
from bridge.http.body import read_body
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, created, ok
from bridge.http.login_cookie import LoginCookie
from bridge.http.routing import ApiModel, RouteAnswer, address_of, json_answer, limit_key_of
from bridge.storage.users import NewDevice

PAIRINGS = 60
PAIRINGS_IN_ALL = 600
"""Maximum tickets that are refused and requests for a code, of one address and of all, in a minute."""

STANDINGS = 20 * 60
STANDINGS_IN_ALL = 500 * 60
"""Maximum questions about how a code stands, of one address and of all, in a minute: each costs the database
a look, and every browser that may wait at once asks every two seconds."""


class Pairing(ApiModel):
    """A ticket and the public half of the browser's key."""

    ticket: str = Field(max_length=200)
    public_key: dict[str, Any]


class Paired(ApiModel):
    """A browser that is now a device of the user."""

    device_id: str
    user: str
    user_id: str
    printed: bool
    """By a link from the command line, or a login. For who started the bridge, opening such a link accepts
    the documents named there (ruling 20)."""


class NewPairing(ApiModel):
    """The public half of the key of a browser without a ticket."""

    public_key: dict[str, Any]


class PairingCode(ApiModel):
    """The code that a waiting browser shows, and the secret with which it polls its status."""

    code: str
    secret: str
    expires_in: int


class PairingSecret(ApiModel):
    """The secret of a waiting browser."""

    secret: str = Field(max_length=100)


class PairingStanding(ApiModel):
    """The status of a waiting browser; the last three members are set once it is `confirmed`."""

    state: Literal["waiting", "confirmed", "refused", "expired"]
    device_id: str | None = None
    user: str | None = None
    user_id: str | None = None


class TypedCode(ApiModel):
    """A code as a person types it: letter case, spaces and hyphens do not matter."""

    code: str = Field(max_length=40)


class WaitingFacts(ApiModel):
    """A waiting browser. It chose its name itself; the address is what the bridge saw."""

    browser: str
    address: str
    asked_at: float


class PairingDecision(ApiModel):
    """Whether the browser that shows the code becomes a device of the caller's user."""

    code: str = Field(max_length=40)
    accept: bool


class PairingDecided(ApiModel):
    """The new device, or null when it was rejected."""

    device_id: str | None


_DECIDING = (ErrorCode.INVALID_REQUEST, ErrorCode.NOT_FOUND, ErrorCode.RATE_LIMITED)


class PairingRoutes(DeclaredApiRoutes):
    """Handlers of pairing."""

    def __init__(self, identity: Identity, pairing_codes: PairingCodes, cookie: LoginCookie) -> None:
        self._identity = identity
        self._pairing_codes = pairing_codes
        self._cookie = cookie
        self._limit = identity.attempts.limit_attempts(
            "attempts to pair a browser", per_key=PAIRINGS, in_all=PAIRINGS_IN_ALL, window_s=60
        )
        self._standing_limit = RateLimit(
            "questions about a code", per_key=STANDINGS, in_all=STANDINGS_IN_ALL, window_s=60
        )

    @api_route(
        "POST /api/devices",
        {
            201: RouteAnswer("Paired; the ticket is used up.", Paired),
            202: RouteAnswer("The ticket is used up; another browser of its user must confirm.", PairingCode),
        },
        body=Pairing,
        access="public",
        errors=(
            ErrorCode.UNAUTHORIZED,
            ErrorCode.INVALID_REQUEST,
            ErrorCode.RATE_LIMITED,
            ErrorCode.QUOTA_EXCEEDED,
        ),
        audited=AuditKind.DEVICE_PAIRED,
    )
    async def pair_device(self, request: web.Request) -> web.Response:
        """Pair a browser with the ticket's user.

        A further browser with a link that was not printed must be confirmed.
        """
        pairing = await read_body(request, Pairing)
        public_key = canonical_public_key(pairing.public_key)
        ticket = self._cookie.complete_ticket(request, pairing.ticket)
        spending = self._identity.pair_browser(ticket, public_key, _browser_of(request))
        found = await self._limit.run_counted(limit_key_of(request), spending)
        if isinstance(found, NewDevice):
            device, user = found.device, found.device.user
            set_audit_detail(request, user_id=user.id, device=device.id, browser=device.name, by="link")
            paired = Paired(device_id=device.id, user=user.name, user_id=user.id, printed=found.printed)
            return json_answer(paired, status=201)
        waiting = await self._pairing_codes.begin_waiting(
            public_key, browser=_browser_of(request), address=address_of(request), user_id=found.id
        )
        set_audit_detail(request, user_id=found.id, device=None, by="link", waits_for_confirmation=True)
        return json_answer(_pairing_code(waiting), status=202)

    @api_route(
        "POST /api/pairings",
        created("The code to show.", PairingCode),
        body=NewPairing,
        access="public",
        errors=(ErrorCode.INVALID_REQUEST, ErrorCode.RATE_LIMITED),
    )
    async def ask_for_pairing(self, request: web.Request) -> web.Response:
        """Get a code to type in a browser that is already paired."""
        await self._limit.take_attempt(limit_key_of(request))
        public_key = canonical_public_key((await read_body(request, NewPairing)).public_key)
        waiting = await self._pairing_codes.begin_waiting(
            public_key, browser=_browser_of(request), address=address_of(request)
        )
        return json_answer(_pairing_code(waiting), status=201)

    @api_route(
        "POST /api/pairings/standing",
        ok("How things stand.", PairingStanding),
        body=PairingSecret,
        access="public",
        errors=(ErrorCode.INVALID_REQUEST, ErrorCode.RATE_LIMITED),
    )
    async def show_pairing(self, request: web.Request) -> web.Response:
        """Show whether the code has been confirmed."""
        self._standing_limit.take_token(limit_key_of(request))
        waiting = await self._pairing_codes.find_waiting((await read_body(request, PairingSecret)).secret)
        if waiting is None:
            return json_answer(PairingStanding(state="expired"))
        if waiting.state == "refused":
            return json_answer(PairingStanding(state="refused"))
        if waiting.state == "waiting":
            return json_answer(PairingStanding(state="waiting"))
        if (device := waiting.device) is None:
            return json_answer(PairingStanding(state="expired"))
        user = device.user
        return json_answer(
            PairingStanding(state="confirmed", device_id=device.id, user=user.name, user_id=user.id)
        )

    @api_route(
        "POST /api/pairings/code",
        ok("Its name and address.", WaitingFacts),
        body=TypedCode,
        access="page",
        errors=_DECIDING,
    )
    async def find_pairing(self, request: web.Request) -> web.Response:
        """Show which browser is waiting with this code."""
        caller = caller_of(request)
        typed = await read_body(request, TypedCode)
        found = await self._pairing_codes.find_by_code(caller.user, typed.code)
        return json_answer(
            WaitingFacts(browser=found.browser, address=found.address, asked_at=found.requested_at)
        )

    @api_route(
        "POST /api/pairings/decision",
        ok("Done.", PairingDecided),
        body=PairingDecision,
        access="page",
        errors=(*_DECIDING, ErrorCode.QUOTA_EXCEEDED),
        audited=AuditKind.DEVICE_PAIRED,
    )
    async def decide_pairing(self, request: web.Request) -> web.Response:
        """Accept or reject the browser that is waiting with this code."""
        caller = caller_of(request)
        decision = await read_body(request, PairingDecision)
        device = await self._pairing_codes.decide_pairing(caller.user, decision.code, accept=decision.accept)
        set_audit_detail(request, device=device.id if device else None, by="code", accepted=decision.accept)
        return json_answer(PairingDecided(device_id=device.id if device else None))


def _browser_of(request: web.Request) -> str:
    return browser_name(request.headers.get(hdrs.USER_AGENT, ""))


def _pairing_code(waiting: ShownCode) -> PairingCode:
    return PairingCode(code=waiting.code, secret=waiting.secret, expires_in=CODE_SECONDS)
