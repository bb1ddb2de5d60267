"""The caller's account: `/api/tickets`, `sessions`, `keys`, `me` and `connect`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Protocol

from aiohttp import web
from pydantic import Field

from bridge import __version__
from bridge.audit import AuditKind
from bridge.auth.identity import SESSION_SECONDS, Identity
from bridge.errors import BridgeError, ErrorCode
from bridge.http.access import caller_of
from bridge.http.audit import set_audit_detail
from bridge.http.body import read_body
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, created, ok
from bridge.http.login_cookie import LoginCookie
from bridge.http.routing import ApiModel, json_answer, limit_key_of
from bridge.http.static_page import ExecutorScript
from bridge.settings.answer_format import CallDisplay, MarkerForm
from bridge.settings.bridge import BridgeSettings
from bridge.settings.quotas import check_quota
from bridge.shown_names import SHOWN_NAME
from bridge.storage.users import UserTables

SESSION_ATTEMPTS = 600
SESSION_ATTEMPTS_IN_ALL = 6000
"""Maximum sessions that are refused to one address, and to all, a minute."""


class Redemption(ApiModel):
    """A ticket with which a paired browser was opened."""

    ticket: str = Field(max_length=200)


class Redeemed(ApiModel):
    """The user of a ticket; `redeemed`, and so used up, only if it is the caller's own."""

    user: str
    redeemed: bool
    printed: bool
    """Created at the command line: opening it accepts the documents named there (ruling 20)."""


class ChallengeRequest(ApiModel):
    """Which device wants to open a session."""

    device_id: str = Field(max_length=100)


class Challenge(ApiModel):
    """A nonce to sign once, within a minute."""

    nonce: str


class SignedChallenge(ApiModel):
    """The signature over `tool-bridge session ` and the nonce: ECDSA P-256, SHA-256, r and s, base64url."""

    device_id: str = Field(max_length=100)
    nonce: str = Field(max_length=200)
    signature: str = Field(max_length=200)
    version: str = Field(
        default="",
        max_length=100,
        description="digest in the addresses of the page's own files, of a page that wants its executor",
    )


class Session(ApiModel):
    """A bearer token for `/api` and the socket."""

    token: str
    expires_in: int
    user: str
    user_id: str
    executor: ExecutorScript | None
    """As `POST /api/executor` gives it, for a page of the bridge's own `version`; null for everybody else,
    and where the user is at home in another replica."""
    route: str
    """Query parameter `route` of the page's requests without this token; empty for one replica."""


class Me(ApiModel):
    """The caller."""

    user: str
    device_id: str | None
    operator: bool
    """The user who started the bridge, or one whose login says so: may do what concerns everybody."""
    base_url: str
    version: str
    pages: int
    """How many of the caller's pages are connected."""


class KeyFacts(ApiModel):
    """An API key without its secret."""

    id: str
    label: str
    created_at: float
    forwarder: bool
    """It acts for the users it names; created at the command line or by the operator."""
    show_calls: CallDisplay | None
    """How its answers of models show calls; null: `details` for a forwarder, else `hidden`."""
    markers: MarkerForm | None
    """How its answers mark their stored items; null: `link` for Open WebUI, else `off`."""


class KeyList(ApiModel):
    """The caller's API keys."""

    keys: list[KeyFacts]


class NewKey(ApiModel):
    """What the key is for."""

    label: Annotated[str, Field(max_length=100), SHOWN_NAME] = ""
    forwarder: bool = False
    """A key that acts for the users it names; only the operator may create one."""
    show_calls: CallDisplay | None = None
    markers: MarkerForm | None = None


class KeyOnce(ApiModel):
    """A new API key; it cannot be read again."""

    id: str
    key: str
    label: str


class ConnectFacts(ApiModel):
    """How this bridge can be reached, for the Connect view."""

    base_url: str
    port: int
    bind: str
    allowed_hosts: list[str]
    allowed_origins: list[str]
    user: str
    operator: bool
    takes_signed_users: bool
    """The bridge has Open WebUI's secret, so that one connection can serve all its users."""
    trusts_user_headers: bool


class PageRouting(Protocol):
    """Where pages of a user belong, with several replicas."""

    def make_route(self, user_id: str) -> str:
        """Return the value by which every replica knows where requests of a user's page go."""
        ...

    def is_home(self, user_id: str) -> bool:
        """Return whether the user is at home here."""
        ...


class AccountRoutes(DeclaredApiRoutes):
    """Handlers of identity and connection facts."""

    def __init__(
        self,
        identity: Identity,
        users: UserTables,
        settings: BridgeSettings,
        *,
        offer_executor: Callable[[str, str], Awaitable[ExecutorScript | None]],
        operator_id: str,
        base_url: str,
        port: int,
        count_pages: Callable[[str], int],
        routing: PageRouting | None = None,
    ) -> None:
        self._cookie = LoginCookie(base_url)
        self._routing = routing
        self._identity = identity
        self._users = users
        self._settings = settings
        self._offer_executor = offer_executor
        self._operator_id = operator_id
        self._base_url = base_url
        self._port = port
        self._count_pages = count_pages
        self._sessions_limit = identity.attempts.limit_attempts(
            "attempts to open a session",
            per_key=SESSION_ATTEMPTS,
            in_all=SESSION_ATTEMPTS_IN_ALL,
            window_s=60,
        )

    @api_route(
        "POST /api/tickets",
        ok("The user of the ticket, and whether it was redeemed.", Redeemed),
        body=Redemption,
        access="page",
        errors=(ErrorCode.INVALID_REQUEST,),
    )
    async def redeem_ticket(self, request: web.Request) -> web.Response:
        """Redeem a ticket in a browser that is already paired."""
        caller = caller_of(request)
        given = (await read_body(request, Redemption)).ticket
        ticket = await self._identity.redeem_ticket(caller, self._cookie.complete_ticket(request, given))
        is_own = ticket.user.id == caller.user.id
        return json_answer(Redeemed(user=ticket.user.name, redeemed=is_own, printed=ticket.printed))

    @api_route(
        "POST /api/sessions/challenge",
        ok("The nonce.", Challenge),
        body=ChallengeRequest,
        access="public",
        errors=(ErrorCode.INVALID_REQUEST, ErrorCode.RATE_LIMITED),
    )
    async def challenge_device(self, request: web.Request) -> web.Response:
        """Get a nonce to sign. Any device id gets one."""
        await read_body(request, ChallengeRequest)
        return json_answer(Challenge(nonce=self._identity.issue_challenge()))

    @api_route(
        "POST /api/sessions",
        ok("The session token.", Session),
        body=SignedChallenge,
        access="public",
        errors=(ErrorCode.UNAUTHORIZED, ErrorCode.INVALID_REQUEST, ErrorCode.RATE_LIMITED),
    )
    async def open_session(self, request: web.Request) -> web.Response:
        """Open a session with a signed nonce."""
        signed = await read_body(request, SignedChallenge)
        opening = self._identity.open_session(signed.device_id, signed.nonce, signed.signature)
        token, device = await self._sessions_limit.run_counted(limit_key_of(request), opening)
        user = device.user
        is_home = self._routing is None or self._routing.is_home(user.id)
        executor = await self._offer_executor(user.id, signed.version) if signed.version and is_home else None
        return json_answer(
            Session(
                token=token,
                expires_in=SESSION_SECONDS,
                user=user.name,
                user_id=user.id,
                executor=executor,
                route="" if self._routing is None else self._routing.make_route(user.id),
            )
        )

    @api_route("GET /api/me", ok("The caller.", Me))
    async def show_me(self, request: web.Request) -> web.Response:
        """Who am I."""
        caller = caller_of(request)
        return json_answer(
            Me(
                user=caller.user.name,
                device_id=caller.device_id,
                operator=caller.user.is_operator,
                base_url=self._base_url,
                version=__version__,
                pages=self._count_pages(caller.user.id),
            )
        )

    @api_route("GET /api/keys", ok("Keys.", KeyList))
    async def list_keys(self, request: web.Request) -> web.Response:
        """List API keys."""
        keys = await self._users.list_keys(caller_of(request).user.id)
        facts = [
            KeyFacts(
                id=key.id,
                label=key.label,
                created_at=key.created_at,
                forwarder=key.forwarder,
                show_calls=key.show_calls,
                markers=key.markers,
            )
            for key in keys
        ]
        return json_answer(KeyList(keys=facts))

    @api_route(
        "POST /api/keys",
        created("The key, shown once.", KeyOnce),
        body=NewKey,
        access="page",
        errors=(ErrorCode.INVALID_REQUEST, ErrorCode.OPERATOR_ONLY, ErrorCode.QUOTA_EXCEEDED),
        audited=AuditKind.KEY_CREATED,
    )
    async def create_key(self, request: web.Request) -> web.Response:
        """Create an API key."""
        caller = caller_of(request)
        body = await read_body(request, NewKey)
        if body.forwarder and caller.user.id != self._operator_id:
            message = "Only the user who started the bridge may create a key that acts for other users."
            raise BridgeError(ErrorCode.OPERATOR_ONLY, message)
        number = len(await self._users.list_keys(caller.user.id)) + 1
        most = self._settings.quotas.keys
        remedy = "Revoke one that is not used first"
        check_quota(number, most, "TOOL_BRIDGE_KEYS_PER_USER", what="API keys", remedy=remedy)
        key_id, key = await self._users.add_key(
            caller.user.id,
            body.label,
            forwarder=body.forwarder,
            show_calls=body.show_calls,
            markers=body.markers,
        )
        set_audit_detail(request, key=key_id, label=body.label, forwarder=body.forwarder)
        return json_answer(KeyOnce(id=key_id, key=key, label=body.label), status=201)

    @api_route("GET /api/connect", ok("Addresses, hosts and origins.", ConnectFacts))
    async def show_connect(self, request: web.Request) -> web.Response:
        """Show how this bridge can be reached."""
        caller = caller_of(request)
        return json_answer(
            ConnectFacts(
                base_url=self._base_url,
                port=self._port,
                bind=self._settings.network.host,
                allowed_hosts=list(self._settings.network.allowed_hosts),
                allowed_origins=list(self._settings.network.allowed_origins),
                user=caller.user.name,
                operator=caller.user.id == self._operator_id,
                takes_signed_users=self._settings.users.user_jwt_secret is not None,
                trusts_user_headers=self._settings.users.trust_user_headers,
            )
        )
