"""Who the caller is and what it holds: `/api/devices`, `sessions`, `keys`, `me` and `connect`."""

from __future__ import annotations

from typing import Any

from aiohttp import web
from pydantic import BaseModel, Field

from bridge import __version__
from bridge.config import Settings
from bridge.edges.http_routes import Answer, Confirmation, Route, caller_of, json_answer, page_of, read_body
from bridge.edges.identity import SESSION_SECONDS, Identity
from bridge.edges.store import Store
from bridge.wire import BridgeError, ErrorCode


class Pairing(BaseModel):
    """A ticket and the public half of the browser's key."""

    ticket: str = Field(max_length=200)
    public_key: dict[str, Any]


class Paired(BaseModel):
    """The browser is a device of the user now."""

    device_id: str
    user: str
    user_id: str


class Redemption(BaseModel):
    """A ticket that a paired browser was opened with."""

    ticket: str = Field(max_length=200)


class Redeemed(BaseModel):
    """Whose ticket it is; `redeemed` and thereby spent only if it is the caller's own."""

    user: str
    redeemed: bool


class ChallengeRequest(BaseModel):
    """Which device wants to open a session."""

    device_id: str = Field(max_length=100)


class Challenge(BaseModel):
    """A nonce to sign once, within a minute."""

    nonce: str


class SignedChallenge(BaseModel):
    """The signature over `tool-bridge session ` and the nonce: ECDSA P-256, SHA-256, r and s, base64url."""

    device_id: str = Field(max_length=100)
    nonce: str = Field(max_length=200)
    signature: str = Field(max_length=200)


class Session(BaseModel):
    """A bearer token for `/api` and the socket."""

    token: str
    expires_in: int
    user: str
    user_id: str


class Me(BaseModel):
    """The caller."""

    user: str
    device_id: str | None
    base_url: str
    version: str


class KeyFacts(BaseModel):
    """An API key without its secret."""

    id: str
    label: str
    created_at: float


class KeyList(BaseModel):
    """The caller's API keys."""

    keys: list[KeyFacts]


class NewKey(BaseModel):
    """What the key is for."""

    label: str = Field(default="", max_length=100)


class KeyOnce(BaseModel):
    """A new API key; it cannot be read again."""

    id: str
    key: str
    label: str


class ConnectFacts(BaseModel):
    """How this bridge can be reached, for the Connect view."""

    base_url: str
    port: int
    bind: str
    allowed_hosts: list[str]
    allowed_origins: list[str]
    user: str


class AccountRoutes:
    """Handlers of identity and connection facts."""

    def __init__(
        self, identity: Identity, store: Store, settings: Settings, base_url: str, port: int
    ) -> None:
        self._identity = identity
        self._store = store
        self._settings = settings
        self._base_url = base_url
        self._port = port

    def routes(self) -> list[Route]:
        """The table of these routes."""
        return [*self._session_routes(), *self._key_routes()]

    def _session_routes(self) -> list[Route]:
        return [
            Route(
                "POST",
                "/api/devices",
                self.pair,
                "pairDevice",
                "Make a browser a device of the ticket's user",
                {201: Answer("Paired; the ticket is spent.", Paired)},
                body=Pairing,
                access="public",
                errors=(ErrorCode.UNAUTHORIZED, ErrorCode.INVALID_REQUEST),
            ),
            Route(
                "POST",
                "/api/tickets",
                self.redeem,
                "redeemTicket",
                "Spend a ticket in a browser that is paired already",
                {200: Answer("Whose ticket it is, and whether it was spent.", Redeemed)},
                body=Redemption,
                access="page",
                errors=(ErrorCode.INVALID_REQUEST,),
            ),
            Route(
                "POST",
                "/api/sessions/challenge",
                self.challenge,
                "challengeDevice",
                "Get a nonce to sign",
                {200: Answer("The nonce.", Challenge)},
                body=ChallengeRequest,
                access="public",
                errors=(ErrorCode.INVALID_REQUEST,),
            ),
            Route(
                "POST",
                "/api/sessions",
                self.open_session,
                "openSession",
                "Open a session with a signed nonce",
                {200: Answer("The session token.", Session)},
                body=SignedChallenge,
                access="public",
                errors=(ErrorCode.UNAUTHORIZED, ErrorCode.INVALID_REQUEST),
            ),
            Route("GET", "/api/me", self.me, "showMe", "Who am I", {200: Answer("The caller.", Me)}),
        ]

    def _key_routes(self) -> list[Route]:
        return [
            Route(
                "GET",
                "/api/keys",
                self.list_keys,
                "listKeys",
                "List API keys",
                {200: Answer("Keys.", KeyList)},
            ),
            Route(
                "POST",
                "/api/keys",
                self.create_key,
                "createKey",
                "Create an API key",
                {201: Answer("The key, shown once.", KeyOnce)},
                body=NewKey,
                access="page",
                errors=(ErrorCode.INVALID_REQUEST,),
            ),
            Route(
                "DELETE",
                "/api/keys/{id}",
                self.delete_key,
                "deleteKey",
                "Revoke an API key",
                {200: Answer("Revoked.", Confirmation)},
                access="page",
                errors=(ErrorCode.NOT_FOUND,),
            ),
            Route(
                "GET",
                "/api/connect",
                self.connect_facts,
                "showConnect",
                "How this bridge can be reached",
                {200: Answer("Addresses, hosts and origins.", ConnectFacts)},
            ),
        ]

    async def pair(self, request: web.Request) -> web.Response:
        """Spend a ticket."""
        pairing = await read_body(request, Pairing)
        device = await self._identity.pair(pairing.ticket, pairing.public_key)
        return json_answer(
            Paired(device_id=device.id, user=device.user.name, user_id=device.user.id), status=201
        )

    async def redeem(self, request: web.Request) -> web.Response:
        """Spend the caller's own ticket."""
        caller = await page_of(self._identity, request)
        owner = await self._identity.redeem(caller, (await read_body(request, Redemption)).ticket)
        return json_answer(Redeemed(user=owner.name, redeemed=owner.id == caller.user.id))

    async def challenge(self, request: web.Request) -> web.Response:
        """A nonce for any device id."""
        asked = await read_body(request, ChallengeRequest)
        return json_answer(Challenge(nonce=self._identity.challenge(asked.device_id)))

    async def open_session(self, request: web.Request) -> web.Response:
        """A session token for a signed nonce."""
        signed = await read_body(request, SignedChallenge)
        token, device = await self._identity.open_session(signed.device_id, signed.nonce, signed.signature)
        user = device.user
        return json_answer(Session(token=token, expires_in=SESSION_SECONDS, user=user.name, user_id=user.id))

    async def me(self, request: web.Request) -> web.Response:
        """The caller."""
        caller = await caller_of(self._identity, request)
        return json_answer(
            Me(
                user=caller.user.name,
                device_id=caller.device_id,
                base_url=self._base_url,
                version=__version__,
            )
        )

    async def list_keys(self, request: web.Request) -> web.Response:
        """The caller's keys."""
        keys = await self._store.keys((await caller_of(self._identity, request)).user.id)
        facts = [KeyFacts(id=key.id, label=key.label, created_at=key.created_at) for key in keys]
        return json_answer(KeyList(keys=facts))

    async def create_key(self, request: web.Request) -> web.Response:
        """A new key for the caller."""
        caller = await page_of(self._identity, request)
        wanted = await read_body(request, NewKey)
        key_id, key = await self._store.add_key(caller.user.id, wanted.label)
        return json_answer(KeyOnce(id=key_id, key=key, label=wanted.label), status=201)

    async def delete_key(self, request: web.Request) -> web.Response:
        """Revoke one of the caller's keys."""
        caller = await page_of(self._identity, request)
        if not await self._store.delete_key(caller.user.id, request.match_info["id"]):
            raise BridgeError(ErrorCode.NOT_FOUND, "There is no such key.")
        self._identity.forget_keys()
        return json_answer(Confirmation())

    async def connect_facts(self, request: web.Request) -> web.Response:
        """Addresses, hosts and origins of this bridge."""
        caller = await caller_of(self._identity, request)
        return json_answer(
            ConnectFacts(
                base_url=self._base_url,
                port=self._port,
                bind=self._settings.host,
                allowed_hosts=list(self._settings.allowed_hosts),
                allowed_origins=list(self._settings.allowed_origins),
                user=caller.user.name,
            )
        )
