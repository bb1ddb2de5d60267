"""ID tokens of an OpenID Connect provider: checked as OpenID Connect Core 3.1.3.7 and RFC 8725 say."""

from __future__ import annotations

import hmac
from dataclasses import dataclass

import jwt

from bridge.auth.signing_keys import SigningKeys
from toolserver.json_types import JsonObject, text_at

CLOCK_SKEW_S = 30
"""Seconds by which the clocks of the bridge and of the provider may differ."""

MAX_TOKEN_CHARS = 100_000
"""Maximum length of an ID token, which names all groups of its user."""


class LoginRefused(Exception):
    """A login that the bridge does not accept; the text says why, for the operator, without a full stop."""


@dataclass(frozen=True, slots=True)
class IdTokens:
    """Reads the ID tokens that a provider issues for one client."""

    issuer: str
    client_id: str
    keys: SigningKeys

    async def read_token(self, token: str, nonce: str) -> JsonObject:
        """Return the claims of a token that is valid now and answers the request with this nonce.

        Raises:
            LoginRefused: it is not.
            BridgeError: `authorization_unavailable`: the provider's keys cannot be had.
        """
        if len(token) > MAX_TOKEN_CHARS:
            raise LoginRefused(f"its ID token is longer than {MAX_TOKEN_CHARS:,} characters")
        try:
            claims = await self._verified_claims(token)
        except jwt.InvalidTokenError as error:
            raise LoginRefused(_explain(error, self.client_id)) from None
        told = text_at(claims, "nonce").encode("utf-8", "surrogatepass")  # JSON can escape half a character
        if not hmac.compare_digest(told, nonce.encode()):
            raise LoginRefused("its ID token answers another request: the nonce differs")
        audience = claims["aud"]
        party = claims.get("azp", self.client_id)
        if party != self.client_id or (
            isinstance(audience, list) and len(audience) > 1 and "azp" not in claims
        ):
            raise LoginRefused(f"its ID token was issued to another client than {self.client_id}")
        return claims

    async def _verified_claims(self, token: str) -> JsonObject:
        key_id = jwt.get_unverified_header(token).get("kid")
        if not isinstance(key_id, str):
            raise LoginRefused("its ID token does not say which key signed it: the header needs a kid")
        key = await self.keys.find_key(key_id)
        if key is None:
            raise LoginRefused("its ID token is signed with a key that the provider does not publish")
        return jwt.decode(
            token,
            key.public_key,
            list(key.algorithms),
            audience=self.client_id,
            issuer=self.issuer,
            leeway=CLOCK_SKEW_S,
            options={"require": ["iss", "sub", "aud", "exp", "iat"]},
        )


def _explain(error: jwt.InvalidTokenError, client_id: str) -> str:
    match error:
        case jwt.ExpiredSignatureError():
            return "its ID token has expired; check that both clocks agree"
        case jwt.ImmatureSignatureError():
            return "its ID token is not valid yet; check that both clocks agree"
        case jwt.InvalidAudienceError():
            return f"its ID token is for somebody else: its aud must have {client_id}"
        case jwt.InvalidIssuerError():
            return "its ID token names another issuer"
        case jwt.InvalidAlgorithmError():
            return "its ID token is signed with an algorithm that its key is not for"
        case jwt.MissingRequiredClaimError():
            return f"its ID token has no claim {error.claim!r}"
        case _:
            return "its ID token is no valid JSON Web Token"
