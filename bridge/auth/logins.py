"""Logins by OpenID Connect: the authorization code flow with PKCE, bound to one browser by a cookie.

    begin_login -> browser at the provider -> finish_login -> ticket -> the page pairs itself, as with a link

Nothing is stored until a login has succeeded: state, nonce and verifier travel in the cookie, signed, so that
any replica can finish what another one began.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bridge.auth.access_tokens import NAME_CLAIMS
from bridge.auth.forwarded_users import is_subject, readable_name, user_at_issuer
from bridge.auth.id_tokens import IdTokens, LoginRefused
from bridge.auth.identity import LOGIN, Identity
from bridge.auth.openid_provider import OpenIdProvider
from bridge.auth.signing_keys import UnusableAnswer
from bridge.errors import BridgeError, ErrorCode
from bridge.log_lines import OncePerMinute
from bridge.settings.login import LoginSettings
from bridge.storage.accounts.logins import Login, LoginTable
from bridge.storage.users import User, UserTables, hash_secret
from toolserver.json_types import JsonObject, JsonValue, text_at

LOGIN_SECONDS = 10 * 60
"""Seconds for which the provider may take to send a browser back; a person has to type a password there."""

MAX_GROUPS = 500
"""Maximum number of groups that are read; further ones do not count."""

MAX_GROUP_CHARS = 200

_log = logging.getLogger(__name__)
_log.addFilter(OncePerMinute())


class LoginFailure(StrEnum):
    """Why a login did not succeed, as the page tells its user."""

    DENIED = "denied"
    """The provider or its user said no."""
    STALE = "stale"
    """It was begun in another browser, or too long ago."""
    UNREACHABLE = "unreachable"
    """The provider does not answer, or not as it should."""
    REFUSED = "refused"
    """What the provider vouches for cannot be believed."""
    NOT_ALLOWED = "not_allowed"
    """The user is in none of the groups that may log in."""
    DISABLED = "disabled"
    """An operator has disabled the user."""


class LoginFailed(Exception):
    """A login that did not succeed."""

    def __init__(self, failure: LoginFailure, *, is_free: bool = False) -> None:
        """`is_free`: the answer itself says it, so that the provider was asked nothing."""
        super().__init__(failure)
        self.failure = failure
        self.is_free = is_free


@dataclass(frozen=True, slots=True)
class BegunLogin:
    """Where to send a browser, and what it must bring back."""

    url: str
    cookie: str


@dataclass(frozen=True, slots=True)
class FinishedLogin:
    """Who has logged in, and the ticket that this browser alone may spend."""

    user: User
    ticket: str


class Logins:
    """Logs people in at one provider."""

    def __init__(
        self,
        provider: OpenIdProvider,
        tokens: IdTokens,
        settings: LoginSettings,
        identity: Identity,
        *,
        table: LoginTable,
        users: UserTables,
        base_url: str,
    ) -> None:
        self._provider = provider
        self._tokens = tokens
        self._settings = settings
        self._identity = identity
        self._table = table
        self._users = users
        self._base_url = base_url
        self._redirect_uri = f"{base_url}/login/callback"

    async def begin_login(self) -> BegunLogin:
        """Return the address of the provider, with a request that only this browser can finish.

        Raises:
            LoginFailed: `unreachable`.
        """
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        parameters = {
            "response_type": "code",
            "client_id": self._provider.client.client_id,
            "redirect_uri": self._redirect_uri,
            "scope": " ".join(self._settings.oidc_scopes),
            "state": state,
            "nonce": nonce,
            "code_challenge": _challenge(verifier),
            "code_challenge_method": "S256",
        }
        try:
            url = await self._provider.authorization_url(parameters)
        except UnusableAnswer as error:
            raise self._unreachable(error) from None
        claims = {"state": state, "nonce": nonce, "verifier": verifier}
        return BegunLogin(url, self._identity.sign_token(LOGIN, claims, LOGIN_SECONDS))

    def has_begun(self, answer: Mapping[str, str], cookie: str) -> bool:
        """Return whether a browser brings back what `begin_login` gave it."""
        try:
            self._read_cookie(cookie, answer.get("state", ""))
        except LoginFailed:
            return False
        return True

    async def finish_login(self, answer: Mapping[str, str], cookie: str) -> FinishedLogin:
        """Take the provider's answer, of the query with which it sent a browser back, and log its user in.

        Raises:
            LoginFailed: for every reason.
            BridgeError: `database_unavailable`.
        """
        begun = self._read_cookie(cookie, answer.get("state", ""))
        try:
            if not await self._provider.is_its_own(answer.get("iss")):
                raise self._refused("the answer names another issuer, or none", is_free=True)
            if error := answer.get("error"):
                raise self._denied(error)
            claims = await self._redeem_code(answer.get("code", ""), begun)
        except UnusableAnswer as error:
            raise self._unreachable(error) from None
        except LoginRefused as error:
            raise self._refused(str(error)) from None
        except BridgeError as error:
            if error.error.code is ErrorCode.AUTHORIZATION_UNAVAILABLE:
                raise LoginFailed(LoginFailure.UNREACHABLE) from None
            raise
        user = await self._admit(claims)
        ticket = await self._users.add_ticket(user.id, bound_to=secret_of_cookie(cookie))
        return FinishedLogin(user, ticket)

    async def logout_url(self) -> str:
        """Return where a person ends the session with the provider; the page itself if nowhere."""
        page = f"{self._base_url}/"
        parameters = {"client_id": self._provider.client.client_id, "post_logout_redirect_uri": page}
        try:
            return await self._provider.end_session_url(parameters) or page
        except UnusableAnswer:
            return page

    def _read_cookie(self, cookie: str, state: str) -> dict[str, Any]:
        try:
            begun = self._identity.read_token(LOGIN, cookie)
        except BridgeError:
            raise LoginFailed(LoginFailure.STALE) from None
        if not hmac.compare_digest(str(begun["state"]).encode(), state.encode()):
            raise LoginFailed(LoginFailure.STALE)
        return begun

    async def _redeem_code(self, code: str, begun: dict[str, Any]) -> JsonObject:
        """Return the claims that a code is worth: of the ID token, and those that only the provider tells."""
        tokens = await self._provider.redeem_code(code, begun["verifier"], self._redirect_uri)
        claims = await self._tokens.read_token(tokens.id_token, begun["nonce"])
        wanted = {self._settings.oidc_groups_claim, self._settings.oidc_user_claim, NAME_CLAIMS[0]}
        if wanted <= claims.keys():
            return claims
        return {**await self._provider.read_further_claims(tokens, text_at(claims, "sub")), **claims}

    async def _admit(self, claims: JsonObject) -> User:
        settings = self._settings
        subject = claims.get(settings.oidc_user_claim)
        if not is_subject(subject):
            raise self._refused(f"the claim {settings.oidc_user_claim!r} names no user")
        named = user_at_issuer(self._provider.issuer, subject, _display_name(claims))
        groups = read_groups(claims.get(settings.oidc_groups_claim))
        is_operator = not set(settings.oidc_operator_groups).isdisjoint(groups)
        allowed = settings.oidc_allowed_groups
        if allowed and not is_operator and set(allowed).isdisjoint(groups):
            _log.warning(
                "A login was refused: the user is in none of TOOL_BRIDGE_OIDC_ALLOWED_GROUPS "
                "(--oidc-allowed-group; groups by the claim %r: %d).",
                settings.oidc_groups_claim,
                len(groups),
            )
            await self._table.end_login(f"{named.issuer}:{named.subject}")
            self._identity.forget_credentials()
            raise LoginFailed(LoginFailure.NOT_ALLOWED)
        login = Login(
            f"{named.issuer}:{named.subject}",
            named.display_name,
            groups,
            is_operator,
            settings.oidc_login_hours,
        )
        user = await self._table.note_login(login)
        self._identity.forget_credentials()
        if user is None:
            raise LoginFailed(LoginFailure.DISABLED)
        return user

    def _denied(self, error: str) -> LoginFailed:
        if error == "access_denied":
            return LoginFailed(LoginFailure.DENIED, is_free=True)
        _log.warning("%s refused a login: %s.", self._provider.issuer, error[:100])
        return LoginFailed(LoginFailure.REFUSED, is_free=True)

    def _unreachable(self, error: UnusableAnswer) -> LoginFailed:
        _log.warning("Nobody can log in: %s.", error)
        return LoginFailed(LoginFailure.UNREACHABLE)

    def _refused(self, why: str, *, is_free: bool = False) -> LoginFailed:
        _log.warning("A login at %s was not accepted: %s.", self._provider.issuer, why)
        return LoginFailed(LoginFailure.REFUSED, is_free=is_free)


def secret_of_cookie(cookie: str) -> str:
    """Return what binds a ticket to the browser with this cookie."""
    return hash_secret(f"login {cookie}")


def read_groups(value: JsonValue) -> tuple[str, ...]:
    """Return the groups that a claim names: a list of texts, or one text. Anything else names none."""
    listed = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    named = (each for each in listed if isinstance(each, str) and 0 < len(each) <= MAX_GROUP_CHARS)
    return tuple(dict.fromkeys(named))[:MAX_GROUPS]


def _display_name(claims: JsonObject) -> str:
    return next(filter(None, (readable_name(text_at(claims, name)) for name in NAME_CLAIMS)), "")


def _challenge(verifier: str) -> str:
    """Return the S256 challenge of RFC 7636."""
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
