"""Identity of callers: signed tokens, one-time challenges of paired browsers, API keys.

A browser proves itself with a private key that cannot leave it: it signs a fresh nonce and gets a session
token for `SESSION_SECONDS`. Tokens are HS256 JSON Web Tokens under a secret of the data folder; their
audience says what they are for, so that none can stand in for another.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypeVar

import jwt
from multidict import CIMultiDictProxy

from bridge.auth.attempts import Attempts, SharedCounts
from bridge.auth.browser_keys import is_signed_by
from bridge.auth.forwarded_users import (
    ForwardedUser,
    UserHeaders,
    disabled_user,
    named_nobody,
    readable_name,
)
from bridge.catalog.registry import NOBODY
from bridge.errors import BridgeError, ErrorCode
from bridge.settings.answer_format import CallDisplay, MarkerForm
from bridge.settings.quotas import DEFAULT_QUOTAS, QuotaSettings
from bridge.shared_work import SingleFlight
from bridge.storage.sessions import database_unavailable
from bridge.storage.users import Device, KeyHolder, NewDevice, PairingTicket, User, UserTables, hash_secret
from bridge.timings import USUAL_TIMINGS, Timings

SESSION_SECONDS = 15 * 60
"""Lifetime of a session token; the page renews it."""

CHALLENGE_SECONDS = 60
"""Seconds within which a nonce must be signed."""

MAX_REMEMBERED_KEYS = 10_000
"""Maximum number of cached keys; also of browsers, and of forwarded users."""

SIGNED_TEXT = "tool-bridge session "
"""Text that a page signs, followed by the nonce."""

SESSION_TOKEN_DOTS = 2
"""Dots of a JSON Web Token; an API key has none."""

KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")

PAGE_NAME = "bridge page"
"""Name of a page as a caller. No key has it, because a key's name begins with its kind."""

PAGE_ID = "page"
"""Id of a page as a caller: all browsers of a user are the user, who decides in each. No key has it."""

SESSION, CHALLENGE, FILE, EXECUTOR, LOGIN = "session", "challenge", "file", "executor", "login"

LOGIN_ENDED = "login_ended"
"""Reason in the detail of an error: the user has to log in again."""


@dataclass(frozen=True, slots=True)
class Caller:
    """An authenticated caller of the HTTP API or the socket."""

    user: User
    device_id: str | None
    """Set for a page, None for an API key."""
    key_label: str = ""
    """Label of its API key, chosen by the user; empty for a page and an OAuth client."""
    key_id: str = ""
    """Id of its API key or OAuth client, which is no secret; empty for a page."""
    is_forwarded: bool = False
    """Whether a forwarder acts for the user: it knows only the tools offered to everybody."""
    show_calls: CallDisplay | None = None
    """How answers of models show calls, as chosen for the key."""
    markers: MarkerForm | None = None
    """How answers mark their stored items, as chosen for the key."""
    client: str | None = None
    """Id of the OAuth client whose access token it shows, in full; None for keys and pages."""
    ends_at: float | None = None
    """Unix time at which that token expires."""

    @property
    def id(self) -> str:
        """Which of its user's callers this is: the id of its key or OAuth client, or `PAGE_ID`."""
        return PAGE_ID if self.device_id is not None else self.key_id

    @property
    def name(self) -> str:
        """Who this is, for the user of the call: the page, an OAuth client, or a key by kind and label."""
        if self.device_id is not None:
            return PAGE_NAME
        if self.client is not None:
            return f"client {readable_name(self.client) or 'without a name'}"
        return f"{'forwarder' if self.is_forwarded else 'key'} {self.key_label}"


@dataclass(frozen=True, slots=True)
class _Remembered(Generic[ValueT]):
    value: ValueT
    read_at: float
    refresh_at: float
    """Time of the next look-up in the store; both are monotonic."""


class Identity:
    """Issues and checks the credentials of callers."""

    def __init__(
        self,
        users: UserTables,
        secret: bytes,
        user_headers: UserHeaders,
        *,
        quotas: QuotaSettings = DEFAULT_QUOTAS,
        shared: SharedCounts | None = None,
        timings: Timings = USUAL_TIMINGS,
    ) -> None:
        """`shared`: of a replica: counts attempts and spends nonces together with the others."""
        self.attempts = Attempts(shared)
        """Limits on attempts to get in."""
        self._users = users
        self._secret = secret
        self._user_headers = user_headers
        self._quotas = quotas
        self._timings = timings
        self._spent_challenges: dict[str, float] = {}
        """Signed nonces to the monotonic time from which they are refused anyway."""
        self._shared = shared
        self._key_callers: dict[str, _Remembered[Caller]] = {}
        """Callers by digests of their keys."""
        self._sessions: dict[str, dict[str, Any]] = {}
        """Claims of session tokens whose signature was checked, by digests of the tokens."""
        self._known_keys: dict[str, _Remembered[KeyHolder]] = {}
        """Holders by the ids of their keys, of callers whom other replicas have authenticated."""
        self._devices: dict[str, _Remembered[Device]] = {}
        self._forwarded: dict[ForwardedUser, str] = {}
        """Ids of users by who names them."""
        self._named_users: dict[str, _Remembered[User]] = {}
        """Users by their ids, as named by forwarders and access tokens."""
        self._naming = asyncio.Lock()
        self._looking = SingleFlight[Any]()
        self._revocations = 0
        self.revoked = asyncio.Event()
        """Set whenever a key or browser was revoked, or may have been."""

    async def pair_browser(self, ticket: str, public_key: str, browser: str) -> NewDevice | User:
        """Redeem a ticket and store the browser's public key.

        Returns the user alone when another browser of this user must first confirm the new one.

        Raises:
            BridgeError: `unauthorized` for a used, expired or unknown ticket; `quota_exceeded`: the ticket
                can be used once there are fewer browsers.
        """
        found = None
        if await self._users.has_ticket(ticket):  # which costs less than to spend what is none
            found = await self._users.spend_ticket(ticket, public_key, browser, quotas=self._quotas)
        if found is None:
            raise _used_link()
        return found

    async def redeem_ticket(self, caller: Caller, ticket: str) -> PairingTicket:
        """Redeem the caller's own ticket and return it; another user's ticket stays valid.

        A browser that is paired already must not become another user's page by following a link.

        Raises:
            BridgeError: `unauthorized` for a used, expired or unknown ticket.
        """
        redeemed = await self._users.redeem_ticket(ticket, caller.user.id)
        if redeemed is None:
            raise _used_link()
        return redeemed

    def issue_challenge(self) -> str:
        """Return a nonce for one signature within `CHALLENGE_SECONDS`; nothing is kept until it is signed."""
        return self.sign_token(CHALLENGE, {"nonce": secrets.token_urlsafe(16)}, CHALLENGE_SECONDS)

    async def open_session(self, device_id: str, nonce: str, signature: str) -> tuple[str, Device]:
        """Check a signed nonce and return a session token.

        Raises:
            BridgeError: `unauthorized`, with the `reason` `login_ended` in its detail where the user has
                to log in again.
        """
        self.read_token(CHALLENGE, nonce)
        device = await self._users.find_device(device_id)
        if device is None or not is_signed_by(json.loads(device.public_key), SIGNED_TEXT + nonce, signature):
            raise _unknown_browser()
        check_login_lasts(device)
        await self._spend_challenge(nonce)
        await self._users.see_device(device.id)
        claims = {"sub": device.user.id, "name": device.user.name, "device": device.id}
        return self.sign_token(SESSION, claims, SESSION_SECONDS), device

    async def _spend_challenge(self, nonce: str) -> None:
        if self._shared is not None:
            if not await self._shared.spend_once(hash_secret(nonce), CHALLENGE_SECONDS):
                raise _unknown_browser()
            return
        now = time.monotonic()
        while self._spent_challenges and next(iter(self._spent_challenges.values())) <= now:
            self._spent_challenges.pop(next(iter(self._spent_challenges)))
        if nonce in self._spent_challenges:
            raise _unknown_browser()
        self._spent_challenges[nonce] = now + CHALLENGE_SECONDS

    async def caller_of_session(self, token: str) -> Caller:
        """Return the caller of a session token whose browser is paired.

        Raises:
            BridgeError: `unauthorized` for a token that is forged, expired or for something else, or whose
                browser was removed, or its user disabled or no longer logged in.
        """
        claims = self._session_claims(token)
        device_id = claims["device"]
        device = _fresh(self._devices, device_id) or await self._cached_lookup(
            self._devices, device_id, lambda: self._users.find_device(device_id)
        )
        if device is None:
            raise _unknown_browser()
        check_login_lasts(device)
        return Caller(device.user, device_id)

    def _session_claims(self, token: str) -> dict[str, Any]:
        """Return the claims of a session token; its signature is checked once, its time at every request."""
        digest = hash_secret(token)
        claims = self._sessions.get(digest)
        if claims is None or int(claims["exp"]) <= time.time():
            claims = self.read_token(SESSION, token)
            _remember(self._sessions, digest, claims)
        return claims

    async def authenticate_caller(self, headers: CIMultiDictProxy[str]) -> Caller:
        """Return the caller that a request's headers identify: by session token, API key, or forwarder.

        Raises:
            BridgeError: `unauthorized`; `unverified_user` for a forwarder that names no user, or none to be
                believed.
        """
        caller = await self.authenticate_reader(headers)
        if caller.user.id == NOBODY:
            raise named_nobody()
        return caller

    async def authenticate_reader(self, headers: CIMultiDictProxy[str]) -> Caller:
        """Return the caller; a forwarder that names no user is `NOBODY`, who may read what everybody may."""
        token = bearer_token(headers)
        if not token:
            raise BridgeError(ErrorCode.UNAUTHORIZED, "Send a key: Authorization: Bearer <key>.")
        if not token.isascii():  # no key has them, and bytes that are no text cannot even be looked up
            raise _unknown_key()
        if token.count(".") == SESSION_TOKEN_DOTS:
            return await self.caller_of_session(token)
        digest = hash_secret(token)
        caller = _fresh(self._key_callers, digest) or await self._find_key(token, digest)
        if not caller.is_forwarded:
            return caller
        named = self._user_headers.read_user(headers)
        return replace(caller, user=User(NOBODY, "") if named is None else await self.ensure_user(named))

    async def authenticate_page(self, headers: CIMultiDictProxy[str]) -> Caller:
        """Return the caller, which must be a page: a program with a key may call and read, but not decide.

        Raises:
            BridgeError: `unauthorized`, `unverified_user`, `page_only`.
        """
        caller = await self.authenticate_caller(headers)
        if caller.device_id is None:
            message = "An API key may only call tools and read. Do this on the bridge page."
            raise BridgeError(ErrorCode.PAGE_ONLY, message)
        return caller

    async def check_credentials(self, caller: Caller) -> None:
        """Check that the key or browser of a caller whom another replica has authenticated still counts.

        Raises:
            BridgeError: `unauthorized`: it was revoked meanwhile; `database_unavailable`.
        """
        device_id, key_id = caller.device_id, caller.key_id
        if device_id is not None:
            found = await self._cached_lookup(
                self._devices, device_id, lambda: self._users.find_device(device_id)
            )
            if found is None:
                raise _unknown_browser()
        elif caller.client is None:
            holder = await self._cached_lookup(
                self._known_keys, key_id, lambda: self._users.holder_of_key_id(key_id)
            )
            if holder is None:
                raise _unknown_key()

    def cached_devices(self) -> frozenset[str]:
        """Return the browsers that were let in without another look at the store, some of them long ago."""
        return frozenset(self._devices)

    def forget_credentials(self) -> None:
        """Clear the cache of keys and browsers, and end what they have open: one of them was revoked."""
        self.clear_cache()
        self.revoked.set()

    def clear_cache(self) -> None:
        """Look up each key and browser again that is shown from now on."""
        self._revocations += 1
        self._key_callers.clear()
        self._known_keys.clear()
        self._devices.clear()
        self._named_users.clear()

    async def _current(self, look: Callable[[], Awaitable[ValueT]]) -> ValueT:
        """Look up in the store, again if a credential was revoked meanwhile: nothing older may be cached."""
        while True:
            revocations_before = self._revocations
            found = await look()
            if revocations_before == self._revocations:
                return found

    async def _soon(self, look: Callable[[], Awaitable[ValueT]]) -> ValueT:
        try:
            async with asyncio.timeout(self._timings.patience_s):
                return await self._current(look)
        except TimeoutError:
            raise database_unavailable() from None

    async def _find_key(self, key: str, digest: str) -> Caller:
        async def look() -> Caller | None:
            holder = await self._users.holder_of_key(key)
            return None if holder is None else _caller_of_key(holder)

        caller = await self._cached_lookup(self._key_callers, digest, look)
        if caller is None:
            raise _unknown_key()
        return caller

    async def _cached_lookup(
        self,
        memory: dict[str, _Remembered[ValueT]],
        name: str,
        look: Callable[[], Awaitable[ValueT | None]],
    ) -> ValueT | None:
        """Look up in the cache (for `key_s`; for `away_s` while the store fails), then in the store."""
        if (value := _fresh(memory, name)) is not None:
            return value
        return await self._looking.run(name, partial(self._look_up, memory, name, look))

    async def _look_up(
        self,
        memory: dict[str, _Remembered[ValueT]],
        name: str,
        look: Callable[[], Awaitable[ValueT | None]],
    ) -> ValueT | None:
        cached = memory.get(name)
        now = time.monotonic()
        is_fresh = cached is not None and now < cached.read_at + self._timings.away_s
        try:
            found = await (self._soon(look) if is_fresh else self._current(look))
        except BridgeError as error:
            cached = memory.get(name)  # as it is now: a revocation may have cleared it
            if not is_fresh or cached is None or error.error.code is not ErrorCode.DATABASE_UNAVAILABLE:
                raise
            memory[name] = replace(cached, refresh_at=time.monotonic() + self._timings.key_s)
            return cached.value
        memory.pop(name, None)
        if found is not None:
            _remember(memory, name, _Remembered(found, now, time.monotonic() + self._timings.key_s))
        return found

    async def ensure_user(self, named: ForwardedUser) -> User:
        """Return the user with this name, created at its first call.

        Raises:
            BridgeError: `unverified_user`: an operator has disabled the user.
        """
        user_id = self._forwarded.get(named)
        if user_id is None:
            async with self._naming:  # The first calls of a user come together, and make one user.
                user = await self._users.ensure_forwarded_user(
                    named.issuer, named.subject, named.display_name
                )
                user_id = user.id
                _remember(self._forwarded, named, user_id)
                self._named_users.pop(user_id, None)  # the user may have had another name
        user = await self._cached_lookup(self._named_users, user_id, lambda: self._users.find_user(user_id))
        if user is None:
            raise disabled_user()
        return user

    def sign_token(self, audience: str, claims: dict[str, Any], seconds: float) -> str:
        """Return a token for one purpose, valid for `seconds`."""
        return jwt.encode({**claims, "aud": audience, "exp": time.time() + seconds}, self._secret, "HS256")

    def read_token(self, audience: str, token: str) -> dict[str, Any]:
        """Return the claims of a token made for `audience`.

        Raises:
            BridgeError: `unauthorized`.
        """
        try:
            return jwt.decode(
                token, self._secret, ["HS256"], audience=audience, options={"require": ["exp", "aud"]}
            )
        except jwt.InvalidTokenError:
            raise BridgeError(ErrorCode.UNAUTHORIZED, "This session has ended. Reload the page.") from None


def bearer_token(headers: CIMultiDictProxy[str]) -> str:
    """Return the key or token that a request shows; "" for none."""
    scheme, _, token = headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _caller_of_key(holder: KeyHolder) -> Caller:
    return Caller(
        holder.user,
        None,
        key_label=holder.label,
        key_id=holder.key_id,
        is_forwarded=holder.forwarder,
        show_calls=holder.show_calls,
        markers=holder.markers,
    )


def _fresh(memory: dict[str, _Remembered[ValueT]], name: str) -> ValueT | None:
    """Return what is cached and need not be looked up again yet; None: `_cached_lookup` decides."""
    cached = memory.get(name)
    return cached.value if cached is not None and time.monotonic() < cached.refresh_at else None


def _remember(memory: dict[KeyT, ValueT], key: KeyT, value: ValueT) -> None:
    if len(memory) >= MAX_REMEMBERED_KEYS:
        memory.clear()
    memory[key] = value


def _unknown_key() -> BridgeError:
    message = "This key is unknown; it may have been revoked, or its user disabled."
    return BridgeError(ErrorCode.UNAUTHORIZED, message)


def check_login_lasts(device: Device) -> None:
    """Check that the user of a browser need not log in again.

    Raises:
        BridgeError: `unauthorized`, with the `reason` `login_ended` in its detail.
    """
    if device.login_ends_at is not None and device.login_ends_at <= time.time():
        message = "Your login has ended. Log in again on the bridge page."
        raise BridgeError(ErrorCode.UNAUTHORIZED, message, detail={"reason": LOGIN_ENDED})


def _used_link() -> BridgeError:
    message = "This page link was already used or has expired. Get a new one: tool-bridge key --user NAME"
    return BridgeError(ErrorCode.UNAUTHORIZED, message)


def _unknown_browser() -> BridgeError:
    return BridgeError(
        ErrorCode.UNAUTHORIZED,
        "This browser is not paired with the bridge. Open the page link that the bridge printed, "
        "or get a new one: tool-bridge key --user NAME",
    )
