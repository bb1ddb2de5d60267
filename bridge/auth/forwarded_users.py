"""The user that a forwarder acts for, as Open WebUI names it in request headers.

Only the holder of a forwarder key is believed, and only by a signed token, unless the operator said that
plain headers will do. The token has neither audience nor serial number, so whoever sees it could replay it;
the key beside it is what makes the caller known.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, TypeGuard
from urllib.parse import unquote, urlsplit

import jwt
from multidict import CIMultiDictProxy

from bridge.errors import BridgeError, ErrorCode

ISSUER = "open-webui"
"""Open WebUI's `iss` claim, and the first part of the names of forwarded users."""

TOKEN_HEADER = "X-OpenWebUI-User-Jwt"
ID_HEADER = "X-OpenWebUI-User-Id"
NAME_HEADER = "X-OpenWebUI-User-Name"
USER_HEADERS = (TOKEN_HEADER, ID_HEADER)
"""Headers that decide the user of a response: caches must vary on them."""

CLOCK_SKEW_S = 30
"""Seconds by which two machines' clocks may differ; Open WebUI's tokens live 300 s."""

MAX_SUBJECT_CHARS = 80
MAX_DISPLAY_NAME_CHARS = 80
MAX_TOKEN_CHARS = 8000

SHOWN_NAME_CHARS = 50
SHOWN_HOST_CHARS = 40
"""Maximum characters of a user's name and of the authorization server's host, as they are stored."""


@dataclass(frozen=True, slots=True)
class ForwardedUser:
    """A user as somebody names it whom the bridge believes: a forwarder, or an authorization server."""

    subject: str
    """An id that never changes."""
    display_name: str
    issuer: str = ISSUER
    """Who names it, as the first part of the user's name."""


class UserHeaders:
    """Reads which user a forwarder names."""

    def __init__(self, jwt_secret: str | None, *, trust_plain: bool) -> None:
        self._secret = jwt_secret
        self._trust_plain = trust_plain

    def read_user(self, headers: CIMultiDictProxy[str]) -> ForwardedUser | None:
        """The user, or None when the headers name nobody.

        Raises:
            BridgeError: `unverified_user` when they name somebody and it cannot be believed.
        """
        tokens = headers.getall(TOKEN_HEADER, [])
        if tokens:
            return self._of_token(tokens)
        ids = headers.getall(ID_HEADER, [])
        if not ids:
            return None
        if not self._trust_plain:
            raise _unverified("plain_headers_not_trusted", _PLAIN)
        return _forwarded(ids[0] if len(ids) == 1 else "", unquote(headers.get(NAME_HEADER, "")))

    def _of_token(self, tokens: list[str]) -> ForwardedUser:
        if self._secret is None:
            raise _unverified("no_secret", _NO_SECRET)
        if len(tokens) > 1 or len(tokens[0]) > MAX_TOKEN_CHARS:
            raise _unverified("invalid", _INVALID)
        claims = _claims(tokens[0], self._secret)
        name = claims.get("name")
        return _forwarded(claims["sub"], name if isinstance(name, str) else "")


def readable_name(text: str) -> str:
    """Return a foreign name that is safe to show: printable, and of `MAX_DISPLAY_NAME_CHARS` at most."""
    readable = "".join(character for character in text if character.isprintable()).strip()
    return readable[:MAX_DISPLAY_NAME_CHARS]


def named_nobody() -> BridgeError:
    """Return the error for a forwarder that named no user where one is needed."""
    return _unverified("missing", _MISSING)


def disabled_user() -> BridgeError:
    """Return the error for a user whom an operator has disabled."""
    return _unverified("disabled", "An operator of the bridge has disabled this user.")


def user_at_issuer(issuer: str, subject: str, display_name: str) -> ForwardedUser:
    """Return the user of an OAuth or OpenID Connect server: the same id at another one is somebody else.

    Whoever logs in to the page and shows an access token of the same server at `/mcp` is one user.
    """
    host = urlsplit(issuer).hostname or ""
    name = (display_name or subject)[:SHOWN_NAME_CHARS]
    digest = hashlib.sha256(issuer.encode()).hexdigest()[:8]
    return ForwardedUser(subject, f"{name} at {host[:SHOWN_HOST_CHARS]}", f"oauth-{digest}")


def is_subject(value: object) -> TypeGuard[str]:
    """Return whether a value can be the id of a user: printable, not padded, not too long."""
    return (
        isinstance(value, str)
        and 0 < len(value) <= MAX_SUBJECT_CHARS
        and value.isprintable()
        and value == value.strip()
    )


def _claims(token: str, secret: str) -> dict[str, Any]:
    try:
        return jwt.decode(
            token,
            secret,
            ["HS256"],
            issuer=ISSUER,
            leeway=CLOCK_SKEW_S,
            options={"require": ["sub", "iss", "iat", "exp"]},
        )
    except jwt.ExpiredSignatureError:
        message = f"The {TOKEN_HEADER} has expired. Check that both clocks agree."
        raise _unverified("expired", message) from None
    except jwt.InvalidTokenError:
        raise _unverified("invalid", _INVALID) from None


def _forwarded(subject: str, name: str) -> ForwardedUser:
    if not is_subject(subject):
        raise _unverified("invalid", f"A user's id has 1 to {MAX_SUBJECT_CHARS} printable characters.")
    return ForwardedUser(subject, readable_name(name))


def _unverified(reason: str, message: str) -> BridgeError:
    return BridgeError(ErrorCode.UNVERIFIED_USER, message, detail={"reason": reason})


_MISSING = (
    f"This key is a forwarder's, but the request does not name the user it acts for. Send {TOKEN_HEADER}: in "
    "Open WebUI set ENABLE_FORWARD_USER_INFO_HEADERS and FORWARD_USER_INFO_HEADER_JWT_SECRET. Or use the key "
    "of a user."
)
_PLAIN = (
    f"The request names its user in plain headers, which anybody can forge. Send {TOKEN_HEADER} (in Open "
    "WebUI: FORWARD_USER_INFO_HEADER_JWT_SECRET), or start the bridge with --trust-user-headers."
)
_NO_SECRET = (
    f"The bridge cannot check the {TOKEN_HEADER}: start it with --user-jwt-secret FILE, or with the "
    "environment variable TOOL_BRIDGE_USER_JWT_SECRET, and the secret that Open WebUI has as "
    "FORWARD_USER_INFO_HEADER_JWT_SECRET."
)
_INVALID = (
    f"The {TOKEN_HEADER} was not signed with the secret of this bridge. The bridge's "
    "TOOL_BRIDGE_USER_JWT_SECRET must be Open WebUI's FORWARD_USER_INFO_HEADER_JWT_SECRET."
)
