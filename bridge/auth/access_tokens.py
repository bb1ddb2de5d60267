"""Access tokens of an external authorization server: JSON Web Tokens, checked as RFC 9068 and RFC 8725 say.

The bridge is their resource server and nothing more: it makes none, stores none and passes none on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jwt

from bridge.auth.forwarded_users import MAX_SUBJECT_CHARS, is_subject, readable_name
from bridge.auth.resource_server import ResourceServer
from bridge.auth.signing_keys import SigningKeys
from bridge.errors import BridgeError, ErrorCode
from toolserver.json_types import JsonObject, array_at, text_at

CLOCK_SKEW_S = 30
"""Seconds by which the clocks of the bridge and of the authorization server may differ."""

MAX_TOKEN_CHARS = 8000
"""Maximum length of an access token; a longer header would not pass the HTTP server anyway."""

TOKEN_TYPES = frozenset({"jwt", "at+jwt", "application/at+jwt"})
"""Values of `typ` that an access token may have, in lower case; others are for something else."""

TOKEN_DOTS = 2

NAME_CLAIMS = ("name", "preferred_username")
CLIENT_CLAIMS = ("client_id", "azp", "appid")
"""Claims with the client's id: RFC 9068's, OpenID Connect's and Entra's older one."""


@dataclass(frozen=True, slots=True)
class AccessToken:
    """What a valid token says."""

    subject: str
    """Id of the user at the authorization server."""
    display_name: str
    """Name of the user for people, which may change and be anybody's; "" if the token has none."""
    client: str
    """Id of the client that the token was given to, in full; "" if the token has none."""
    expires_at: float
    """Unix time."""


class AccessTokens:
    """Reads the tokens for the MCP endpoints of one bridge."""

    def __init__(self, resource: ResourceServer, keys: SigningKeys, *, user_claim: str) -> None:
        self.issuer = resource.issuer
        self._resource = resource
        self._keys = keys
        self._user_claim = user_claim

    async def read_token(self, token: str, server: str | None) -> AccessToken:
        """Return what a token says that is valid now at the endpoint of a server, or of all together.

        Raises:
            BridgeError: `unauthorized`, with a `reason` in its details; `insufficient_scope`;
                `authorization_unavailable`.
        """
        if len(token) > MAX_TOKEN_CHARS:
            raise refused("too_long", f"The access token is longer than {MAX_TOKEN_CHARS:,} characters.")
        if token.count(".") != TOKEN_DOTS:
            raise refused("opaque", _OPAQUE)
        claims = await self._verified_claims(token, self._resource.audience_at(server))
        if "cnf" in claims:
            raise refused("bound", _BOUND)
        self._check_scopes(claims)
        return AccessToken(
            self._subject_of(claims),
            next(filter(None, (readable_name(text_at(claims, name)) for name in NAME_CLAIMS)), ""),
            next(filter(None, (text_at(claims, name) for name in CLIENT_CLAIMS)), ""),
            float(str(claims["exp"])),
        )

    async def _verified_claims(self, token: str, audience: str) -> JsonObject:
        try:
            header = jwt.get_unverified_header(token)
            key = await self._keys.find_key(_key_id_of(header))
            if key is None:
                raise refused(
                    "unknown_key", f"The token is signed with a key that {self.issuer} does not have."
                )
            return jwt.decode(
                token,
                key.public_key,
                list(key.algorithms),
                audience=audience,
                issuer=self.issuer,
                leeway=CLOCK_SKEW_S,
                options={"require": ["iss", "aud", "exp"]},
            )
        except jwt.InvalidTokenError as error:
            raise _explained(error, self.issuer, audience) from None

    def _check_scopes(self, claims: JsonObject) -> None:
        granted = set(text_at(claims, "scope").split())
        names = _named_scopes(claims)
        missing = [
            scope
            for scope in self._resource.scopes
            if scope not in granted | names and scope.rpartition("/")[2] not in names
        ]
        if missing:
            message = (
                f"The access token lacks the scope {' '.join(missing)}; ask the authorization server for it."
            )
            raise BridgeError(
                ErrorCode.INSUFFICIENT_SCOPE, message, detail={"scopes": [*self._resource.scopes]}
            )

    def _subject_of(self, claims: JsonObject) -> str:
        subject = claims.get(self._user_claim)
        if not is_subject(subject):
            message = (
                f"The claim {self._user_claim!r} of the token must name its user in 1 to {MAX_SUBJECT_CHARS} "
                "printable characters."
            )
            raise refused("no_user", message)
        return subject


def refused(reason: str, message: str) -> BridgeError:
    """Return the error for a token that does not open the endpoint."""
    return BridgeError(ErrorCode.UNAUTHORIZED, message, detail={"reason": reason})


def _key_id_of(header: dict[str, Any]) -> str:
    """Return the id of a token's key, of a token that could be an access token."""
    kind = header.get("typ", "JWT")
    if not isinstance(kind, str) or kind.lower() not in TOKEN_TYPES:
        raise refused("not_an_access_token", "The token is not an access token; see its header's typ.")
    key_id = header.get("kid")
    if not isinstance(key_id, str):
        raise refused("unknown_key", "The token does not say which key signed it: its header needs a kid.")
    return key_id


def _named_scopes(claims: JsonObject) -> set[str]:
    """Return the scopes in `scp`, text or list: Entra's lack the API's address before them.

    They belong to the audience of the token, so that no other API's scope can be meant.
    """
    listed = [each for each in array_at(claims, "scp") if isinstance(each, str)]
    return {*text_at(claims, "scp").split(), *listed}


def _explained(error: jwt.InvalidTokenError, issuer: str, audience: str) -> BridgeError:
    match error:
        case jwt.ExpiredSignatureError():
            return refused("expired", "The access token has expired.")
        case jwt.ImmatureSignatureError():
            return refused("not_yet_valid", "The access token is not valid yet. Do both clocks agree?")
        case jwt.InvalidAudienceError():
            return refused("audience", f"The access token is for somebody else: its aud must have {audience}")
        case jwt.InvalidIssuerError():
            return refused("issuer", f"The access token was not issued by {issuer}")
        case jwt.InvalidAlgorithmError():
            return refused(
                "algorithm", "The access token is signed with an algorithm that its key is not for."
            )
        case jwt.MissingRequiredClaimError():
            return refused("missing_claim", f"The access token has no claim {error.claim!r}.")
        case _:
            return refused("invalid", "The access token is not valid.")


_OPAQUE = (
    "This is neither an API key of the bridge nor a JSON Web Token. Let the authorization server issue JSON "
    "Web Tokens for this resource; the bridge cannot look opaque tokens up."
)
_BOUND = (
    "The access token is bound to a key of its client (DPoP or mutual TLS), which the bridge cannot check. "
    "Let the authorization server issue bearer tokens for this resource."
)
