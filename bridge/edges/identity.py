"""Who is asking: signed tokens, one-time challenges of paired browsers, API keys.

A browser proves itself with a private key that cannot leave it: it signs a fresh nonce and gets a session
token for `SESSION_SECONDS`. Tokens are HS256 JSON Web Tokens under a secret of the data folder; their
audience says what they are for, so that none can stand in for another.
"""

from __future__ import annotations

import base64
import binascii
import json
import secrets
import time
from dataclasses import dataclass
from typing import Any

import jwt
from jwt.algorithms import ECAlgorithm

from bridge.edges.store import Device, Store, User, hash_secret
from bridge.wire import BridgeError, ErrorCode

SESSION_SECONDS = 15 * 60
"""Lifetime of a session token; the page renews it."""

CHALLENGE_SECONDS = 60
MAX_CHALLENGES = 10_000
"""Unanswered challenges kept; the oldest goes first."""

KEY_SECONDS = 10.0
"""How long a key's holder is remembered; a key that another process revokes works for so long."""

MAX_REMEMBERED_KEYS = 10_000

SIGNED_TEXT = "tool-bridge session "
"""What a page signs is this followed by the nonce."""

SESSION_TOKEN_DOTS = 2
"""A JSON Web Token has three parts; an API key has none."""

SESSION, FILE, EXECUTOR = "session", "file", "executor"


@dataclass(frozen=True, slots=True)
class Caller:
    """An authenticated caller of the HTTP API or the socket."""

    user: User
    device_id: str | None
    """Set for a page, None for an API key."""


class Identity:
    """Issues and checks what callers show."""

    def __init__(self, store: Store, secret: bytes) -> None:
        self._store = store
        self._secret = secret
        self._challenges: dict[str, tuple[str, float]] = {}
        self._key_holders: dict[str, tuple[User, float]] = {}

    async def pair(self, ticket: str, public_key: dict[str, Any]) -> Device:
        """Spend a ticket and remember the browser's public key.

        Raises:
            BridgeError: `unauthorized` for a spent, expired or unknown ticket, `invalid_request` for a bad
            key.
        """
        _verifying_key(public_key)
        kept = {name: public_key[name] for name in ("kty", "crv", "x", "y")}
        device = await self._store.spend_ticket(ticket, json.dumps(kept))
        if device is None:
            raise _spent_link()
        return device

    async def redeem(self, caller: Caller, ticket: str) -> User:
        """Spend the caller's own ticket; returns whose it is, and leaves another user's unspent.

        A browser that is paired already must not become another user's page by following a link.

        Raises:
            BridgeError: `unauthorized` for a spent, expired or unknown ticket.
        """
        owner = await self._store.redeem_ticket(ticket, caller.user.id)
        if owner is None:
            raise _spent_link()
        return owner

    def challenge(self, device_id: str) -> str:
        """A nonce for one signature within `CHALLENGE_SECONDS`; unknown devices get one too."""
        while len(self._challenges) >= MAX_CHALLENGES:
            self._challenges.pop(next(iter(self._challenges)))
        nonce = secrets.token_urlsafe(32)
        self._challenges[nonce] = (device_id, time.monotonic() + CHALLENGE_SECONDS)
        return nonce

    async def open_session(self, device_id: str, nonce: str, signature: str) -> tuple[str, Device]:
        """Check a signed nonce and return a session token.

        Raises:
            BridgeError: `unauthorized`.
        """
        asked_of, expires = self._challenges.pop(nonce, ("", 0.0))
        device = await self._store.device(device_id)
        if device is None or asked_of != device_id or time.monotonic() > expires:
            raise _unknown_browser()
        if not _signature_holds(json.loads(device.public_key), SIGNED_TEXT + nonce, signature):
            raise _unknown_browser()
        claims = {"sub": device.user.id, "name": device.user.name, "device": device.id}
        return self.sign(SESSION, claims, SESSION_SECONDS), device

    def caller_of_session(self, token: str) -> Caller:
        """The caller that a session token stands for.

        Raises:
            BridgeError: `unauthorized` for a token that is forged, expired or for something else.
        """
        claims = self.read(SESSION, token)
        return Caller(User(claims["sub"], claims["name"]), claims["device"])

    async def caller(self, authorization: str | None) -> Caller:
        """The caller that an `Authorization` header stands for: a session token or an API key.

        Raises:
            BridgeError: `unauthorized`.
        """
        scheme, _, token = (authorization or "").partition(" ")
        token = token.strip()
        if scheme.lower() != "bearer" or not token:
            raise BridgeError(ErrorCode.UNAUTHORIZED, "Send a key: Authorization: Bearer <key>.")
        if token.count(".") == SESSION_TOKEN_DOTS:
            return self.caller_of_session(token)
        return Caller(await self._user_of_key(token), None)

    async def page(self, authorization: str | None) -> Caller:
        """The caller, who must be a page: a program with a key may call and read, a person decides.

        Raises:
            BridgeError: `unauthorized`, `page_only`.
        """
        caller = await self.caller(authorization)
        if caller.device_id is None:
            message = "An API key may call tools and read; this is decided on the bridge page."
            raise BridgeError(ErrorCode.PAGE_ONLY, message)
        return caller

    def forget_keys(self) -> None:
        """Look every key up again: one of them was revoked."""
        self._key_holders.clear()

    async def _user_of_key(self, key: str) -> User:
        key_hash = hash_secret(key)
        user, until = self._key_holders.get(key_hash, (None, 0.0))
        if user is not None and time.monotonic() < until:
            return user
        user = await self._store.user_of_key(key)
        if user is None:
            raise BridgeError(ErrorCode.UNAUTHORIZED, "This key is not known here. Was it revoked?")
        if len(self._key_holders) >= MAX_REMEMBERED_KEYS:
            self._key_holders.clear()
        self._key_holders[key_hash] = (user, time.monotonic() + KEY_SECONDS)
        return user

    def sign(self, audience: str, claims: dict[str, Any], seconds: float) -> str:
        """A token for one purpose, valid for `seconds`."""
        return jwt.encode({**claims, "aud": audience, "exp": time.time() + seconds}, self._secret, "HS256")

    def read(self, audience: str, token: str) -> dict[str, Any]:
        """The claims of a token made for `audience`.

        Raises:
            BridgeError: `unauthorized`.
        """
        try:
            return jwt.decode(
                token, self._secret, ["HS256"], audience=audience, options={"require": ["exp", "aud"]}
            )
        except jwt.InvalidTokenError:
            raise BridgeError(ErrorCode.UNAUTHORIZED, "This session has ended. Reload the page.") from None


def _verifying_key(public_key: dict[str, Any]) -> Any:
    try:
        if public_key.get("kty") != "EC" or public_key.get("crv") != "P-256" or "d" in public_key:
            raise jwt.InvalidKeyError
        return ECAlgorithm.from_jwk(public_key)
    except (jwt.InvalidKeyError, ValueError, KeyError, TypeError):
        message = "The public key must be a JSON Web Key of an ECDSA P-256 key."
        raise BridgeError(ErrorCode.INVALID_REQUEST, message) from None


def _signature_holds(public_key: dict[str, Any], text: str, signature: str) -> bool:
    try:
        raw = base64.urlsafe_b64decode(signature + "=" * (-len(signature) % 4))
    except (binascii.Error, ValueError):
        return False
    return ECAlgorithm(ECAlgorithm.SHA256).verify(text.encode(), _verifying_key(public_key), raw)


def _spent_link() -> BridgeError:
    message = "This page link was used before or has expired. Get a new one: tool-bridge key --user NAME"
    return BridgeError(ErrorCode.UNAUTHORIZED, message)


def _unknown_browser() -> BridgeError:
    return BridgeError(
        ErrorCode.UNAUTHORIZED,
        "This browser is not paired with the bridge. Open the page link that the bridge printed, "
        "or get a new one: tool-bridge key --user NAME",
    )
